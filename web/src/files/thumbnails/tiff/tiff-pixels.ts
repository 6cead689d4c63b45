import { maxFileBytes, maxPixels } from '../thumbnail-limits.ts'
import type { ObjectParts } from '../worker/object-parts.ts'
import { decodedPage, maxWidth } from './decoded-page.ts'
import { numberOf, type TiffDirectory, tags } from './tiff-directories.ts'

/** What the library decodes here: no compression, fax (2, 3, 4), LZW and PackBits (TIFF 6.0, section 8). */
const compressions: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 32_773])

/** ZIP, which the browser decompresses (TIFF Technical Note 3), and its first number. */
const deflates: ReadonlySet<number> = new Set([8, 32_946])

/** Bytes of the pixels: RGB with 16 bits at the limit of pixels would be 384 MB. */
const maxBytes = 4 * maxPixels

/**
 * Decodes a page. Its size is checked before anything is decoded, and the library gets only numbers that have been read
 * here: its own reader follows directories without end. Undefined if it is too large or compressed in another way.
 */
export async function tiffPixels(
  parts: ObjectParts,
  page: TiffDirectory,
): Promise<ImageData | undefined> {
  const one = (tag: number, otherwise: number) => numberOf(page, tag) ?? otherwise
  const [width, height] = [one(tags.width, 0), one(tags.height, 0)]
  const bitsPerPixel = one(tags.bits, 1) * one(tags.samples, 1)
  const pixels = width * height
  if (pixels === 0 || pixels > maxPixels || width > maxWidth) return undefined
  if (bitsPerPixel > 128 || (pixels * bitsPerPixel) / 8 > maxBytes) return undefined
  const isPlanar = one(tags.planes, 1) === 2 && one(tags.samples, 1) > 1
  if (isPlanar || parts.size > maxFileBytes) return undefined
  const compression = one(tags.compression, 1)
  const isDeflated = deflates.has(compression)
  if (!isDeflated && !compressions.has(compression)) return undefined
  const isTiled = page.has(tags.tileWidth)
  const rowBytes = Math.ceil((width * bitsPerPixel) / 8)
  const pieceBytes = isTiled
    ? Math.ceil((one(tags.tileWidth, 0) * one(tags.tileHeight, 0) * bitsPerPixel) / 8)
    : rowBytes * Math.min(height, one(tags.rowsPerStrip, height))
  if (pieceBytes > maxBytes) return undefined
  const whole = { file: await parts.read(0, parts.size), page }
  return pixelsOf(isDeflated ? await inflated(whole, pieceBytes) : whole)
}

interface TiffPage {
  readonly file: Uint8Array<ArrayBuffer>
  readonly page: TiffDirectory
}

function pixelsOf({ file, page }: TiffPage): ImageData {
  const { rgba, width, height } = decodedPage(file, page)
  return new ImageData(rgba, width, height)
}

/** The same page with its strips or tiles without compression. A piece is not longer than its pixels. */
async function inflated({ file, page }: TiffPage, pieceBytes: number): Promise<TiffPage> {
  const [atTag, lengthTag] = page.has(tags.tileWidth)
    ? [tags.tileAt, tags.tileLength]
    : [tags.stripAt, tags.stripLength]
  const ends = page.get(lengthTag) ?? []
  const [at, lengths, pieces]: [number[], number[], Uint8Array[]] = [[], [], [file.subarray(0, 8)]]
  let end = 8
  for (const [index, start] of (page.get(atTag) ?? []).entries()) {
    const piece = await inflate(file.subarray(start, start + (ends[index] ?? 0)), pieceBytes)
    if (end + piece.length > maxBytes + 8) throw new RangeError('too many pixels')
    pieces.push(piece)
    at.push(end)
    lengths.push(piece.length)
    end += piece.length
  }
  const plain = new Map(page)
  plain.set(tags.compression, [1]).set(atTag, at).set(lengthTag, lengths)
  return { file: new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer()), page: plain }
}

async function inflate(bytes: Uint8Array<ArrayBuffer>, most: number): Promise<Uint8Array> {
  const piece = new Uint8Array(most)
  let length = 0
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  const reader = stream.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    const part = step.value.subarray(0, most - length)
    piece.set(part, length)
    length += part.length
    if (length === most) break
  }
  await reader.cancel()
  return piece
}
