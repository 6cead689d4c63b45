import type { BucketConfiguration, Buckets } from './buckets.ts'
import type { MadeBucketRow } from './made-bucket-table.ts'

/** The buckets of the settings, and those made at run time as a copy in memory. */
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
      // A bucket of the settings stays one.
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
