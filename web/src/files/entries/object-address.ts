import { percentEncode } from '../../../../src/platform/text/percent-encoding.ts'
import { delimiter } from './entry.ts'

export interface ObjectAddress {
  readonly bucket: string
  readonly key: string
  /** A former version of the object; absent for the current one. */
  readonly versionId?: string | undefined
}

/** `/bucket/key`, encoded for a path and for x-amz-copy-source. */
export function objectPath(bucket: string, key: string): string {
  return `/${bucket}/${key.split(delimiter).map(percentEncode).join(delimiter)}`
}

/** `s3://bucket/key`, unencoded, for command-line clients. */
export function s3Uri(bucket: string, key: string): string {
  return `s3://${bucket}/${key}`
}

/**
 * Whether a browser can request this key by its path. Browsers remove the segments `.` and `..`
 * from every URL, encoded or not (URL standard, "double-dot URL path segment"), and would request
 * another object. Such a key can still be copied, deleted and renamed, because it is then part of a
 * header or body.
 */
export function isReachable(key: string): boolean {
  return !key.split(delimiter).some((segment) => segment === '.' || segment === '..')
}

/** S3's limit, in bytes of UTF-8. */
export const maxKeyBytes = 1_024

export function keyBytes(key: string): number {
  return new TextEncoder().encode(key).length
}
