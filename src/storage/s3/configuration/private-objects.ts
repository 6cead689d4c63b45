/** Objects with the ACL `private` in a public bucket (docs/s3-compatibility.md, "ACLs"). */
import { type Identity, isAuthorized } from '../../access/authorize.ts'
import type { PolicyAction } from '../../buckets/bucket-policy.ts'
import type { BucketConfiguration } from '../../buckets/buckets.ts'
import type { Attributes } from '../../drives/attributes.ts'
import type { ObjectContext, S3Service } from '../context.ts'
import { S3Error, unknownAttributes } from '../errors.ts'
import { concernsVersions, isOpenByPolicy } from './public-access.ts'

/** A read of an object by a sender who may read objects of the bucket. */
interface ObjectRead {
  readonly service: Pick<S3Service, 'acls'>
  readonly identity: Identity
  readonly configuration: BucketConfiguration
  readonly key: string
  /** Whether the request names a version. */
  readonly hasVersion: boolean
}

/**
 * Call it with the attributes that belong to the bytes or facts of the reply. A bucket policy that allows the read counts as
 * on AWS, where an object is readable if its ACL or a policy says so.
 *
 * @param action the action in a bucket policy that allows the read, if any can
 * @throws S3Error AccessDenied if the sender may read the object only because its bucket is public, and its ACL is
 *   private; ServiceUnavailable if the ACL is not known
 */
export function assertMayReadPrivate(
  { service, identity, configuration, key, hasVersion }: ObjectRead,
  { isPrivate, isProvisional }: Attributes,
  action?: PolicyAction,
): void {
  if (!(isPrivate || isProvisional) || !configuration.isPublic) return
  if (!service.acls.areKeptIn(configuration)) return
  const isOfVersion = concernsVersions(configuration, hasVersion)
  const wanted = { action: 'read', bucket: configuration.name, key, isOfVersion } as const
  if (isAuthorized(identity, { ...wanted, isPublic: false })) return
  if (isOpenByPolicy(configuration, { policy: action, key, prefix: undefined, hasVersion })) return
  if (isProvisional) throw unknownAttributes()
  throw new S3Error('AccessDenied', undefined, {
    reason: 'The bucket is public, but a client has set the ACL of this object to private.',
  })
}

/** As assertMayReadPrivate, for the object of a request. */
export function assertMayReadObject(
  context: ObjectContext,
  attributes: Attributes,
  action?: PolicyAction,
): void {
  // Few objects are private, and a copy of the context costs each read more than this look.
  if (!attributes.isPrivate && !attributes.isProvisional) return
  const hasVersion = context.query.has('versionId')
  assertMayReadPrivate({ ...context, hasVersion }, attributes, action)
}
