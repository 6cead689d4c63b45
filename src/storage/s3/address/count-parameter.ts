import type { S3Service } from '../context.ts'
import { invalidArgument } from '../errors.ts'

/** Higher values are not 32-bit integers and are refused. */
const greatestInteger = 2_147_483_647

/** The least number of uploads or parts that a page may be limited to. */
export function leastOnPage({ compatibility }: Pick<S3Service, 'compatibility'>): 0 | 1 {
  return compatibility.pageMaximums ? 0 : 1
}

/**
 * A count that limits a page, such as max-keys.
 *
 * @param limits Higher values count as `max`, as in S3. `max` is also the default.
 * @throws S3Error InvalidArgument when it is not an integer or is below the minimum.
 */
export function parseCount(
  name: string,
  text: string | undefined,
  limits: { readonly min: number; readonly max: number },
): number {
  if (text === undefined) return limits.max
  const count = /^\d{1,10}$/.test(text) ? Number(text) : -1
  if (count >= limits.min && count <= greatestInteger) return Math.min(count, limits.max)
  throw invalidArgument(
    name,
    text,
    `Provided ${name} not an integer or within integer range: ${limits.min} to ${greatestInteger}.`,
  )
}
