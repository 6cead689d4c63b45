import { isAuthorized } from '../../access/authorize.ts'
import type { BucketOptionsChange } from '../../buckets/bucket-options.ts'
import type { BucketContext } from '../context.ts'
import { S3Error } from '../errors.ts'

/**
 * Rules may name folders that not everyone knows.
 *
 * @throws S3Error AccessDenied for everyone who may not change them.
 */
export function assertMayRead({ identity, bucket }: BucketContext): void {
  if (isAuthorized(identity, { action: 'manage', bucket, key: '', isPublic: false })) return
  throw new S3Error(
    'AccessDenied',
    'Access Denied: this request requires the right to manage the bucket.',
  )
}

/** @throws S3Error NotImplemented if S3 clients may not set anything. */
export async function changeOptions(
  { service, bucket }: BucketContext,
  change: BucketOptionsChange,
): Promise<void> {
  if (service.bucketOptions === undefined) throw new S3Error('NotImplemented')
  await service.bucketOptions.change(bucket, change)
}
