import type { IncomingHttpHeaders } from 'node:http'
import type { Query } from '../address/query.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { fieldName, fieldValue, withoutOuterSpace } from './field-value.ts'

/**
 * Current SDKs move x-amz-* header fields into the query when they presign, and S3 reads them from
 * there: x-amz-meta-*, x-amz-acl, x-amz-copy-source … If they were ignored, a presigned CopyObject
 * would be a PutObject with an empty body.
 *
 * Checksums are excluded: the SDK for JavaScript signs one for a body that it does not have yet,
 * and S3 does not verify it (https://github.com/aws/aws-sdk/issues/480). So are the parameters of
 * the signature itself and those that describe a body.
 */
const notHoisted =
  /^x-amz-(?:algorithm|checksum-(?!algorithm$|mode$|type$).*|content-sha256|credential|date|decoded-content-length|expires|sdk-checksum-algorithm|security-token|signature|signedheaders|trailer|user-agent)$/

const ascii = /^[\0-\x7f]*$/

/** The bytes of the text, one latin1 character each. */
function latin1Of(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/**
 * The header fields in the query of a presigned request. Values are latin1, one character per byte,
 * like those of headers.
 *
 * @throws S3Error InvalidArgument for a name or value that no header field can have.
 */
export function* hoistedHeaders(query: Query): Generator<readonly [name: string, value: string]> {
  for (const [parameter, text] of query) {
    const name = parameter.toLowerCase()
    if (!name.startsWith('x-amz-') || notHoisted.test(name)) continue
    yield headerFieldOf(parameter, text)
  }
}

/**
 * A parameter as a header field: a name in lower case, and a value in latin1, one character per byte.
 *
 * @throws S3Error InvalidArgument for a name or value that no header field can have.
 */
export function headerFieldOf(parameter: string, text: string): readonly [string, string] {
  const name = parameter.toLowerCase()
  const value = withoutOuterSpace(ascii.test(text) ? text : latin1Of(text))
  if (fieldName.test(name) && fieldValue.test(value)) return [name, value]
  throw invalidArgument(parameter, text, 'The parameter cannot be sent as a header.')
}

/**
 * Adds the header fields in the query of a presigned request to its headers. Both must agree: an
 * unsigned header must not replace a signed parameter.
 *
 * @throws S3Error as hoistedHeaders; AccessDenied for a field with two values.
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
