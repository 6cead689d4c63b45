/** The beginning of WebP and JPEG files with a size: what tells their form, without a picture. */

/** @param kind of the first chunk, `VP8X` with its flags */
export function webpBytes(kind: string, width: number, height: number, flags = 0): Buffer {
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

export function jpegBytes(width: number, height: number, frame = 0xffc0): Buffer {
  const jfif = Buffer.from('\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')
  const sof = Buffer.alloc(19)
  sof.writeUInt16BE(frame, 0)
  sof.writeUInt16BE(17, 2)
  sof[4] = 8
  sof.writeUInt16BE(height, 5)
  sof.writeUInt16BE(width, 7)
  return Buffer.concat([Buffer.of(0xff, 0xd8), jfif, sof, Buffer.of(0xff, 0xd9)])
}
