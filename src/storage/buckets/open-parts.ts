export interface OpenPartsOptions {
  /** The bytes of parts of all open uploads, by bucket. */
  readonly read: () => Promise<ReadonlyMap<string, number>>
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  readonly onFailure: (error: unknown) => void
}

/** How long the sums are used: at least this time, and this multiple of the duration of the read. */
const minAgeMs = 5_000
const ageOverDuration = 20

/** The bytes of parts of open uploads by bucket: the sums of the database, and what this process has added since. */
export class OpenParts {
  readonly #options: OpenPartsOptions
  #read: ReadonlyMap<string, number> | undefined
  #readAtMs = Number.NEGATIVE_INFINITY
  #maxAgeMs = minAgeMs
  #reading: Promise<void> | undefined
  /** What this process has added or removed since the read began. */
  readonly #added = new Map<string, number>()

  constructor(options: OpenPartsOptions) {
    this.#options = options
  }

  /** Reads the sums if they are old. Waits only for the first read. Never rejects. */
  async refresh(): Promise<void> {
    const ageMs = this.#options.now() - this.#readAtMs
    // A negative age: the clock was set back.
    if (ageMs >= this.#maxAgeMs || ageMs < 0) {
      this.#reading ??= this.#readAll().finally(() => {
        this.#reading = undefined
      })
    }
    if (this.#read === undefined) await this.#reading
  }

  bytesIn(bucket: string): number {
    return Math.max((this.#read?.get(bucket) ?? 0) + (this.#added.get(bucket) ?? 0), 0)
  }

  /** @param bytes negative if they are no longer in an open upload */
  add(bucket: string, bytes: number): void {
    this.#added.set(bucket, (this.#added.get(bucket) ?? 0) + bytes)
  }

  async #readAll(): Promise<void> {
    const { read, now, onFailure } = this.#options
    this.#readAtMs = now()
    const began = performance.now()
    const before = [...this.#added]
    try {
      this.#read = await read()
      // Bytes that are added during the read may count twice until the next one.
      for (const [bucket, bytes] of before) this.add(bucket, -bytes)
    } catch (error) {
      // Writes are not refused because the database does not respond: the older figures are used.
      onFailure(error)
    }
    this.#maxAgeMs = Math.max(minAgeMs, (performance.now() - began) * ageOverDuration)
  }
}
