import { S3Error } from '../errors.ts'
import { percentDecode } from './query.ts'

/**
 * What a request names. The key is still percent-encoded.
 */
export type Address =
  | { readonly level: 'service' }
  | { readonly level: 'bucket'; readonly bucket: string }
  | { readonly level: 'object'; readonly bucket: string; readonly rawKey: string }

/** S3: "The name for a key is a sequence of Unicode characters whose UTF-8 encoding is at most 1,024 bytes long." */
const maxKeyBytes = 1024

/**
 * Splits a raw path. `/b` and `/b/` are the bucket, everything after the second slash is the key,
 * byte for byte: `//`, `.` and `..` are ordinary parts of it.
 *
 * @throws S3Error InvalidURI when the bucket has a broken escape.
 */
export function parseAddress(rawPath: string): Address {
  if (rawPath === '/') return { level: 'service' }
  const slash = rawPath.indexOf('/', 1)
  const bucket = percentDecode(slash < 0 ? rawPath.slice(1) : rawPath.slice(1, slash))
  if (slash < 0 || slash === rawPath.length - 1) return { level: 'bucket', bucket }
  return { level: 'object', bucket, rawKey: rawPath.slice(slash + 1) }
}

/**
 * The key that a raw key names. The only place where a key of a path is decoded.
 *
 * @throws S3Error InvalidURI for a broken escape or bytes that are not UTF-8, KeyTooLongError for
 *   more than 1,024 bytes.
 */
export function decodeKey(rawKey: string): string {
  const key = percentDecode(rawKey)
  if (key.length > maxKeyBytes / 3 && Buffer.byteLength(key) > maxKeyBytes) {
    throw new S3Error(
      'KeyTooLongError',
      `Your key is too long: at most ${maxKeyBytes} bytes of UTF-8.`,
      {
        elements: { Size: String(Buffer.byteLength(key)), MaxSizeAllowed: String(maxKeyBytes) },
      },
    )
  }
  return key
}
