import { jpegSize, type PictureSize, pictureType } from './picture-form.ts'

/** TIFF 6.0, section 8, and Exif 2.32, section 4.6: the tags that are read. */
const tags = {
  ...{ width: 0x0100, height: 0x0101, orientation: 0x0112 },
  ...{ previewAt: 0x0201, previewLength: 0x0202 },
} as const

/** The proportions of photo and preview may differ by rounding. */
const tolerance = 0.03

/**
 * The preview that a camera has put into a JPEG photo, a TIFF file or a raw file with the structure of TIFF, as a file of its own that browsers turn like the photo. Undefined if
 * there is none, or if it does not have the form of the photo: then it has black bars, or shows what was cut off.
 *
 * @param beginning of the file
 */
export function exifPreview(beginning: Buffer): Buffer | undefined {
  try {
    return previewIn(beginning)
  } catch (error) {
    // An offset points behind the end.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function previewIn(file: Buffer): Buffer | undefined {
  const isTiff = tiffBeginning.has(file.toString('latin1', 0, 4))
  const exif = isTiff ? file : exifOf(file)
  if (exif === undefined) return undefined
  const directories = readDirectories(exif)
  const at = directories.preview.get(tags.previewAt)
  const length = directories.preview.get(tags.previewLength)
  if (at === undefined || length === undefined) return undefined
  const padded = exif.subarray(at, at + length)
  const end = padded.lastIndexOf(Buffer.of(0xff, 0xd9))
  if (end < 0) return undefined
  const preview = turned(padded.subarray(0, end + 2), directories.photo.get(tags.orientation) ?? 1)
  if (pictureType(preview) !== 'image/jpeg') return undefined
  const size = isTiff ? sizeIn(directories.photo) : jpegSize(file)
  return isAlike(size, jpegSize(preview)) ? preview : undefined
}

/** TIFF 6.0, section 2: the byte order, and 42. */
const tiffBeginning: ReadonlySet<string> = new Set(['II*\0', 'MM\0*'])

function sizeIn(photo: ReadonlyMap<number, number>): PictureSize | undefined {
  const [width, height] = [photo.get(tags.width), photo.get(tags.height)]
  return width === undefined || height === undefined ? undefined : { width, height }
}

/** The TIFF structure in the first APP1 segment with Exif data (ITU-T T.81, annex B). */
function exifOf(file: Buffer): Buffer | undefined {
  if (file.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 10 <= file.length; ) {
    const marker = file.readUInt16BE(at)
    // Metadata is in front of everything else.
    if (marker < 0xffe0 || marker > 0xffef) return undefined
    const end = at + 2 + file.readUInt16BE(at + 2)
    if (marker === 0xffe1 && file.toString('latin1', at + 4, at + 10) === 'Exif\0\0') {
      return file.subarray(at + 10, end)
    }
    at = end
  }
  return undefined
}

/** TIFF 6.0, section 2: the directory of the photo, and the next one, of the preview. Values by tag. */
function readDirectories(tiff: Buffer) {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const long = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  const read = (at: number) => {
    const values = new Map<number, number>()
    const count = short(at)
    for (let entry = at + 2; entry < at + 2 + 12 * count; entry += 12) {
      const isShort = short(entry + 2) === 3
      values.set(short(entry), isShort ? short(entry + 8) : long(entry + 8))
    }
    return { values, next: long(at + 2 + 12 * count) }
  }
  const photo = read(long(4))
  const preview = photo.next === 0 ? new Map<number, number>() : read(photo.next).values
  return { photo: photo.values, preview }
}

/** The preview with the orientation of the photo: an APP1 segment with one tag, behind the start of the image. */
function turned(preview: Buffer, orientation: number): Buffer {
  if (orientation < 2 || orientation > 8) return preview
  const exif = Buffer.from(
    '\xff\xe1\0\x22Exif\0\0MM\0*\0\0\0\b\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0',
    'latin1',
  )
  exif.writeUInt16BE(orientation, 28)
  return Buffer.concat([preview.subarray(0, 2), exif, preview.subarray(2)])
}

function isAlike(photo: PictureSize | undefined, preview: PictureSize | undefined): boolean {
  if (photo === undefined || preview === undefined) return false
  const ratio = (photo.width * preview.height) / (photo.height * preview.width)
  return Math.abs(ratio - 1) <= tolerance
}
