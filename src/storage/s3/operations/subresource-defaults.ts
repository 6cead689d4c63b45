import type { HttpReply } from '../../../platform/http/message.ts'
import type { Query } from '../address/query.ts'
import type { BucketContext } from '../context.ts'
import { S3Error, type S3ErrorCode } from '../errors.ts'
import { owner, type XmlChildren, XmlFragment, xmlReply } from '../reply/xml.ts'

/**
 * S3's reply to a GET of a sub-resource that is not configured. Many clients read these routinely, and 501 would stop
 * them. Sources: API reference, the Get… operation of each, and ErrorResponses.
 */
interface Default {
  /** Its name in the access log. */
  readonly logName: string
  readonly reply: DefaultReply | ((context: BucketContext) => DefaultReply)
}

type DefaultReply = DefaultDocument | DefaultError

interface DefaultDocument {
  readonly root: string
  readonly content: XmlChildren
}

interface DefaultError {
  readonly error: S3ErrorCode
  readonly message?: string
}

const claimedEncryption: DefaultDocument = {
  root: 'ServerSideEncryptionConfiguration',
  content: {
    Rule: {
      ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' },
      BucketKeyEnabled: false,
    },
  },
}

/** Sub-resource of a bucket → reply. */
export const bucketDefaults: Readonly<Record<string, Default>> = {
  accelerate: {
    logName: 'REST.GET.ACCELERATE',
    reply: { root: 'AccelerateConfiguration', content: {} },
  },
  acl: {
    logName: 'REST.GET.ACL',
    reply: ({ service, configuration }) =>
      accessControlPolicy(
        // READ of a bucket means to list it. With ACLS=bucket, it shows what PutBucketAcl has set.
        configuration.isPublic && (service.settings.publicList || service.acls.mode === 'bucket'),
      ),
  },
  analytics: {
    logName: 'REST.GET.ANALYTICS',
    reply: configurations('ListBucketAnalyticsConfigurationResult'),
  },
  encryption: {
    logName: 'REST.GET.ENCRYPTION',
    reply: ({ service }) =>
      service.settings.serverSideEncryption === 'claim'
        ? claimedEncryption
        : { error: 'ServerSideEncryptionConfigurationNotFoundError' },
  },
  'intelligent-tiering': {
    logName: 'REST.GET.INTELLIGENT_TIERING',
    reply: configurations('ListBucketIntelligentTieringConfigurationsOutput'),
  },
  inventory: {
    logName: 'REST.GET.INVENTORY',
    reply: configurations('ListInventoryConfigurationsResult'),
  },
  logging: {
    logName: 'REST.GET.LOGGING_STATUS',
    reply: { root: 'BucketLoggingStatus', content: {} },
  },
  metrics: {
    logName: 'REST.GET.METRICS',
    reply: configurations('ListMetricsConfigurationsResult'),
  },
  notification: {
    logName: 'REST.GET.NOTIFICATION',
    reply: { root: 'NotificationConfiguration', content: {} },
  },
  ownershipControls: {
    logName: 'REST.GET.OWNERSHIP_CONTROLS',
    reply: { error: 'OwnershipControlsNotFoundError' },
  },
  policy: { logName: 'REST.GET.BUCKETPOLICY', reply: { error: 'NoSuchBucketPolicy' } },
  policyStatus: { logName: 'REST.GET.POLICY_STATUS', reply: { error: 'NoSuchBucketPolicy' } },
  publicAccessBlock: {
    logName: 'REST.GET.PUBLIC_ACCESS_BLOCK',
    reply: { error: 'NoSuchPublicAccessBlockConfiguration' },
  },
  replication: {
    logName: 'REST.GET.REPLICATION',
    reply: { error: 'ReplicationConfigurationNotFoundError' },
  },
  requestPayment: {
    logName: 'REST.GET.REQUEST_PAYMENT',
    reply: { root: 'RequestPaymentConfiguration', content: { Payer: 'BucketOwner' } },
  },
  tagging: { logName: 'REST.GET.TAGGING', reply: { error: 'NoSuchTagSet' } },
  website: { logName: 'REST.GET.WEBSITE', reply: { error: 'NoSuchWebsiteConfiguration' } },
}

/** GET of one of `bucketDefaults`. */
export async function bucketDefault(context: BucketContext): Promise<HttpReply> {
  const { reply } = requested(context.query)
  const answer = typeof reply === 'function' ? reply(context) : reply
  if ('error' in answer) throw new S3Error(answer.error, answer.message)
  return xmlReply(answer.root, answer.content)
}

/** Returns the name of a GET of one of these sub-resources in the access log. */
export function defaultLogName(query: Query): string {
  return requested(query).logName
}

function requested(query: Query): Default {
  const name = [...query.keys()].find((parameter) => Object.hasOwn(bucketDefaults, parameter)) ?? ''
  const found = bucketDefaults[name]
  if (found === undefined) throw new S3Error('NotImplemented')
  return found
}

/** An empty list. A single configuration, requested by its ID, does not exist. */
function configurations(root: string): Default['reply'] {
  return ({ query }) =>
    query.has('id') ? { error: 'NoSuchConfiguration' } : { root, content: { IsTruncated: false } }
}

/** The ACL of a bucket or object that everyone may read, or only the owner. */
export function accessControlPolicy(isPublic: boolean): DefaultDocument {
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
