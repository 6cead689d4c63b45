import type { BucketOptionsChange } from '../../buckets/bucket-options.ts'
import type { NewBucketContext } from '../context.ts'
import { S3Error } from '../errors.ts'

/**
 * Changes what is configured for a bucket.
 *
 * @throws S3Error NotImplemented if S3 clients may not set anything.
 */
export async function changeOptions(
  { service, bucket }: NewBucketContext,
  change: BucketOptionsChange,
): Promise<void> {
  if (service.bucketOptions === undefined) {
    throw new S3Error('NotImplemented')
  }
  await service.bucketOptions.change(bucket, change)
}
