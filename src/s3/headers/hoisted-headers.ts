import type { IncomingHttpHeaders } from 'node:http'
import type { Query } from '../address/query.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { fieldName, fieldValue, withoutOuterSpace } from './field-value.ts'

/**
 * Presigners of current SDKs move x-amz-* header fields into the signed query, and S3 takes them
 * from there: x-amz-meta-*, x-amz-acl, x-amz-copy-source … Passed over, a presigned CopyObject
 * would be the PutObject of an empty body.
 *
 * A checksum is left out: the SDK for JavaScript signs that of the body it does not have yet, and
 * S3 does not verify it (https://github.com/aws/aws-sdk/issues/480). So are the parameters of the
 * signature itself and what describes a body.
 */
const notHoisted =
  /^x-amz-(?:algorithm|checksum-(?!algorithm$|mode$|type$).*|content-sha256|credential|date|decoded-content-length|expires|sdk-checksum-algorithm|security-token|signature|signedheaders|trailer|user-agent)$/

/**
 * Adds the header fields in the query of a presigned request to those that were sent, with which
 * they must agree: a header that is not signed must not replace a parameter that is. Values are
 * latin1, one character per byte, as those of headers are.
 *
 * @throws S3Error InvalidArgument for a name or value that no header field can have.
 * @throws S3Error AccessDenied for a field with two values.
 */
export function addHoistedHeaders(headers: IncomingHttpHeaders, query: Query): void {
  for (const [parameter, text] of query) {
    const name = parameter.toLowerCase()
    if (!name.startsWith('x-amz-') || notHoisted.test(name)) continue
    const value = withoutOuterSpace(Buffer.from(text).toString('latin1'))
    if (!fieldName.test(name) || !fieldValue.test(value)) {
      throw invalidArgument(parameter, text, 'The parameter cannot be sent as a header.')
    }
    if (headers[name] !== undefined && headers[name] !== value) {
      throw new S3Error(
        'AccessDenied',
        `The query and the headers have different values for ${JSON.stringify(name)}.`,
      )
    }
    headers[name] = value
  }
}
