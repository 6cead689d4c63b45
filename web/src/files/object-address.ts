import { delimiter } from './entry.ts'

export interface ObjectAddress {
  readonly bucket: string
  readonly key: string
}

/** RFC 3986 leaves only letters, digits and `-._~` as they are. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** `/bucket/key`, escaped as it goes on the wire. */
export function objectPath(bucket: string, key: string): string {
  return `/${bucket}/${key.split(delimiter).map(percentEncode).join(delimiter)}`
}

/** `s3://bucket/key`, raw, as command-line clients take it. */
export function s3Uri(bucket: string, key: string): string {
  return `s3://${bucket}/${key}`
}

/**
 * The value of x-amz-copy-source: percent-encoded where a header field or its meaning needs it. Letters
 * beyond ASCII go as they are, for in the query of a URL all of it is encoded once more.
 */
export function copySource(bucket: string, key: string): string {
  return `${bucket}/${key}`.replace(
    /[\u0000- %+?\u007f]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

/**
 * Whether a browser can ask for this key by its path. It removes the segments `.` and `..` from every
 * URL, escaped or not (URL standard, "double-dot URL path segment"), so the object behind would be another
 * one. Such a key can still be copied, deleted and so renamed: there it stands in a query or a body.
 */
export function isReachable(key: string): boolean {
  return !key.split(delimiter).some((segment) => segment === '.' || segment === '..')
}

/** S3's limit, in bytes of UTF-8. */
export const maxKeyBytes = 1_024

export function keyBytes(key: string): number {
  return new TextEncoder().encode(key).length
}
