import type { CorsRule } from './cors-rules.ts'
import type { LifecycleRule } from './lifecycle-rules.ts'

/** What can be set for a bucket at run time. */
export interface BucketOptions {
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
