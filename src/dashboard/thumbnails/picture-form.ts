/** The maximum width and height in pixels. */
const maxSide = 256
/**
 * Bytes. A picture of noise with the maximum width and height takes 42 KiB at the quality that the dashboard
 * requests.
 */
export const maxPictureBytes = 48 * 1024

/** The picture at an address never changes: another version of the object has another ETag, and so another address. */
export const pictureHeaders = [
  ['cache-control', 'private, max-age=31536000, immutable'],
  // The browser cache returns a picture only to the session that requested it.
  ['vary', 'authorization'],
  ['content-security-policy', "sandbox; default-src 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
] as const

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/**
 * The media type of a picture that may be stored as a thumbnail: a complete, still WebP or JPEG file of at most 256
 * × 256 pixels. Undefined for everything else, so that nothing is stored that a browser could interpret as a page or
 * a script.
 */
export function pictureType(bytes: Uint8Array): 'image/webp' | 'image/jpeg' | undefined {
  if (bytes.length < 32 || bytes.length > maxPictureBytes) return undefined
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (isSmall(webpSize(view))) return 'image/webp'
  const isComplete = view.readUInt16BE(view.length - 2) === 0xffd9
  return isComplete && isSmall(jpegSize(view)) ? 'image/jpeg' : undefined
}

function isSmall(size: PictureSize | undefined): boolean {
  if (size === undefined) return false
  const { width, height } = size
  return width > 0 && width <= maxSide && height > 0 && height <= maxSide
}

/** RFC 9649, sections 2.3 to 2.7: the size is in the first chunk. */
function webpSize(file: Buffer): PictureSize | undefined {
  if (textAt(file, 0) !== 'RIFF' || textAt(file, 8) !== 'WEBP') return undefined
  if (file.readUInt32LE(4) + 8 !== file.length) return undefined
  switch (textAt(file, 12)) {
    case 'VP8 ':
      // RFC 6386 section 9.1: a key frame, its start code, 14 bits each.
      if (((file[20] ?? 1) & 1) === 1 || file.readUIntBE(23, 3) !== 0x9d012a) return undefined
      return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      if (file[20] !== 0x2f) return undefined
      const bits = file.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      if (((file[20] ?? 0) & animation) !== 0) return undefined
      return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 }
  }
  return undefined
}

const animation = 0b10

/** ITU-T T.81, annex B: segments with a length; the frame header has the size. */
export function jpegSize(file: Buffer): PictureSize | undefined {
  if (file.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= file.length; ) {
    const marker = file.readUInt16BE(at)
    // Baseline, extended and progressive, which browsers write and read.
    if (marker >= 0xffc0 && marker <= 0xffc2) {
      return { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) }
    }
    if (marker < 0xffc4 || marker === 0xffda) return undefined
    at += 2 + file.readUInt16BE(at + 2)
  }
  return undefined
}

function textAt(file: Buffer, at: number): string {
  return file.toString('latin1', at, at + 4)
}
