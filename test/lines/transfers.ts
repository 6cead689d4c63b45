import type { PiecePlan, UploadPlan } from '../support/bucket-client.ts'
import { Random } from '../support/random.ts'

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/** The transfer of one test. Sizes are in bytes. */
export type Transfer =
  | { readonly kind: 'put'; readonly size: number }
  | { readonly kind: 'multipart'; readonly upload: SizedUpload }
  | { readonly kind: 'copy'; readonly source: SizedUpload }
  | { readonly kind: 'part-copy'; readonly size: number; readonly pieces: readonly PiecePlan[] }

/** An upload of an object of that size. */
interface SizedUpload extends UploadPlan {
  readonly size: number
}

/** Smallest and largest size; in between, all magnitudes are equally likely. */
type Range = readonly [least: number, most: number]
const small: Range = [1, mebibyte]
const medium: Range = [mebibyte, 16 * mebibyte]
const large: Range = [16 * mebibyte, 64 * mebibyte]
const partSizes: Range = [256 * kibibyte, 8 * mebibyte]
const mostParts = 20

/** The transfers of one run: the same for the same seed. */
export function planTransfers(seed: string): readonly Transfer[] {
  const random = new Random(Number.parseInt(seed, 16))
  const put = (range: Range): Transfer => ({ kind: 'put', size: sizeIn(random, range) })
  const multipart = (range: Range): Transfer => ({
    kind: 'multipart',
    upload: uploadOf(random, range),
  })
  return [
    random.pick([put, multipart])(large),
    ...[medium, medium, medium].map(multipart),
    ...[medium, medium, small, small, small].map(put),
    { kind: 'copy', source: uploadOf(random, medium) },
    { kind: 'copy', source: { ...uploadOf(random, medium), partSize: large[1] } },
    partCopy(random),
  ]
}

export function titleOf(transfer: Transfer): string {
  if (transfer.kind === 'put') return `PutObject of ${transfer.size} bytes`
  if (transfer.kind === 'multipart') return `an upload of ${uploadTitle(transfer.upload)}`
  if (transfer.kind === 'copy') return `CopyObject of ${uploadTitle(transfer.source)}`
  const pieces = transfer.pieces.map(({ start, end, isCopied }) => {
    return `${isCopied ? 'copied' : 'sent'} ${start}-${end - 1}`
  })
  return `UploadPartCopy: ${pieces.join(', ')}`
}

function uploadTitle({ size, partSize, parallel }: SizedUpload): string {
  if (partSize >= size) return `${size} bytes in one part`
  return `${size} bytes in parts of ${partSize}, ${parallel} at once`
}

function uploadOf(random: Random, range: Range): SizedUpload {
  const size = sizeIn(random, range)
  const partSize = Math.max(sizeIn(random, partSizes), Math.ceil(size / mostParts))
  return { size, partSize, parallel: random.integer(1, 10) }
}

/** Alternately copied and sent parts. */
function partCopy(random: Random): Transfer {
  const size = sizeIn(random, medium)
  const cuts = [0, ...Array.from({ length: 3 }, () => random.integer(1, size - 1)), size]
  cuts.sort((a, b) => a - b)
  const pieces = cuts.slice(1).map((end, index) => {
    return { start: cuts[index] ?? 0, end, isCopied: index % 2 === 0 }
  })
  return { kind: 'part-copy', size, pieces: pieces.filter(({ start, end }) => end > start) }
}

function sizeIn(random: Random, [least, most]: Range): number {
  return Math.floor(least * (most / least) ** random.next())
}
