import type { IncomingHttpHeaders } from 'node:http'
import type { Query } from '../address/query.ts'
import { invalidArgument, S3Error } from '../errors.ts'

/** RFC 9110 section 5.1, in lower case. */
export const fieldName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/

/** RFC 9110 section 5.5, as Node accepts it: tab, space, visible ASCII and latin1. */
export const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Removes spaces and tabs around a field value (RFC 9110 section 5.5). String.trim would also remove a byte 0xA0, such as
 * the last one of `à` in UTF-8.
 */
export function withoutOuterSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start += 1
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/**
 * Headers whose empty value differs from no header. Without them, a lost digest would not be noticed, a copy would write
 * an empty object, and metadata would be lost.
 */
const meansSomethingEmpty =
  /^(?:content-md5|x-amz-(?:checksum-(?!algorithm$|mode$|type$).*|copy-source|decoded-content-length|meta-.*))$/

/**
 * Removes headers with an empty value, which S3 treats as absent: SDKs send them for parameters with an empty text. Call it
 * after authentication, because a signature covers them.
 */
export function removeEmptyHeaders(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    if (headers[name] === '' && !meansSomethingEmpty.test(name)) delete headers[name]
  }
}

/**
 * Current SDKs move x-amz-* header fields into the query of a presigned URL, and S3 reads them there: x-amz-meta-*,
 * x-amz-acl, x-amz-copy-source … If they were ignored, a presigned CopyObject would be a PutObject with an empty body.
 *
 * Excluded are the parameters of the signature, those that describe a body, and checksums: the SDK for JavaScript signs
 * one for a body that it does not have yet, and S3 does not verify it (https://github.com/aws/aws-sdk/issues/480).
 */
const notHoisted =
  /^x-amz-(?:algorithm|checksum-(?!algorithm$|mode$|type$).*|content-sha256|credential|date|decoded-content-length|expires|sdk-checksum-algorithm|security-token|signature|signedheaders|trailer|user-agent)$/

const ascii = /^[\0-\x7f]*$/

/** UTF-8 bytes as latin1 characters. */
function latin1Of(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/**
 * The header fields in the query of a presigned request.
 *
 * @throws S3Error as headerFieldOf
 */
export function* hoistedHeaders(query: Query): Generator<readonly [name: string, value: string]> {
  for (const [parameter, text] of query) {
    const name = parameter.toLowerCase()
    if (!name.startsWith('x-amz-') || notHoisted.test(name)) continue
    yield headerFieldOf(parameter, text)
  }
}

/**
 * A parameter as a header field: the name in lower case, and the value in latin1, one character per byte.
 *
 * @throws S3Error InvalidArgument for a name or value that a header field cannot have
 */
export function headerFieldOf(parameter: string, text: string): readonly [string, string] {
  const name = parameter.toLowerCase()
  const value = withoutOuterSpace(ascii.test(text) ? text : latin1Of(text))
  if (fieldName.test(name) && fieldValue.test(value)) return [name, value]
  throw invalidArgument(parameter, text, 'The parameter cannot be sent as a header.')
}

/**
 * Adds the header fields in the query of a presigned request to its headers. Both must agree, because an unsigned header
 * must not replace a signed parameter.
 *
 * @throws S3Error as hoistedHeaders; AccessDenied for a field with two values
 */
export function addHoistedHeaders(headers: IncomingHttpHeaders, query: Query): void {
  for (const [name, value] of hoistedHeaders(query)) {
    if (headers[name] !== undefined && headers[name] !== value) {
      throw new S3Error(
        'AccessDenied',
        `The query and the headers have different values for ${JSON.stringify(name)}.`,
      )
    }
    headers[name] = value
  }
}
