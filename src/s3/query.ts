import { S3Error } from './errors.ts'

/** The decoded query of a request. The raw bytes stay in HttpRequest.rawQuery, for signatures. */
export type Query = ReadonlyMap<string, string>

const emptyQuery: Query = new Map()

/**
 * Decodes a raw query: `&` separates, the first `=` splits, `+` is a space as AWS and every form
 * encoder have it. Of a repeated name the first value counts. A name without `=` has the value ''.
 *
 * @throws S3Error InvalidURI when an escape is broken or not UTF-8.
 */
export function parseQuery(rawQuery: string): Query {
  if (rawQuery === '') return emptyQuery
  const query = new Map<string, string>()
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeComponent(equals < 0 ? pair : pair.slice(0, equals))
    if (!query.has(name)) query.set(name, equals < 0 ? '' : decodeComponent(pair.slice(equals + 1)))
  }
  return query
}

function decodeComponent(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  return percentDecode(spaced)
}

const escapedOrRaw = /[%\u0080-\u00ff]/

/**
 * Decodes `%XX` escapes of UTF-8. Bytes above 0x7F that came unescaped (latin1 characters here) are
 * taken as UTF-8 as well.
 *
 * @throws S3Error InvalidURI when an escape is broken or the bytes are not UTF-8.
 */
export function percentDecode(text: string): string {
  if (!escapedOrRaw.test(text)) return text
  try {
    const escaped = text.replace(
      /[\u0080-\u00ff]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16)}`,
    )
    return decodeURIComponent(escaped)
  } catch (cause) {
    throw new S3Error('InvalidURI', 'The URI has a percent escape that is broken or not UTF-8.', {
      cause,
    })
  }
}
