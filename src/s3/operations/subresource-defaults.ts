import type { HttpReply } from '../../http/message.ts'
import type { BucketContext, ObjectContext } from '../context.ts'
import { noSuchKey, S3Error, type S3ErrorCode } from '../errors.ts'
import { owner } from '../reply/owner.ts'
import { type XmlChildren, XmlFragment } from '../reply/xml.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/**
 * S3's reply to a GET of a sub-resource that is not configured. Many clients read these routinely,
 * and 501 would stop them. Writes that would configure something are refused (unsupported.ts), so
 * these replies never change. Sources: API reference, the Get… operation of each, and
 * ErrorResponses.
 */
type Default =
  | DefaultDocument
  | DefaultError
  | ((context: BucketContext) => DefaultDocument | DefaultError)

interface DefaultDocument {
  readonly root: string
  readonly content: XmlChildren
}

interface DefaultError {
  readonly error: S3ErrorCode
  readonly message?: string
}

/** Sub-resource of a bucket → reply. */
export const bucketDefaults: Readonly<Record<string, Default>> = {
  accelerate: { root: 'AccelerateConfiguration', content: {} },
  acl: ({ service, configuration }) =>
    accessControlPolicy(service.settings.publicList && configuration.isPublic),
  analytics: configurations('ListBucketAnalyticsConfigurationResult'),
  encryption: { error: 'ServerSideEncryptionConfigurationNotFoundError' },
  'intelligent-tiering': configurations('ListBucketIntelligentTieringConfigurationsOutput'),
  inventory: configurations('ListInventoryConfigurationsResult'),
  logging: { root: 'BucketLoggingStatus', content: {} },
  metrics: configurations('ListMetricsConfigurationsResult'),
  notification: { root: 'NotificationConfiguration', content: {} },
  'object-lock': { error: 'ObjectLockConfigurationNotFoundError' },
  ownershipControls: { error: 'OwnershipControlsNotFoundError' },
  policy: { error: 'NoSuchBucketPolicy' },
  policyStatus: { error: 'NoSuchBucketPolicy' },
  publicAccessBlock: { error: 'NoSuchPublicAccessBlockConfiguration' },
  replication: { error: 'ReplicationConfigurationNotFoundError' },
  requestPayment: { root: 'RequestPaymentConfiguration', content: { Payer: 'BucketOwner' } },
  tagging: { error: 'NoSuchTagSet' },
  versioning: { root: 'VersioningConfiguration', content: {} },
  website: { error: 'NoSuchWebsiteConfiguration' },
}

/** S3's reply to both retention and legal-hold of an object in a bucket without Object Lock. */
const noObjectLock: DefaultError = {
  error: 'InvalidRequest',
  message: 'Bucket is missing Object Lock Configuration',
}

/** Sub-resource of an existing object → reply. */
export const objectDefaults: Readonly<Record<string, Default>> = {
  acl: ({ configuration }) => accessControlPolicy(configuration.isPublic),
  'legal-hold': noObjectLock,
  retention: noObjectLock,
  tagging: { root: 'Tagging', content: { TagSet: {} } },
}

/** GET of one of `bucketDefaults`. */
export async function bucketDefault(context: BucketContext): Promise<HttpReply> {
  return answerDefault(bucketDefaults, context)
}

/** GET of one of `objectDefaults`; the object must exist. */
export async function objectDefault(context: ObjectContext): Promise<HttpReply> {
  const { service, bucket, key } = context
  if ((await service.drive.head(bucket, key)) === undefined) throw noSuchKey(key)
  return answerDefault(objectDefaults, context)
}

function answerDefault(
  defaults: Readonly<Record<string, Default>>,
  context: BucketContext,
): HttpReply {
  const name =
    [...context.query.keys()].find((parameter) => Object.hasOwn(defaults, parameter)) ?? ''
  const found = defaults[name]
  if (found === undefined) throw new S3Error('NotImplemented')
  const answer = typeof found === 'function' ? found(context) : found
  if ('error' in answer) throw new S3Error(answer.error, answer.message)
  return xmlReply(answer.root, answer.content)
}

/** An empty list; a single configuration, requested by its id, does not exist. */
function configurations(root: string): Default {
  return ({ query }) =>
    query.has('id') ? { error: 'NoSuchConfiguration' } : { root, content: { IsTruncated: false } }
}

/** The owner has full access; buckets in PUBLIC_READ_BUCKETS are readable by everyone. */
function accessControlPolicy(isPublic: boolean): DefaultDocument {
  const ownerGrant = {
    Grantee: grantee(
      'CanonicalUser',
      `<ID>${owner.ID}</ID><DisplayName>${owner.DisplayName}</DisplayName>`,
    ),
    Permission: 'FULL_CONTROL',
  }
  const publicGrant = {
    Grantee: grantee('Group', '<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI>'),
    Permission: 'READ',
  }
  const grants = isPublic ? [ownerGrant, publicGrant] : [ownerGrant]
  return {
    root: 'AccessControlPolicy',
    content: { Owner: owner, AccessControlList: { Grant: grants } },
  }
}

function grantee(type: 'CanonicalUser' | 'Group', content: string): XmlFragment {
  const schema = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
  return new XmlFragment(`<Grantee ${schema} xsi:type="${type}">${content}</Grantee>`)
}
