import type { Tags } from '../drives/attributes.ts'
import type { Versioning } from '../drives/versions.ts'
import type { BucketPolicy } from './bucket-policy.ts'
import type { CorsRule } from './cors-rules.ts'
import type { DefaultRetention } from './default-retention.ts'
import type { LifecycleRule } from './lifecycle-rules.ts'
import type { WrittenRule } from './notification-rules.ts'
import type { Website } from './website.ts'

/** Each is stored separately, so that concurrent changes of different documents do not undo each other. */
export interface BucketDocuments {
  /** What anonymous users may do, in addition to `isPublic`. Applied in src/storage/s3/configuration/public-access.ts. */
  readonly policy?: BucketPolicy
  readonly publicAccessBlock?: PublicAccessBlock
  readonly tags?: Tags
  /** `Suspended`: S3 clients have suspended versions that were never enabled. Changed by `BucketVersioning` alone. */
  readonly versioning?: 'Suspended' | Versioning
  /** Object Lock, which nothing turns off again. Changed by `BucketVersioning` alone. */
  readonly objectLock?: ObjectLock
  /** Has no effect: the owner of the gateway owns everything. */
  readonly objectOwnership?: string
  /** Not empty. */
  readonly notification?: readonly WrittenRule[]
  readonly website?: Website
}

/** Undefined: the bucket never had versions. */
export function versioningOf(options: BucketDocuments | undefined): Versioning | undefined {
  const versioning = options?.versioning
  return versioning === 'Suspended' ? undefined : versioning
}

/** The documents that `BucketVersioning` changes. They have an effect regardless of COMPATIBILITY. */
export const versionDocuments = ['versioning', 'objectLock'] as const
type VersionDocument = (typeof versionDocuments)[number]
type ChangedDocument = Exclude<keyof BucketDocuments, VersionDocument>

const isChanged: Readonly<Record<ChangedDocument, true>> = {
  policy: true,
  publicAccessBlock: true,
  tags: true,
  objectOwnership: true,
  notification: true,
  website: true,
}

/** The documents that `BucketOptionsWriter` changes: all others. */
export const documentNames = Object.keys(isChanged) as ChangedDocument[]

export interface ObjectLock {
  /** For versions that are written without a retention. */
  readonly defaultRetention?: DefaultRetention
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html */
export interface PublicAccessBlock {
  /** Requests that set a public ACL are refused. */
  readonly blockPublicAcls: boolean
  /** `isPublic` has no effect. */
  readonly ignorePublicAcls: boolean
  /** Public policies are refused. */
  readonly blockPublicPolicy: boolean
  /** Neither the policy nor `isPublic`, which is shown as a policy, has an effect. */
  readonly restrictPublicBuckets: boolean
}

/** The options of a bucket, set at run time. */
export interface BucketOptions extends BucketDocuments {
  /** Replaces CORS_ALLOWED_ORIGINS for this bucket. Not empty. */
  readonly cors?: readonly CorsRule[]
  /** Not empty. */
  readonly lifecycle?: readonly LifecycleRule[]
  /** The approximate maximum size of the bucket. */
  readonly quotaBytes?: number
  /** Whether anonymous users may read objects. Absent: PUBLIC_READ_BUCKETS decides. */
  readonly isPublic?: true
}

/** The options to change; null removes an option. */
export type BucketOptionsChange = {
  readonly [Name in Exclude<keyof BucketOptions, VersionDocument>]?: BucketOptions[Name] | null
}

/** Changes the options of buckets. */
export interface BucketOptionsWriter {
  /** When it resolves, the change is in effect in all processes of this gateway; in other gateways within a second. */
  change(bucket: string, change: BucketOptionsChange): Promise<void>
}
