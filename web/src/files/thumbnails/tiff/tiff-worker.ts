import { isLarge, maxFileBytes } from '../thumbnail-limits.ts'
import type { ObjectSource } from '../thumbnail-task.ts'
import { answerTasks } from '../worker/answer-tasks.ts'
import { browserBitmap } from '../worker/browser-bitmap.ts'
import { NotReadError, ObjectParts } from '../worker/object-parts.ts'
import { numberOf, tags, tiffDirectories } from './tiff-directories.ts'
import { tiffPixels } from './tiff-pixels.ts'
import { type FilePart, isPreview, jpegPreviews, largestJpegs } from './tiff-previews.ts'

/**
 * For a thumbnail the preview in a TIFF file or in the raw file of a camera, or its first page. A large picture is that page,
 * or the largest JPEG file in a raw file.
 */
answerTasks(async (source: ObjectSource, form) => {
  const parts = new ObjectParts(source, 2 * maxFileBytes)
  const directories = await tiffDirectories((start, end) => parts.read(start, end))
  const [page] = directories
  if (page === undefined) return undefined
  const turn = numberOf(page, tags.orientation)
  const orientation = turn ?? 1
  const fromPixels = async () => {
    const pixels = await tiffPixels(parts, page)
    return pixels && { bitmap: await createImageBitmap(pixels), orientation }
  }
  const isPage = isLarge(form) && !isPreview(page)
  const whole = isPage ? await fromPixels() : undefined
  if (whole !== undefined) return whole
  const jpegs = isLarge(form) ? largestJpegs(directories) : jpegPreviews(directories)
  for (const jpeg of jpegs) {
    const bytes = await jpegBytes(parts, jpeg)
    if (turn !== undefined && bytes !== undefined) hideExif(bytes)
    const bitmap = bytes && (await browserBitmap(bytes, form))
    if (bitmap !== undefined) return { bitmap, orientation }
  }
  return isPage ? undefined : fromPixels()
})

/** Undefined if the file ends before it. */
function jpegBytes(parts: ObjectParts, { at, length }: FilePart) {
  return parts.read(at, at + length).catch((error) => {
    if (error instanceof NotReadError) throw error
    return undefined
  })
}

/** Metadata is in front of everything else in a JPEG file, Exif data usually at its beginning. */
const exifBytes = 4_096

/** Some cameras put Exif data into the preview as well. The browser would turn it, and then it would be turned once more. */
function hideExif(jpeg: Uint8Array): void {
  const text = new TextDecoder('latin1').decode(jpeg.subarray(0, exifBytes))
  const at = text.search(/Exif\0\0(?:II\*\0|MM\0\*)/)
  if (at >= 0) jpeg[at] = 0
}
