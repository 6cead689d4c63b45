import { maxFileBytes } from '../thumbnail-limits.ts'
import { numberOf, type TiffDirectory, tags } from './tiff-directories.ts'

export interface FilePart {
  readonly at: number
  readonly length: number
}

/** A JPEG file of this length is usually as large as a tile. */
const enoughBytes = 12_000

/** Previews of cameras are as large as a screen. */
const maxPreviewBytes = 8 * 1024 * 1024

/** Values of PhotometricInterpretation that say that the pixels are those of a sensor, without loss: DNG 1.7, chapter 4. */
const sensor: ReadonlySet<number | undefined> = new Set([32_803, 34_892])

/** The JPEG files in a TIFF file that browsers decode, the best for a thumbnail first: the smallest that is large enough. */
export function jpegPreviews(directories: readonly TiffDirectory[]): readonly FilePart[] {
  const found = jpegsOf(directories, maxPreviewBytes)
  const enough = found.filter(({ length }) => length >= enoughBytes)
  return [...enough, ...found.filter((one) => !enough.includes(one)).reverse()]
}

/** The same, the largest first. If the first page is the picture itself, it comes before its previews, without other pages. */
export function largestJpegs(directories: readonly TiffDirectory[]): readonly FilePart[] {
  const [page] = directories
  const isAny = page === undefined || isPreview(page)
  const groups = isAny ? [directories] : [[page], directories.filter(isPreview)]
  return groups.flatMap((group) => jpegsOf(group, maxFileBytes).toReversed())
}

/** Whether a directory is not that of the picture itself, or says that its pixels are those of a sensor. */
export function isPreview(directory: TiffDirectory): boolean {
  const isReduced = ((numberOf(directory, tags.subfileType) ?? 0) & 1) === 1
  return isReduced || sensor.has(numberOf(directory, tags.photometric))
}

/** The smallest first. */
function jpegsOf(directories: readonly TiffDirectory[], maxBytes: number): readonly FilePart[] {
  return directories
    .flatMap((directory) => [namedJpeg(directory), wholeJpeg(directory)])
    .filter((one) => one !== undefined)
    .filter(({ length }) => length > 0 && length <= maxBytes)
    .sort((one, other) => one.length - other.length)
}

/** As in the Exif data of photos. */
function namedJpeg(directory: TiffDirectory): FilePart | undefined {
  const at = numberOf(directory, tags.jpegAt)
  const length = numberOf(directory, tags.jpegLength)
  return at === undefined || length === undefined ? undefined : { at, length }
}

/** The only strip of a picture that is compressed as JPEG (TIFF 6.0, section 22, and its Technical Note 2). */
function wholeJpeg(directory: TiffDirectory): FilePart | undefined {
  const compression = numberOf(directory, tags.compression)
  if ((compression !== 6 && compression !== 7) || directory.has(tags.jpegTables)) return undefined
  if (sensor.has(numberOf(directory, tags.photometric))) return undefined
  const [at, second] = directory.get(tags.stripAt) ?? []
  const length = numberOf(directory, tags.stripLength)
  if (at === undefined || length === undefined || second !== undefined) return undefined
  return { at, length }
}
