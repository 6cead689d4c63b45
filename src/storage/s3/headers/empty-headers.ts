import type { IncomingHttpHeaders } from 'node:http'

/**
 * Headers whose empty value is not the same as no header: without it, a digest that was lost would
 * not be noticed, a copy would write an empty object, and metadata would be lost.
 */
const meansSomethingEmpty =
  /^(?:content-md5|x-amz-(?:checksum-(?!algorithm$|mode$|type$).*|copy-source|decoded-content-length|meta-.*))$/

/**
 * Removes headers with an empty value, which S3 treats as absent: SDKs send them for a parameter
 * that is set to an empty text. Call it once a request is authenticated, since a signature covers
 * them.
 */
export function removeEmptyHeaders(headers: IncomingHttpHeaders): void {
  for (const name in headers) {
    if (headers[name] === '' && !meansSomethingEmpty.test(name)) delete headers[name]
  }
}
