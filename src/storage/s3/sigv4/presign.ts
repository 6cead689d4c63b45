import { formatAmzDate } from '../headers/dates.ts'
import { canonicalQuery, canonicalRequest, stringToSign } from './canonical-request.ts'
import { signingKey } from './signing-key.ts'
import { uriEncode, uriEncodePath } from './uri-encode.ts'

interface PresignOptions {
  readonly method: string
  /** Scheme and host, without a path: `https://s3.example.com`. */
  readonly origin: string
  /** Decoded: `/bucket/key`. */
  readonly path: string
  /** More parameters, decoded. */
  readonly query?: Readonly<Record<string, string>>
  /** 1 to 604800. */
  readonly expiresSeconds: number
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: number
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
}

/**
 * A presigned URL, which allows its holder to send this request
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html).
 */
export function presign(options: PresignOptions): string {
  const amzDate = formatAmzDate(options.nowMs)
  const day = amzDate.slice(0, 8)
  const scope = `${day}/${options.region}/s3/aws4_request`
  const path = uriEncodePath(bytesOf(options.path))
  const query = canonicalQuery(
    encodeQuery({
      ...options.query,
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${options.accessKey}/${scope}`,
      'X-Amz-Date': amzDate,
      'X-Amz-Expires': String(options.expiresSeconds),
      'X-Amz-SignedHeaders': 'host',
    }),
  )
  const canonical = canonicalRequest({
    method: options.method,
    path,
    query,
    signedHeaders: [{ name: 'host', value: new URL(options.origin).host }],
    payloadHash: 'UNSIGNED-PAYLOAD',
  })
  const key = signingKey({ secretKey: options.secretKey, region: options.region, day })
  const signature = key.signHex(stringToSign(canonical, amzDate, scope))
  return `${options.origin}${path}?${query}&X-Amz-Signature=${signature}`
}

function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${uriEncode(bytesOf(name))}=${uriEncode(bytesOf(value))}`)
    .join('&')
}

/** UTF-8 bytes as latin1 characters. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1')
}
