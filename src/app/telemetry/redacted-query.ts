import { uriDecode } from '../../storage/s3/sigv4/uri-encode.ts'

/**
 * Parameters that let anyone who reads a log act for the client: the signature of a presigned URL, a
 * session token and a customer key.
 */
const secretParameter =
  /^(?:x-amz-signature|x-amz-security-token|token|signature|.*-customer-key|authorization|cookie)$/i

const mayHaveSecret = /sign|token|customer-key|authorization|cookie|%/i

/** A raw query for a log: the values of secret parameters are replaced by `REDACTED`. */
export function redactedQuery(rawQuery: string): string {
  if (!mayHaveSecret.test(rawQuery)) return rawQuery
  return rawQuery
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = equals < 0 ? pair : pair.slice(0, equals)
      return equals >= 0 && secretParameter.test(uriDecode(name)) ? `${name}=REDACTED` : pair
    })
    .join('&')
}

const shareToken = /^\/-\/s\/[^/]+/

/** A raw path for a log: without the token of a share, which is all that its visitors need. */
export function redactedPath(rawPath: string): string {
  return rawPath.replace(shareToken, '/-/s/REDACTED')
}
