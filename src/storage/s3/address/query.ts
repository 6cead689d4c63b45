import type { Compatibility } from '../compatibility.ts'
import { invalidArgument, S3Error } from '../errors.ts'

/** The decoded query of a request. The raw bytes stay in HttpRequest.rawQuery, for signatures. */
export type Query = ReadonlyMap<string, string>

const emptyQuery: Query = new Map()

const maxParameters = 1000

/**
 * Refuses a query that would take long to sort and decode. A presigned URL with the maximum of user metadata stays far
 * below the limit.
 *
 * @throws S3Error InvalidArgument for more than 1,000 parameters
 */
export function refuseManyParameters(rawQuery: string): void {
  let count = 1
  for (let at = rawQuery.indexOf('&'); at >= 0; at = rawQuery.indexOf('&', at + 1)) count += 1
  if (count > maxParameters) {
    throw new S3Error('InvalidArgument', `The query has more than ${maxParameters} parameters.`)
  }
}

/**
 * Decodes a raw query. As in AWS and HTML forms, `+` is a space; a name without `=` has the value ''. Of a repeated name,
 * the value that sorts first counts, because a signature does not cover the order of parameters.
 *
 * @throws S3Error InvalidURI if an escape is invalid or not UTF-8
 */
export function parseQuery(rawQuery: string): Query {
  if (rawQuery === '') return emptyQuery
  const query = new Map<string, string>()
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeComponent(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decodeComponent(pair.slice(equals + 1))
    const other = query.get(name)
    if (other === undefined || value < other) query.set(name, value)
  }
  return query
}

function decodeComponent(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  return percentDecode(spaced)
}

const raw = /[\u0080-\u00ff]/

function escapedRaw(text: string): string {
  return text.replace(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
}

/**
 * Decodes `%XX` escapes of UTF-8. Unescaped bytes above 0x7F, which are latin1 characters here, are UTF-8 as well.
 *
 * @throws S3Error InvalidURI if an escape is invalid or the bytes are not UTF-8
 */
export function percentDecode(text: string): string {
  const hasRaw = raw.test(text)
  if (!hasRaw && !text.includes('%')) return text
  try {
    return decodeURIComponent(hasRaw ? escapedRaw(text) : text)
  } catch (cause) {
    throw new S3Error(
      'InvalidURI',
      'The URI has an invalid percent escape or one that is not UTF-8.',
      {
        cause,
      },
    )
  }
}

/** The maximum 32-bit integer. Higher values are refused. */
const greatestInteger = 2_147_483_647

/** The minimum of max-uploads and max-parts. */
export function leastOnPage({ compatibility }: { readonly compatibility: Compatibility }): 0 | 1 {
  return compatibility.pageMaximums ? 0 : 1
}

/**
 * A count that limits a page, such as max-keys.
 *
 * @param limits `max` is the default and, as in S3, replaces higher values
 * @throws S3Error InvalidArgument if it is not an integer or is below the minimum
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
