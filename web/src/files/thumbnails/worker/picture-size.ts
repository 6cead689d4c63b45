export interface PictureSize {
  readonly width: number
  readonly height: number
}

/**
 * The size that the header of a picture claims, before anything is decoded: a file of some KB can claim to have billions
 * of pixels. Undefined if it is not a picture of a known kind.
 */
export function pictureSize(file: Uint8Array): PictureSize | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  try {
    for (const { magic, at, read } of kinds) {
      if (textAt(view, at, magic.length) === magic) return read(view)
    }
  } catch (error) {
    // The file ends within its header.
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

interface PictureKind {
  readonly magic: string
  readonly at: number
  readonly read: (view: DataView) => PictureSize | undefined
}

const kinds: readonly PictureKind[] = [
  { magic: '\x89PNG\r\n\x1a\n', at: 0, read: (view) => pngSize(view) },
  { magic: '\xff\xd8\xff', at: 0, read: (view) => jpegSize(view) },
  { magic: 'GIF8', at: 0, read: (view) => gifSize(view) },
  { magic: 'WEBP', at: 8, read: (view) => webpSize(view) },
  { magic: 'ftyp', at: 4, read: (view) => avifSize(view) },
  { magic: 'BM', at: 0, read: (view) => bmpSize(view) },
]

function pngSize(view: DataView): PictureSize {
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** Width and height are signed: a negative height means that the rows are stored from the top down. */
function bmpSize(view: DataView): PictureSize {
  return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) }
}

/** ITU-T T.81, annex B: the frame header, which has several kinds. */
function jpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; ; ) {
    const marker = view.getUint16(at)
    if (marker === 0xffff) {
      // Fill bytes before a marker.
      at += 1
      continue
    }
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf
    if (isFrame && ![0xffc4, 0xffc8, 0xffcc].includes(marker)) {
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    }
    if (marker < 0xffc0 || marker === 0xffda) return undefined
    at += 2 + Math.max(2, view.getUint16(at + 2))
  }
}

/** The logical screen, or the first frame if that is larger: browsers then enlarge the screen. */
function gifSize(view: DataView): PictureSize | undefined {
  const screen = { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  const flags = view.getUint8(10)
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  // Extensions: a label, and blocks up to an empty one.
  while (view.getUint8(at) === 0x21) {
    at += 2
    while (view.getUint8(at) !== 0) at += 1 + view.getUint8(at)
    at += 1
  }
  if (view.getUint8(at) !== 0x2c) return undefined
  const [left, top, width, height] = [1, 3, 5, 7].map((field) => view.getUint16(at + field, true))
  return {
    width: Math.max(screen.width, (left ?? 0) + (width ?? 0)),
    height: Math.max(screen.height, (top ?? 0) + (height ?? 0)),
  }
}

/** RFC 9649. */
function webpSize(view: DataView): PictureSize | undefined {
  switch (textAt(view, 12, 4)) {
    case 'VP8 ':
      return {
        width: view.getUint16(26, true) & 0x3fff,
        height: view.getUint16(28, true) & 0x3fff,
      }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: (view.getUint32(26, true) >>> 8) + 1,
      }
  }
  return undefined
}

/** The number of bytes that are searched for properties of pictures. */
const avifHeader = 64 * 1024

/** ISO/IEC 23008-12: each picture in the file has a property with its size. The largest counts. */
function avifSize(view: DataView): PictureSize | undefined {
  const head = textAt(view, 0, Math.min(avifHeader, view.byteLength))
  if (!/^avi[fs]$/.test(head.slice(8, 12)) && !head.slice(8, 64).includes('avif')) return undefined
  let [width, height] = [0, 0]
  for (const { index } of head.matchAll(/ispe/g)) {
    width = Math.max(width, view.getUint32(index + 8))
    height = Math.max(height, view.getUint32(index + 12))
  }
  return width > 0 ? { width, height } : undefined
}

function textAt(view: DataView, at: number, length: number): string {
  const end = Math.min(view.byteLength, at + length)
  let text = ''
  for (let index = at; index < end; index++) text += String.fromCharCode(view.getUint8(index))
  return text
}
