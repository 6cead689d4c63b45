import { pictureSize } from './picture-size.ts'
import { maxFileBytes, maxPictureBytes, maxPixels, maxSide } from './thumbnail-limits.ts'
import type { ThumbnailAnswer, ThumbnailTask } from './thumbnail-task.ts'

/** A thread for one thumbnail: make-thumbnail.ts. */
addEventListener('message', ({ data }: MessageEvent<ThumbnailTask>) => {
  void answerTo(data).then(postMessage, () => postMessage({ problem: 'failed' }))
})

async function answerTo(task: ThumbnailTask): Promise<ThumbnailAnswer> {
  const bitmap = 'frame' in task ? task.frame : await bitmapOf(task)
  const picture = bitmap && (await smallPicture(bitmap))
  return picture === undefined ? { problem: 'refused' } : { picture }
}

/** Undefined if it is too large or not a picture. The decoder applies the EXIF orientation. */
async function bitmapOf(source: Exclude<ThumbnailTask, { frame: unknown }>) {
  const bytes = await bytesOf(source)
  const size = bytes && pictureSize(bytes)
  if (bytes === undefined || size === undefined) return undefined
  const pixels = size.width * size.height
  if (pixels === 0 || pixels > maxPixels) return undefined
  const options = { imageOrientation: 'from-image' } as const
  return createImageBitmap(new Blob([bytes]), options).catch(() => undefined)
}

/**
 * The bytes of a file; undefined above the limit, which also applies to an object that is decompressed on arrival.
 */
async function bytesOf({ url, etag }: Exclude<ThumbnailTask, { frame: unknown }>) {
  const reply = await fetch(url, {
    headers: { 'if-match': `"${etag}"` },
    credentials: 'omit',
    cache: 'no-store',
  })
  if (!reply.ok || reply.body === null) throw new Error(`status ${reply.status}`)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  const reader = reply.body.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    length += step.value.length
    if (length > maxFileBytes) return undefined
    chunks.push(step.value)
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** Undefined if the result is not small, which it always should be at this size. */
async function smallPicture(bitmap: ImageBitmap): Promise<Blob | undefined> {
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height))
  const sideOf = (pixels: number) => Math.max(1, Math.round(pixels * scale))
  const canvas = new OffscreenCanvas(sideOf(bitmap.width), sideOf(bitmap.height))
  const brush = canvas.getContext('2d')
  if (brush === null) return undefined
  brush.imageSmoothingQuality = 'high'
  brush.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  const webp = await canvas.convertToBlob({ type: 'image/webp', quality: 0.7 })
  if (webp.type === 'image/webp' && webp.size <= maxPictureBytes) return webp
  // For browsers that cannot write WebP, and for noise with transparency. JPEG needs a background.
  brush.globalCompositeOperation = 'destination-over'
  brush.fillStyle = '#fff'
  brush.fillRect(0, 0, canvas.width, canvas.height)
  const jpeg = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.7 })
  return jpeg.size <= maxPictureBytes ? jpeg : undefined
}
