import type { PictureForm } from '../thumbnail-limits.ts'
import type { MadePicture } from '../thumbnail-task.ts'

/** The size of what is made of a picture of this size. */
export function fitting(
  width: number,
  height: number,
  { maxSide }: PictureForm,
): readonly [width: number, height: number] {
  const scale = Math.min(1, maxSide / Math.max(width, height))
  const sideOf = (pixels: number) => Math.max(1, Math.round(pixels * scale))
  return [sideOf(width), sideOf(height)]
}

/** The first four numbers of the canvas transformation for each orientation (Exif 2.32, tag 0x0112). */
const turns: Readonly<Record<number, readonly [number, number, number, number]>> = {
  2: [-1, 0, 0, 1],
  3: [-1, 0, 0, -1],
  4: [1, 0, 0, -1],
  5: [0, 1, 1, 0],
  6: [0, 1, -1, 0],
  7: [0, -1, -1, 0],
  8: [0, -1, 1, 0],
}

/** Undefined if the result is not small, which it always should be at this size. */
export async function smallPicture(
  bitmap: ImageBitmap,
  form: PictureForm,
  orientation = 1,
): Promise<MadePicture | undefined> {
  const [width, height] = fitting(bitmap.width, bitmap.height, form)
  const [a, b, c, d] = turns[orientation] ?? [1, 0, 0, 1]
  const sides = (across: number, down: number): readonly [number, number] =>
    a === 0 ? [down, across] : [across, down]
  const whole = sides(bitmap.width, bitmap.height)
  const canvas = new OffscreenCanvas(...sides(width, height))
  const brush = canvas.getContext('2d')
  if (brush === null) return undefined
  brush.imageSmoothingQuality = 'high'
  // A mirrored axis begins at the opposite edge.
  const [x, y] = [a + c < 0 ? canvas.width : 0, b + d < 0 ? canvas.height : 0]
  brush.setTransform(a, b, c, d, x, y)
  brush.drawImage(bitmap, 0, 0, width, height)
  brush.resetTransform()
  bitmap.close()
  const picture = await encoded(canvas, brush, form)
  return picture && { picture, width: whole[0], height: whole[1] }
}

async function encoded(
  canvas: OffscreenCanvas,
  brush: OffscreenCanvasRenderingContext2D,
  { type, quality, maxBytes }: PictureForm,
): Promise<Blob | undefined> {
  if (type === 'image/webp') {
    const webp = await canvas.convertToBlob({ type, quality })
    if (webp.type === type && webp.size <= maxBytes) return webp
  }
  // For browsers that cannot write WebP, and for noise with transparency. JPEG needs a background.
  brush.globalCompositeOperation = 'destination-over'
  brush.fillStyle = '#fff'
  brush.fillRect(0, 0, canvas.width, canvas.height)
  const jpeg = await canvas.convertToBlob({ type: 'image/jpeg', quality })
  return jpeg.size <= maxBytes ? jpeg : undefined
}
