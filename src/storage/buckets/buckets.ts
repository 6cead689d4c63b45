import type { BucketOptions } from './bucket-options.ts'

export interface BucketConfiguration extends Omit<BucketOptions, 'isPublic'> {
  readonly name: string
  /** Whether anyone may read its objects without a signature. */
  readonly isPublic: boolean
  /** When it was made at run time, milliseconds since the epoch. Absent: it is in ALLOWED_BUCKETS. */
  readonly madeAtMs?: number
  /** The region that it was created in. Absent: REGION. */
  readonly region?: string
  /** Its folder is being removed: it is served only if that fails. */
  readonly isBeingRemoved?: boolean
}

/** The buckets that are served now. */
export interface Buckets {
  /** Undefined if there is no such bucket. Costs no database call. */
  find(name: string): BucketConfiguration | undefined
  /** In the order of ALLOWED_BUCKETS, then those made at run time, the oldest first. */
  all(): readonly BucketConfiguration[]
}

/** The settings that name buckets. */
export interface BucketSettings {
  readonly allowedBuckets: readonly string[]
  readonly publicReadBuckets: readonly string[]
}

/** The buckets of the settings. */
export class ConfiguredBuckets implements Buckets {
  readonly #buckets: ReadonlyMap<string, BucketConfiguration>

  constructor({ allowedBuckets, publicReadBuckets }: BucketSettings) {
    this.#buckets = new Map(
      allowedBuckets.map((name) => [name, { name, isPublic: publicReadBuckets.includes(name) }]),
    )
  }

  find(name: string): BucketConfiguration | undefined {
    return this.#buckets.get(name)
  }

  all(): readonly BucketConfiguration[] {
    return [...this.#buckets.values()]
  }
}
