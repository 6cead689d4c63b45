import { DriveError } from '../drives/drive.ts'
import { quoted } from './address/client-text.ts'
import type { S3Service } from './context.ts'
import { S3Error } from './errors.ts'

/** The error of a request for a bucket that does not exist, for who may know that. */
export function noSuchBucket(bucket: string): S3Error {
  return new S3Error('NoSuchBucket', undefined, { elements: { BucketName: bucket } })
}

/**
 * The error of a bucket that is not served, where AWS answers NoSuchBucket
 * (docs/contract/object-storage.md, "Error codes").
 */
export function notServed(
  bucket: string,
  reason = `ALLOWED_BUCKETS does not list the bucket ${quoted(bucket)}.`,
): S3Error {
  const message = `Access to the bucket ${quoted(bucket)} is not allowed.`
  return new S3Error('AccessDenied', message, { reason })
}

/**
 * The error of a request whose bucket was removed while it ran: that of a request which comes later. Other errors as
 * they are, also that of a bucket whose folder was only moved away.
 */
export async function afterRemoval(
  error: unknown,
  bucket: string | undefined,
  { buckets, bucketCreation, registries }: S3Service,
): Promise<unknown> {
  if (!(error instanceof DriveError) || error.kind !== 'no-bucket') return error
  if (bucket === undefined || registries === undefined) return error
  await registries.lookAgain()
  const configuration = buckets.find(bucket)
  if (configuration !== undefined && !configuration.isBeingRemoved) return error
  return bucketCreation === 'on' ? noSuchBucket(bucket) : notServed(bucket)
}
