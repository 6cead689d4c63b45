/** The growth of pauses between attempts, before jitter. */
export interface BackOff {
  readonly firstMs: number
  readonly longestMs: number
}

/**
 * Milliseconds to wait before the next attempt. The wait doubles each time. Up to half of it is
 * random, so that callers that failed together do not retry together.
 *
 * @param failures the number of failed attempts, at least 1.
 */
export function backOffMs(
  failures: number,
  { firstMs, longestMs }: BackOff,
  random: () => number,
): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** (failures - 1))
  return Math.round(ceiling / 2 + (ceiling / 2) * random())
}

/**
 * The wait of a Retry-After header, which is in seconds or a date (RFC 9110 section 10.2.3).
 * Undefined if it is missing or invalid.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
