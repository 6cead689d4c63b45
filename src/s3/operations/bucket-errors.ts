import { BucketError, type BucketErrorKind } from '../../buckets/bucket-error.ts'
import { S3Error, type S3ErrorCode } from '../errors.ts'

const codes: Readonly<Record<BucketErrorKind, S3ErrorCode>> = {
  busy: 'SlowDown',
  exists: 'BucketAlreadyOwnedByYou',
  'folder-exists': 'BucketAlreadyExists',
  'from-settings': 'MethodNotAllowed',
  'invalid-name': 'InvalidBucketName',
  'no-bucket': 'NoSuchBucket',
  'too-many': 'TooManyBuckets',
}

/** The S3 error for a refusal to create or remove a bucket; other errors as they are. */
export function s3ErrorOfBucket(error: unknown): unknown {
  if (!(error instanceof BucketError)) return error
  return new S3Error(codes[error.kind], error.message, {
    cause: error,
    ...(error.kind === 'busy' && { headers: { 'Retry-After': '1' } }),
    ...(error.kind === 'from-settings' && { headers: { Allow: 'GET, HEAD, PUT' } }),
  })
}
