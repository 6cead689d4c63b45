import UTIF from 'utif2'
import type { TiffDirectory } from './tiff-directories.ts'

/** While a fax is decoded, each row is an array with one element for each pixel. */
export const maxWidth = 65_535

// The library looks for a converter of CMYK in `window`, which threads do not have.
Object.assign(globalThis, { window: globalThis })

const { decode } = UTIF as unknown as {
  /** The library's decoders of faxes call it for each run of equal pixels. */
  readonly decode: { _addNtimes: (row: number[], length: number, value: number) => void }
}

/** The library's own function does not limit a row: 90 KB of a file can take 1 GB of memory. */
decode._addNtimes = (row, length, value) => {
  if (row.length + length > maxWidth) throw new RangeError('a row of a fax does not end')
  for (let index = 0; index < length; index += 1) row.push(value)
}

/** The pixels of a page by utif2, which believes its numbers: the caller has checked them. */
export function decodedPage(file: Uint8Array<ArrayBuffer>, page: TiffDirectory) {
  const picture = Object.fromEntries([...page].map(([tag, values]) => [`t${tag}`, [...values]]))
  const decoded = picture as unknown as UTIF.IFD
  const isWhole = file.length === file.buffer.byteLength
  UTIF.decodeImage(isWhole ? file.buffer : file.slice().buffer, decoded)
  const { width, height } = decoded
  const rgba = new Uint8ClampedArray(UTIF.toRGBA8(decoded).buffer as ArrayBuffer)
  return { rgba, width, height }
}
