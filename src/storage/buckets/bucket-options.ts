import type { Tags } from '../drives/attributes.ts'
import type { BucketPolicy } from './bucket-policy.ts'
import type { CorsRule } from './cors-rules.ts'
import type { LifecycleRule } from './lifecycle-rules.ts'
import type { WrittenRule } from './notification-rules.ts'

/** Each is stored as a document of its own, so that changes of different ones do not undo each other. */
export interface BucketDocuments {
  /** Who may do what without a signature, beside `isPublic`. Its effect: configuration/public-access.ts of src/storage/s3. */
  readonly policy?: BucketPolicy
  readonly publicAccessBlock?: PublicAccessBlock
  readonly tags?: Tags
  /** It has no effect: there are no versions. */
  readonly versioning?: 'Suspended'
  /** It has no effect: the owner of the gateway owns everything. */
  readonly objectOwnership?: string
  /** Not empty. */
  readonly notification?: readonly WrittenRule[]
}

export const documentNames = [
  'policy',
  'publicAccessBlock',
  'tags',
  'versioning',
  'objectOwnership',
  'notification',
] as const satisfies readonly (keyof BucketDocuments)[]

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html */
export interface PublicAccessBlock {
  /** Requests that set a public ACL are refused. */
  readonly blockPublicAcls: boolean
  /** `isPublic` has no effect. */
  readonly ignorePublicAcls: boolean
  /** Public policies are refused. */
  readonly blockPublicPolicy: boolean
  /** The policy has no effect, and `isPublic`, which is shown as a policy, has none either. */
  readonly restrictPublicBuckets: boolean
}

/** What can be set for a bucket at run time. */
export interface BucketOptions extends BucketDocuments {
  /** Replaces CORS_ALLOWED_ORIGINS for this bucket. Not empty. */
  readonly cors?: readonly CorsRule[]
  /** Not empty. */
  readonly lifecycle?: readonly LifecycleRule[]
  /** How much the bucket may contain, approximately. */
  readonly quotaBytes?: number
  /** Whether anyone may read its objects without a signature. Absent: as PUBLIC_READ_BUCKETS says. */
  readonly isPublic?: true
}

/** What to change; null removes an option. */
export type BucketOptionsChange = {
  readonly [Name in keyof BucketOptions]?: BucketOptions[Name] | null
}

/** Changes what is set for buckets. */
export interface BucketOptionsWriter {
  /** When it resolves, the change is in force in this process; in the others within a second. */
  change(bucket: string, change: BucketOptionsChange): Promise<void>
}
