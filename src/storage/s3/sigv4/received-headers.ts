import type { IncomingHttpHeaders } from 'node:http'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { S3Error } from '../errors.ts'
import { withoutOuterSpace } from '../headers/request-fields.ts'
import type { SignedHeader } from './canonical-request.ts'

/** AWS SDKs for Java v2 and Go v2 send each value of these in a separate header (GetObjectAttributes, ListObjectsV2). */
const listHeaders: ReadonlySet<string> = new Set([
  'x-amz-object-attributes',
  'x-amz-optional-object-attributes',
])

/**
 * The signed headers of a request with normalised values: trimmed, inner runs of spaces as one space, repeated headers
 * joined by a comma (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html, step 1).
 * A header that was not received has an empty value. The time is linear, because the sender chooses both lists.
 *
 * @param normalised Version 2 only trims values
 */
export function signedHeaderValues(
  request: Pick<HttpRequest, 'headers' | 'rawHeaders'>,
  names: ReadonlySet<string>,
  normalised: (value: string) => string = normalisedValue,
): SignedHeader[] {
  return valuesSentOnce(request, names, normalised) ?? joinedValues(request, names, normalised)
}

/** Undefined if any header is repeated, or node:http holds one of the names as a list. Takes half of the time of `joinedValues`. */
function valuesSentOnce(
  { headers, rawHeaders }: Pick<HttpRequest, 'headers' | 'rawHeaders'>,
  names: ReadonlySet<string>,
  normalised: (value: string) => string,
): SignedHeader[] | undefined {
  if (2 * Object.keys(headers).length !== rawHeaders.length) return undefined
  const signed: SignedHeader[] = []
  for (const name of names) {
    const value = headers[name] ?? ''
    if (typeof value !== 'string') return undefined
    signed.push({ name, value: normalised(value) })
  }
  return signed
}

function joinedValues(
  { rawHeaders }: Pick<HttpRequest, 'rawHeaders'>,
  names: ReadonlySet<string>,
  normalised: (value: string) => string,
): SignedHeader[] {
  const values = new Map<string, string>()
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    if (!names.has(name)) continue
    const value = normalised(rawHeaders[i + 1] ?? '')
    const before = values.get(name)
    values.set(name, before === undefined ? value : `${before},${value}`)
  }
  return Array.from(names, (name) => ({ name, value: values.get(name) ?? '' }))
}

/**
 * Checks that the service uses the signed values: for some repeated headers, node:http returns only the first
 * (https://nodejs.org/api/http.html#messageheaders), while a signature covers all.
 *
 * @throws S3Error AccessDenied, which names the header
 */
export function checkRepeatedHeaders(
  headers: IncomingHttpHeaders,
  signed: readonly SignedHeader[],
  normalised: (value: string) => string = normalisedValue,
): void {
  for (const { name, value } of signed) {
    if (!value.includes(',')) continue
    const shown = headers[name]
    if (
      typeof shown === 'string' &&
      isSameValue(name, { shown, normalised: normalised(shown) }, value)
    )
      continue
    throw new S3Error('AccessDenied', `The signed header ${name} must be sent once.`)
  }
}

/**
 * node:http joins repeated headers by `, `, a signature by `,`. The space has no meaning in a list (RFC 9110 section
 * 5.6.1), but `x-amz-copy-source: a/b,c` in two headers would name another object, as would `a/b` and an empty one, which
 * become `a/b, `. If node:http has kept only the first value, it is shorter than the signed one.
 */
function isSameValue(
  name: string,
  { shown, normalised }: { readonly shown: string; readonly normalised: string },
  signed: string,
): boolean {
  const isOneValue =
    name.startsWith('x-amz-') && !name.startsWith('x-amz-meta-') && !listHeaders.has(name)
  if (!isOneValue) return normalised.length >= signed.length
  return normalised === signed && withoutOuterSpace(shown) === shown
}

/** Whether a header was received more than once. `name` is in lower case. */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const received = rawHeaders[i] ?? ''
    // Comparing lengths first avoids most conversions to lower case.
    if (received.length === name.length && received.toLowerCase() === name) count += 1
  }
  return count > 1
}

function normalisedValue(value: string): string {
  const trimmed = withoutOuterSpace(value)
  return trimmed.includes('  ') ? trimmed.replace(/ {2,}/g, ' ') : trimmed
}
