import { DriveError } from '../drives/drive-error.ts'
import type { S3Service } from './context.ts'
import { type AwsForm, quoted, S3Error, s3Errors } from './errors.ts'

/** The error of a request for a bucket that does not exist, for who may know that. */
export function noSuchBucket(bucket: string): S3Error {
  return new S3Error('NoSuchBucket', undefined, { elements: { BucketName: bucket } })
}

/**
 * The error of a bucket that is not served, where AWS answers NoSuchBucket
 * (docs/contract/object-storage.md, "Error codes"). With COMPATIBILITY=aws it is AWS's, for everyone, so that strangers can
 * find out which buckets exist.
 */
export function notServed(bucket: string): S3Error {
  return new S3Error('AccessDenied', notAllowed(bucket), {
    reason: `ALLOWED_BUCKETS does not list the bucket ${quoted(bucket)}.`,
    inAws: absentBucket(bucket),
  })
}

/** The error of a bucket for which the access key has no grant. */
export function notGranted(bucket: string): S3Error {
  return new S3Error('AccessDenied', notAllowed(bucket), {
    reason: `The access key has no grant for the bucket ${quoted(bucket)}.`,
  })
}

function notAllowed(bucket: string): string {
  return `Access to the bucket ${quoted(bucket)} is not allowed.`
}

/** The same as `noSuchBucket`, beside an error that the contract specifies. */
export function absentBucket(bucket: string): AwsForm {
  const message = s3Errors.NoSuchBucket[1]
  return { code: 'NoSuchBucket', message, elements: { BucketName: bucket } }
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
