import { isAuthorized } from '../../access/authorize.ts'
import type { BucketOptionsChange } from '../../buckets/bucket-options.ts'
import { allowsEveryone, type PolicyAction } from '../../buckets/bucket-policy.ts'
import type { BucketConfiguration } from '../../buckets/buckets.ts'
import type { Compatibility } from '../compatibility.ts'
import type { BucketContext, NewBucketContext } from '../context.ts'
import { S3Error } from '../errors.ts'

/** Whether buckets have policies, tags and the other documents that S3 clients set. */
export function keepsDocuments({ bucketDocuments }: Compatibility): boolean {
  return bucketDocuments
}

/** What a request wants, apart from who sends it. */
interface OpenRequest {
  /** What the policy of a bucket calls it. Absent: no policy allows it. */
  readonly policy?: PolicyAction | undefined
  readonly key: string
  readonly prefix: string | undefined
  readonly hasVersion: boolean
}

/** Whether the policy of the bucket allows this to everyone. */
export function isOpenByPolicy(
  { policy: kept, publicAccessBlock }: BucketConfiguration,
  { policy: action, key, prefix, hasVersion }: OpenRequest,
): boolean {
  if (kept === undefined || action === undefined) return false
  if (publicAccessBlock?.restrictPublicBuckets) return false
  const isVersion = action === 's3:GetObject' && hasVersion
  return allowsEveryone(kept, { action: isVersion ? 's3:GetObjectVersion' : action, key, prefix })
}

/** Whether a policy of the bucket may allow anyone anything. */
export function hasPolicyInForce({ policy }: BucketConfiguration): boolean {
  return policy !== undefined && policy.grants.length > 0
}

/**
 * Refuses to change who may read a bucket that the settings make public.
 *
 * @throws S3Error InvalidRequest
 */
export function refuseFixedAccess({ service, bucket }: NewBucketContext): void {
  if (!service.settings.publicReadBuckets?.includes(bucket)) return
  const message = `The bucket stays public: PUBLIC_READ_BUCKETS of the gateway names ${bucket}.`
  throw new S3Error('InvalidRequest', message)
}

/**
 * What is set for a bucket may name folders that not everyone knows.
 *
 * @throws S3Error AccessDenied for everyone who may not change it.
 */
export function assertMayRead({ identity, bucket }: BucketContext): void {
  if (isAuthorized(identity, { action: 'manage', bucket, key: '', isPublic: false })) return
  throw new S3Error(
    'AccessDenied',
    'Access Denied: this request requires the right to manage the bucket.',
  )
}

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
