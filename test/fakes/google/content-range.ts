import { GoogleError } from './google-error.ts'

/** The Content-Range of a request to a session. */
export interface ContentRange {
  /** Where the bytes begin; absent if there are none. */
  readonly start?: number
  /** Where the bytes end, exclusive. */
  readonly end?: number
  /** Size of the whole file, if known. */
  readonly total?: number
}

/** `bytes 0-9/*`, `bytes 0-9/100`, `bytes *\/*` or `bytes *\/100`. @throws GoogleError */
export function parseContentRange(header: string): ContentRange {
  const match = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header)
  if (match === null) throw badRange('Failed to parse Content-Range header.')
  const [, first, last, size] = match
  const total = size === undefined || size === '*' ? {} : { total: Number(size) }
  if (first === undefined || last === undefined) return total
  const range = { start: Number(first), end: Number(last) + 1, ...total }
  const isInside = range.end > range.start && range.end <= (total.total ?? range.end)
  if (!isInside) throw badRange('Failed to parse Content-Range header.')
  return range
}

export function isLast({ end, total }: ContentRange): boolean {
  return end !== undefined && end === total
}

export function badRange(message: string): GoogleError {
  return new GoogleError('badRequest', { message: `Invalid request. ${message}` })
}
