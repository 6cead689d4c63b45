import { isAuthorized } from '../../access/authorize.ts'
import type { BucketOptionsChange } from '../../buckets/bucket-options.ts'
import {
  allowsEveryone,
  type BucketPolicy,
  type PolicyAction,
  rightsOfWrites,
} from '../../buckets/bucket-policy.ts'
import type { BucketConfiguration } from '../../buckets/buckets.ts'
import type { Compatibility } from '../compatibility.ts'
import type { BucketContext, NewBucketContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { lockFields } from '../headers/lock-headers.ts'

/** Whether buckets have policies, tags and the other documents that S3 clients set. */
export function keepsDocuments({ bucketDocuments }: Compatibility): boolean {
  return bucketDocuments
}

/** What a request asks for, without its sender. */
interface OpenRequest {
  /** The action that a bucket policy must allow. Absent: no policy can allow the request. */
  readonly policy?: PolicyAction | undefined
  readonly key: string
  readonly prefix: string | undefined
  readonly hasVersion: boolean
}

/** The action that a request needs if it names a version (AWS, "Required permissions for Amazon S3 API operations"). */
const ofVersion: Readonly<Partial<Record<PolicyAction, PolicyAction>>> = {
  's3:GetObject': 's3:GetObjectVersion',
  's3:GetObjectTagging': 's3:GetObjectVersionTagging',
}

/** Whether the bucket has versions, or had them before they were suspended. */
export function hasVersions({ versioning }: Pick<BucketConfiguration, 'versioning'>): boolean {
  return versioning !== undefined && versioning !== 'Suspended'
}

/**
 * Whether a request that asks for a version, or for all, concerns versions. In a bucket that never had any, the ID `null` is
 * another name of the object.
 */
export function concernsVersions(
  configuration: BucketConfiguration | undefined,
  isAsked: boolean,
): boolean {
  return isAsked && configuration !== undefined && hasVersions(configuration)
}

/** Whether the bucket policy allows the request to everyone. */
export function isOpenByPolicy(
  { policy: kept, publicAccessBlock }: BucketConfiguration,
  { policy: action, key, prefix, hasVersion }: OpenRequest,
): boolean {
  if (kept === undefined || action === undefined) return false
  if (publicAccessBlock?.restrictPublicBuckets) return false
  // It needs s3:DeleteObjectVersion, which a policy cannot allow here.
  if (hasVersion && action === 's3:DeleteObject') return false
  const needed = hasVersion ? (ofVersion[action] ?? action) : action
  return allowsEveryone(kept, { action: needed, key, prefix })
}

/** They need s3:PutObjectTagging, s3:PutObjectRetention and s3:PutObjectLegalHold (as above). */
const fieldsBeyondPolicy: readonly string[] = ['x-amz-tagging', ...lockFields]

/**
 * Refuses what a write asks for in addition to s3:PutObject or s3:DeleteObject, if only the bucket policy allows it.
 *
 * @throws S3Error AccessDenied
 */
export function refuseBeyondPolicy(
  { service, request, configuration }: BucketContext,
  key: string,
): void {
  const { method, headers } = request
  if (method === 'GET' || method === 'HEAD') return
  // PutObject, "Permissions": an ACL needs s3:PutObjectAcl. One without effect is harmless, as in every write.
  if (service.acls.ofObject(headers).isPrivate) {
    const message = 'The bucket policy does not let everyone make objects private.'
    throw new S3Error('AccessDenied', `${message} Write the object without an ACL.`)
  }
  // PutObject, "Permissions": If-Match needs s3:GetObject, because it shows whether an ETag is the right one.
  const read = { policy: 's3:GetObject', key, prefix: undefined, hasVersion: false } as const
  const refused = isOpenByPolicy(configuration, read)
    ? fieldsBeyondPolicy
    : [...fieldsBeyondPolicy, 'if-match']
  const field = refused.find((name) => headers[name] !== undefined)
  if (field === undefined) return
  throw new S3Error('AccessDenied', `The bucket policy does not let everyone use ${field}.`)
}

/**
 * Requires the rights that a policy gives to everyone: the right to manage a bucket is no right to write to it.
 *
 * @returns whether everyone may write or delete
 * @throws S3Error AccessDenied
 */
export function assertMayGiveAway(
  { identity, bucket }: BucketContext,
  { grants }: BucketPolicy,
): boolean {
  const given = grants.flatMap(({ action }) => {
    const right = rightsOfWrites[action]
    return right === undefined ? [] : [{ action, right }]
  })
  for (const { action, right } of given) {
    const wanted = { action: right, bucket, key: '', isPublic: false } as const
    if (isAuthorized(identity, wanted)) continue
    const message = `The policy allows ${action} to everyone, and this access key itself has no grant to ${right} in the whole bucket.`
    throw new S3Error('AccessDenied', message)
  }
  const isLimited = identity.kind === 'key' && identity.limits.bytes !== undefined
  if (isLimited && given.some(({ right }) => right === 'write')) {
    const message =
      'The policy lets everyone write, for whom the storage limit of this access key does not hold.'
    throw new S3Error('AccessDenied', `${message} Let the owner of the gateway store it.`)
  }
  return given.length > 0
}

/** Whether the bucket has a policy that grants anything to anonymous users. */
export function hasPolicyInForce({ policy }: BucketConfiguration): boolean {
  return policy !== undefined && policy.grants.length > 0
}

/**
 * Refuses to change the public access of a bucket that the settings make public.
 *
 * @throws S3Error InvalidRequest
 */
export function refuseFixedAccess({ service, bucket }: NewBucketContext): void {
  if (!service.settings.publicReadBuckets?.includes(bucket)) return
  const message = `The bucket stays public because ${bucket} is in the gateway's PUBLIC_READ_BUCKETS.`
  throw new S3Error('InvalidRequest', message)
}

/**
 * Requires the right to manage the bucket, because its documents may name private folders.
 *
 * @throws S3Error AccessDenied
 */
export function assertMayRead({ identity, bucket }: BucketContext): void {
  if (isAuthorized(identity, { action: 'manage', bucket, key: '', isPublic: false })) return
  throw new S3Error(
    'AccessDenied',
    'Access Denied: this request requires the right to manage the bucket.',
  )
}

/**
 * Changes the options of a bucket.
 *
 * @throws S3Error NotImplemented if S3 clients may not set options
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
