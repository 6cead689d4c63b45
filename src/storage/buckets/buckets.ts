import type { BucketOptions } from './bucket-options.ts'
import type { MadeBucketRow } from './made-bucket-table.ts'

export interface BucketConfiguration extends Omit<BucketOptions, 'isPublic'> {
  readonly name: string
  /** Whether anonymous users may read objects. */
  readonly isPublic: boolean
  /** When the bucket was created at run time, milliseconds since the epoch. Absent: it is in ALLOWED_BUCKETS. */
  readonly madeAtMs?: number
  /** The region of its creation. Absent: REGION. */
  readonly region?: string
  /** Its folder is being removed. If that fails, the bucket is served again. */
  readonly isBeingRemoved?: boolean
}

/** The buckets that are served now. */
export interface Buckets {
  /** Undefined if there is no such bucket. Makes no database call. */
  find(name: string): BucketConfiguration | undefined
  /** The buckets of ALLOWED_BUCKETS in that order, then made buckets, oldest first. */
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

/** The buckets of the settings, and a copy in memory of made buckets. */
export class ServedBuckets implements Buckets {
  readonly #configured: Buckets
  readonly #read: () => Promise<readonly MadeBucketRow[]>
  #made: ReadonlyMap<string, BucketConfiguration> = new Map()

  /** @param read the rows of the database */
  constructor(configured: Buckets, read: () => Promise<readonly MadeBucketRow[]>) {
    this.#configured = configured
    this.#read = read
  }

  /** For RevisionWatch. @throws DatabaseError */
  async reload(): Promise<void> {
    const made = new Map<string, BucketConfiguration>()
    for (const { bucket: name, madeAtMs, isRemoving, region } of await this.#read()) {
      // The settings take precedence.
      if (this.#configured.find(name) !== undefined) continue
      const known = this.#made.get(name)
      const isBeingRemoved = isRemoving === 1
      const isSame = known?.madeAtMs === madeAtMs && known.isBeingRemoved === isBeingRemoved
      const row = { name, isPublic: false, madeAtMs, isBeingRemoved }
      made.set(name, isSame ? known : { ...row, ...(region !== '' && { region }) })
    }
    this.#made = made
  }

  /** Whether no bucket was made at run time. */
  get isEmpty(): boolean {
    return this.#made.size === 0
  }

  find(name: string): BucketConfiguration | undefined {
    return this.#configured.find(name) ?? this.#made.get(name)
  }

  all(): readonly BucketConfiguration[] {
    return [...this.#configured.all(), ...this.#made.values()]
  }
}
