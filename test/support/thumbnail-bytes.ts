/** The beginning of WebP and JPEG files with a size: what tells their form, without a picture. */

/** @param kind of the first chunk, `VP8X` with its flags */
export function webpBytes(
  kind: string,
  width: number,
  height: number,
  flags = 0,
): Buffer<ArrayBuffer> {
  const chunk = Buffer.alloc(24)
  chunk.write(kind, 0, 'latin1')
  chunk.writeUInt32LE(16, 4)
  if (kind === 'VP8 ') {
    chunk.writeUIntBE(0x9d012a, 11, 3)
    chunk.writeUInt16LE(width, 14)
    chunk.writeUInt16LE(height, 16)
  } else if (kind === 'VP8L') {
    chunk[8] = 0x2f
    chunk.writeUInt32LE((((height - 1) << 14) | (width - 1)) >>> 0, 9)
  } else {
    chunk[8] = flags
    chunk.writeUIntLE(width - 1, 12, 3)
    chunk.writeUIntLE(height - 1, 15, 3)
  }
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(4 + chunk.length, 4)
  return Buffer.concat([head, chunk])
}

export function jpegBytes(width: number, height: number, frame = 0xffc0): Buffer<ArrayBuffer> {
  const jfif = Buffer.from('\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')
  const sof = Buffer.alloc(19)
  sof.writeUInt16BE(frame, 0)
  sof.writeUInt16BE(17, 2)
  sof[4] = 8
  sof.writeUInt16BE(height, 5)
  sof.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.of(0xff, 0xd8), jfif, sof, Buffer.of(0xff, 0xd9)])
}

/**
 * A photo with the preview of a camera (Exif 2.32, section 4.6), and its orientation.
 *
 * @param options `photo`: a JPEG file without Exif, instead of only the beginning of one with this size
 */
export function photoBytes(
  preview: Buffer,
  {
    orientation = 1,
    isLittle = true,
    width = 4_000,
    height = 3_000,
    photo = jpegBytes(width, height),
  } = {},
): Buffer<ArrayBuffer> {
  const tiff = Buffer.alloc(56)
  const short = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)
  const long = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at)
  const entry = (at: number, tag: number, type: number, value: number) => {
    short(tag, at)
    short(type, at + 2)
    long(1, at + 4)
    if (type === 3) short(value, at + 8)
    else long(value, at + 8)
  }
  tiff.write(isLittle ? 'II' : 'MM', 'latin1')
  short(42, 2)
  long(8, 4)
  short(1, 8)
  entry(10, 0x0112, 3, orientation)
  long(26, 22)
  short(2, 26)
  entry(28, 0x0201, 4, 56)
  entry(40, 0x0202, 4, preview.length)
  const exif = Buffer.concat([Buffer.from('\xff\xe1\0\0Exif\0\0', 'latin1'), tiff, preview])
  exif.writeUInt16BE(exif.length - 2, 2)
  return Buffer.concat([photo.subarray(0, 2), exif, photo.subarray(2)])
}

/**
 * A TIFF file of one page, or more. All values are LONG, which is allowed for every tag here; a value `'data'` becomes the place
 * of `data`, which is behind the directories.
 */
export function tiffBytes(
  pages: readonly Readonly<Record<number, readonly number[] | 'data'>>[],
  data: Uint8Array = new Uint8Array(),
  isLittle = true,
): Buffer<ArrayBuffer> {
  const long = (value: number) => {
    const bytes = Buffer.alloc(4)
    if (isLittle) bytes.writeUInt32LE(value)
    else bytes.writeUInt32BE(value)
    return bytes
  }
  const short = (value: number) => long(value).subarray(...(isLittle ? [0, 2] : [2, 4]))
  const sizeOf = (page: (typeof pages)[number]) =>
    Object.values(page).reduce(
      (sum, values) => sum + 12 + (values.length > 1 && values !== 'data' ? 4 * values.length : 0),
      6,
    )
  const dataAt = pages.reduce((sum, page) => sum + sizeOf(page), 8)
  const written: Buffer[] = [Buffer.from(isLittle ? 'II' : 'MM'), short(42), long(8)]
  let at = 8
  for (const page of pages) {
    const entries = Object.entries(page)
    let more = at + 6 + 12 * entries.length
    const outside: Buffer[] = []
    written.push(short(entries.length))
    for (const [tag, given] of entries) {
      const values = given === 'data' ? [dataAt] : given
      const bytes = Buffer.concat(values.map(long))
      written.push(short(Number(tag)), short(4), long(values.length))
      written.push(values.length > 1 ? long(more) : bytes)
      if (values.length <= 1) continue
      outside.push(bytes)
      more += bytes.length
    }
    at += sizeOf(page)
    written.push(long(page === pages.at(-1) ? 0 : at), ...outside)
  }
  return Buffer.concat([...written, data])
}
