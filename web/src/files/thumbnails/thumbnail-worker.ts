import { type PictureSize, pictureSize } from './picture-size.ts'
import { maxFileBytes, maxPictureBytes, maxPixels, maxSide, quality } from './thumbnail-limits.ts'
import type { ThumbnailAnswer, ThumbnailTask } from './thumbnail-task.ts'

/** A thread that makes one thumbnail at a time: make-thumbnail.ts. */
addEventListener('message', ({ data }: MessageEvent<ThumbnailTask>) => {
  void answerTo(data).then(postMessage, () => postMessage({ problem: 'failed' }))
})

async function answerTo(task: ThumbnailTask): Promise<ThumbnailAnswer> {
  const bitmap = 'frame' in task ? task.frame : await decodedOf(task)
  const picture = bitmap && (await smallPicture(bitmap))
  return picture === undefined ? { problem: 'refused' } : { picture }
}

/** Undefined if it is too large or not a picture. The decoder applies the EXIF orientation. */
async function decodedOf(source: Exclude<ThumbnailTask, { frame: unknown }>) {
  const bytes = await bytesOf(source)
  const size = bytes && pictureSize(bytes)
  if (bytes === undefined || size === undefined) return undefined
  const pixels = size.width * size.height
  if (pixels === 0 || pixels > maxPixels) return undefined
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8
  const small = isJpeg ? await smallBitmap(bytes, size) : undefined
  if (small !== undefined) return small
  const options = { imageOrientation: 'from-image' } as const
  return createImageBitmap(new Blob([bytes]), options).catch(() => undefined)
}

/**
 * A JPEG file, decoded at a half, a quarter or an eighth of its size: less than half of the time, and little memory
 * (docs/decisions/0048-thumbnails.md). Undefined if the browser cannot do that. Firefox's decoder ignores the orientation.
 */
async function smallBitmap(
  data: Uint8Array<ArrayBuffer>,
  { width, height }: PictureSize,
): Promise<ImageBitmap | undefined> {
  if (!('ImageDecoder' in globalThis && 'rotation' in VideoFrame.prototype)) return undefined
  const side = Math.max(width, height)
  const part = [8, 4, 2].find((each) => side / each >= maxSide) ?? 1
  const [desiredWidth, desiredHeight] = [Math.ceil(width / part), Math.ceil(height / part)]
  const decoder = new ImageDecoder({ data, type: 'image/jpeg', desiredWidth, desiredHeight })
  try {
    const { image } = await decoder.decode()
    const [resizeWidth, resizeHeight] = fitting(image.displayWidth, image.displayHeight)
    // Chromium keeps each frame that is drawn to a canvas in memory, but not what is made of it here.
    const resize = { resizeWidth, resizeHeight, resizeQuality: 'high' } as const
    return await createImageBitmap(image, resize).finally(() => image.close())
  } catch {
    return undefined
  } finally {
    decoder.close()
  }
}

/** The memory of the file that is being read. One file after the other uses it: 500 photos would leave 2 GB to collect. */
let memory = new Uint8Array(1024 * 1024)

/**
 * The bytes of a file, until the next one is read; undefined above the limit, which also applies to an object that is
 * decompressed on arrival.
 */
async function bytesOf({ url, etag }: Exclude<ThumbnailTask, { frame: unknown }>) {
  const reply = await fetch(url, {
    headers: { 'if-match': `"${etag}"` },
    credentials: 'omit',
    cache: 'no-store',
  })
  if (!reply.ok || reply.body === null) throw new Error(`status ${reply.status}`)
  let length = 0
  const reader = reply.body.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const end = length + step.value.length
    if (end > maxFileBytes) return undefined
    if (end > memory.length) {
      const larger = new Uint8Array(Math.max(end, 2 * memory.length))
      larger.set(memory.subarray(0, length))
      memory = larger
    }
    memory.set(step.value, length)
    length = end
  }
  return memory.subarray(0, length)
}

/** The size of the thumbnail of a picture of this size. */
function fitting(width: number, height: number): readonly [width: number, height: number] {
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const sideOf = (pixels: number) => Math.max(1, Math.round(pixels * scale))
  return [sideOf(width), sideOf(height)]
}

/** Undefined if the result is not small, which it always should be at this size. */
async function smallPicture(bitmap: ImageBitmap): Promise<Blob | undefined> {
  const canvas = new OffscreenCanvas(...fitting(bitmap.width, bitmap.height))
  const brush = canvas.getContext('2d')
  if (brush === null) return undefined
  brush.imageSmoothingQuality = 'high'
  brush.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  const webp = await canvas.convertToBlob({ type: 'image/webp', quality })
  if (webp.type === 'image/webp' && webp.size <= maxPictureBytes) return webp
  // For browsers that cannot write WebP, and for noise with transparency. JPEG needs a background.
  brush.globalCompositeOperation = 'destination-over'
  brush.fillStyle = '#fff'
  brush.fillRect(0, 0, canvas.width, canvas.height)
  const jpeg = await canvas.convertToBlob({ type: 'image/jpeg', quality })
  return jpeg.size <= maxPictureBytes ? jpeg : undefined
}
