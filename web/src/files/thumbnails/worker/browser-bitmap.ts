import { isLarge, maxPixels, type PictureForm, thumbnailForm } from '../thumbnail-limits.ts'
import { type PictureSize, pictureSize } from './picture-size.ts'
import { fitting } from './small-picture.ts'

/** What this browser decodes, turned as its Exif data says. Undefined if it is too large or not a picture. */
export async function browserBitmap(
  bytes: Uint8Array<ArrayBuffer>,
  form: PictureForm,
): Promise<ImageBitmap | undefined> {
  const size = pictureSize(bytes)
  if (size === undefined) return undefined
  const pixels = size.width * size.height
  if (pixels === 0 || pixels > maxPixels) return undefined
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8
  const small = isJpeg && !isLarge(form) ? await smallBitmap(bytes, size) : undefined
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
  const part = [8, 4, 2].find((each) => side / each >= thumbnailForm.maxSide) ?? 1
  const [desiredWidth, desiredHeight] = [Math.ceil(width / part), Math.ceil(height / part)]
  const decoder = new ImageDecoder({ data, type: 'image/jpeg', desiredWidth, desiredHeight })
  try {
    const { image } = await decoder.decode()
    const { displayWidth, displayHeight } = image
    const [resizeWidth, resizeHeight] = fitting(displayWidth, displayHeight, thumbnailForm)
    // Chromium never frees a frame that was drawn to a canvas, but it frees a bitmap made of the frame.
    const resize = { resizeWidth, resizeHeight, resizeQuality: 'high' } as const
    return await createImageBitmap(image, resize).finally(() => image.close())
  } catch {
    return undefined
  } finally {
    decoder.close()
  }
}
