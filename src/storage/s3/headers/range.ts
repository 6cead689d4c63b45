import type { Attributes, PartSizes, StoredChecksum } from '../../drives/attributes.ts'
import { formatHttpDate, parseHttpDate } from './dates.ts'
import { parseIfMatch } from './preconditions.ts'

/** Bytes from `start` up to but not including `end`. */
export interface ObjectRange {
  readonly start: number
  readonly end: number
}

type RangeOutcome = ObjectRange | 'whole' | 'unsatisfiable'

/** RFC 9110 section 14.1.1. Node removes white space around a field. */
const oneByteRange = /^bytes=(\d*)-(\d*)$/i

/**
 * Resolves a Range field (RFC 9110 section 14). As in S3, the reply to several ranges, another unit or a malformed field is
 * the whole object. No range of an empty object can be satisfied.
 */
export function resolveRange(field: string, size: number): RangeOutcome {
  const match = oneByteRange.exec(field)
  if (match === null) return 'whole'
  const [, first = '', last = ''] = match
  if (first === '') return last === '' ? 'whole' : resolveSuffix(Number(last), size)
  const start = Number(first)
  const lastByte = last === '' ? Number.POSITIVE_INFINITY : Number(last)
  if (lastByte < start) return 'whole'
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(lastByte + 1, size) }
}

function resolveSuffix(length: number, size: number): RangeOutcome {
  if (length === 0 || size === 0) return 'unsatisfiable'
  return { start: Math.max(0, size - length), end: size }
}

/** The Content-Range of a range that is not empty: `bytes 0-9/100`. */
export function contentRange({ start, end }: ObjectRange, size: number): string {
  return `bytes ${start}-${end - 1}/${size}`
}

/**
 * Whether an If-Range field names this version by strong ETag or exact Last-Modified (RFC 9110 section 13.1.5). Otherwise
 * the Range field is ignored.
 */
export function isSameVersion(
  ifRange: string,
  version: { readonly etag: string; readonly modifiedAtMs: number },
): boolean {
  if (parseHttpDate(ifRange) !== undefined) return ifRange === formatHttpDate(version.modifiedAtMs)
  return parseIfMatch(ifRange).includes(version.etag)
}

/** The number of parts in which an object was uploaded. */
export function countParts(partSizes: PartSizes): number {
  let parts = 0
  for (const [count] of partSizes) parts += count
  return parts
}

/** The range of part `partNumber`, counted from 1; undefined if there are fewer parts. */
export function partRange(partSizes: PartSizes, partNumber: number): ObjectRange | undefined {
  let before = partNumber - 1
  let start = 0
  for (const [count, sizeBytes] of partSizes) {
    if (before < count) {
      start += before * sizeBytes
      return { start, end: start + sizeBytes }
    }
    before -= count
    start += count * sizeBytes
  }
  return undefined
}

/** The checksum of part `partNumber`, counted from 1; undefined if it was not stored. */
export function partChecksum(
  { checksum, partChecksums }: Attributes,
  partNumber: number,
): StoredChecksum | undefined {
  const value = partChecksums?.[partNumber - 1]
  return checksum && value !== undefined ? { ...checksum, value } : undefined
}
