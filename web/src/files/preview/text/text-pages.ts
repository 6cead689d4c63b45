import type { ByteRange } from '../../s3/byte-range.ts'
import { decode, type WideEncoding } from './text-decoding.ts'

/** A page of a long text: as much as a browser lays out quickly. */
export const pageBytes = 256 * 1024

/** How far beyond the end of a page its last line may reach. */
const tailBytes = 4 * 1024

const newline = 0x0a

export function pageCount(size: number): number {
  return Math.max(1, Math.ceil(size / pageBytes))
}

/** The bytes that show where a page begins and ends, including some around its limits. */
export function pageRange(page: number, size: number): ByteRange {
  const first = page === 0 ? 0 : page * pageBytes - 1
  return { first, last: Math.min(size, (page + 1) * pageBytes + tailBytes) - 1 }
}

/** The text of a page, from the bytes of its `pageRange`: whole lines, unless they are very long. */
export function pageText(
  bytes: Uint8Array<ArrayBuffer>,
  page: number,
  size: number,
  wide: WideEncoding | undefined,
): string {
  const isLast = page === pageCount(size) - 1
  const cut = wide === undefined ? afterLine : afterByte
  const start = page === 0 ? 0 : cut(bytes, 0)
  const end = isLast ? bytes.length : cut(bytes, pageBytes - (page === 0 ? 1 : 0))
  return decode(bytes.subarray(start, end), wide)
}

/** The position after the line that contains the byte before a limit; without a line end, after a character. */
function afterLine(bytes: Uint8Array, at: number): number {
  const end = bytes.subarray(at, at + tailBytes).indexOf(newline)
  if (end >= 0) return at + end + 1
  const isContinued = (index: number) => ((bytes[index] ?? 0) & 0xc0) === 0x80
  let next = at + 1
  while (next <= at + 3 && isContinued(next)) next += 1
  return next
}

const afterByte = (_bytes: Uint8Array, at: number) => at + 1
