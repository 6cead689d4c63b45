import type { IncomingHttpHeaders } from 'node:http'
import { S3Error } from './errors.ts'
import type { Query } from './query.ts'

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

// RFC 9110 sections 5.1 and 5.5: what Node takes as name and value of a field.
const fieldName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The header fields in the query of a presigned request. Values are latin1, one character per byte,
 * as those of headers are.
 *
 * @throws S3Error InvalidArgument for a name or value that no header field can have.
 */
export function hoistedHeaders(query: Query): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {}
  for (const [parameter, text] of query) {
    const name = parameter.toLowerCase()
    if (!name.startsWith('x-amz-') || notHoisted.test(name)) continue
    const value = withoutOuterSpace(Buffer.from(text).toString('latin1'))
    if (!fieldName.test(name) || !fieldValue.test(value)) {
      throw new S3Error('InvalidArgument', 'The parameter cannot be a header field.', {
        elements: { ArgumentName: parameter, ArgumentValue: text },
      })
    }
    headers[name] = value
  }
  return headers
}

/**
 * Without the spaces and tabs around it (RFC 9110 section 5.5). String.trim would also take a byte
 * 0xA0, with which the UTF-8 of `à` ends.
 */
function withoutOuterSpace(text: string): string {
  const isSpace = (index: number): boolean => text[index] === ' ' || text[index] === '\t'
  let start = 0
  let end = text.length
  while (start < end && isSpace(start)) start += 1
  while (end > start && isSpace(end - 1)) end -= 1
  return text.slice(start, end)
}
