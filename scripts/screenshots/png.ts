import { crc32, deflateSync, inflateSync } from 'node:zlib'

/**
 * PNG as far as screenshots need it (W3C, Portable Network Graphics, third edition): reads what
 * Chromium writes, eight bits a channel and not interlaced, and writes an image with a palette.
 */

/** Three bytes a pixel, red, green and blue, row by row. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgb: Uint8Array
}

export interface PaletteImage {
  readonly width: number
  readonly height: number
  /** At most 256, each 0xrrggbb. */
  readonly palette: readonly number[]
  /** For each pixel its place in the palette. */
  readonly indexes: Uint8Array
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Section 11.2.1: colour types, and how many bytes a pixel has. */
const channelsOf: Readonly<Record<number, number>> = { 2: 3, 6: 4 }
const paletteType = 3

/** @throws Error when it is no PNG of that form. */
export function readPng(file: Buffer): Pixels {
  if (!file.subarray(0, 8).equals(signature)) throw new Error('not a PNG')
  const chunks = chunksOf(file)
  const header = chunks.find(({ type }) => type === 'IHDR')?.data
  const channels = header === undefined ? undefined : channelsOf[header.readUInt8(9)]
  if (header === undefined || channels === undefined) throw new Error('a PNG of another form')
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const data = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  const rows = unfilter(inflateSync(Buffer.concat(data)), width * channels, channels)
  const rgb = new Uint8Array(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    rgb.set(rows.subarray(pixel * channels, pixel * channels + 3), pixel * 3)
  }
  return { width, height, rgb }
}

function chunksOf(file: Buffer): { readonly type: string; readonly data: Buffer }[] {
  const chunks = []
  for (let at = signature.length; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at)
    chunks.push({
      type: file.toString('latin1', at + 4, at + 8),
      data: file.subarray(at + 8, end),
    })
    at = end + 4
  }
  return chunks
}

/** Section 9.2: each row begins with the way its bytes are foretold from their neighbours. */
function unfilter(filtered: Buffer, rowBytes: number, channels: number): Uint8Array {
  const rows = new Uint8Array((filtered.length / (rowBytes + 1)) * rowBytes)
  for (let row = 0, at = 0; at < rows.length; row += 1) {
    const from = row * (rowBytes + 1) + 1
    const foretell = predictors[filtered[from - 1] ?? 0] ?? predictors[0]
    for (let column = 0; column < rowBytes; column += 1, at += 1) {
      const isFirst = column < channels
      const left = isFirst ? 0 : (rows[at - channels] ?? 0)
      const above = rows[at - rowBytes] ?? 0
      const corner = isFirst ? 0 : (rows[at - rowBytes - channels] ?? 0)
      rows[at] = (filtered[from + column] ?? 0) + foretell(left, above, corner)
    }
  }
  return rows
}

const predictors = [
  () => 0,
  (left: number) => left,
  (_left: number, above: number) => above,
  (left: number, above: number) => (left + above) >> 1,
  paeth,
] as const

function paeth(left: number, above: number, corner: number): number {
  const toLeft = Math.abs(above - corner)
  const toAbove = Math.abs(left - corner)
  const toCorner = Math.abs(left + above - 2 * corner)
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}

export function writePng({ width, height, palette, indexes }: PaletteImage): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, paletteType], 8)
  // Section 12.7: images with a palette are best left unfiltered.
  const rows = new Uint8Array(height * (width + 1))
  for (let row = 0; row < height; row += 1) {
    rows.set(indexes.subarray(row * width, (row + 1) * width), row * (width + 1) + 1)
  }
  const colours = Uint8Array.from(
    palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
  )
  const data = deflateSync(rows, { level: 9, memLevel: 9 })
  const chunks = [chunk('IHDR', header), chunk('PLTE', colours), chunk('IDAT', data)]
  return Buffer.concat([signature, ...chunks, chunk('IEND', new Uint8Array())])
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}
