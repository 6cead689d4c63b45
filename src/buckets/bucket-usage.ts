/** What was counted in a bucket. */
export interface CountedBytes {
  readonly bytes: number
  /** When the count began, milliseconds since the epoch. */
  readonly countedAtMs: number
}

export interface BucketUsageParts {
  /**
   * The last count of each of these buckets, without those never counted. Begins another count where that is
   * old.
   */
  readonly read: (buckets: readonly string[]) => Promise<ReadonlyMap<string, CountedBytes>>
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  readonly onFailure: (error: unknown) => void
}

/** How long a count is used before it is read again. */
const readEveryMs = 5_000

/** What was written within this time is added up, so that memory is bounded. */
const slotMs = 10_000

interface Usage {
  counted: CountedBytes | undefined
  readAtMs: number
  reading: Promise<void> | undefined
  /** Bytes written by this process since `counted`, by the time of the slot. */
  readonly written: Map<number, number>
}

/**
 * How much is in buckets, approximately: as of the last count, and what this process has written since. What
 * other processes have written is added, and what was overwritten or deleted is subtracted, by the next count.
 */
export class BucketUsage {
  readonly #parts: BucketUsageParts
  /** Only of buckets that were asked for. */
  readonly #usages = new Map<string, Usage>()

  constructor(parts: BucketUsageParts) {
    this.#parts = parts
  }

  /** Undefined until every one of these buckets was counted. Waits only for the first answer of the database. */
  async bytesIn(buckets: readonly string[]): Promise<number | undefined> {
    let sum = 0
    for (const usage of await Promise.all(buckets.map((bucket) => this.#current(bucket)))) {
      if (usage.counted === undefined) return undefined
      sum += usage.counted.bytes
      for (const bytes of usage.written.values()) sum += bytes
    }
    return sum
  }

  /** Call it after each write. Costs nothing for buckets that nobody has asked for. */
  wrote(bucket: string, bytes: number): void {
    const written = this.#usages.get(bucket)?.written
    if (written === undefined) return
    const slot = Math.floor(this.#parts.now() / slotMs) * slotMs
    written.set(slot, (written.get(slot) ?? 0) + bytes)
  }

  async #current(bucket: string): Promise<Usage> {
    const usage = this.#usageOf(bucket)
    const ageMs = this.#parts.now() - usage.readAtMs
    // A negative age: the clock was set back.
    if (ageMs >= readEveryMs || ageMs < 0) {
      usage.reading ??= this.#read(bucket, usage).finally(() => {
        usage.reading = undefined
      })
    }
    if (usage.counted === undefined) await usage.reading
    return usage
  }

  #usageOf(bucket: string): Usage {
    const known = this.#usages.get(bucket)
    if (known !== undefined) return known
    const usage: Usage = {
      counted: undefined,
      readAtMs: Number.NEGATIVE_INFINITY,
      reading: undefined,
      written: new Map(),
    }
    this.#usages.set(bucket, usage)
    return usage
  }

  async #read(bucket: string, usage: Usage): Promise<void> {
    const { read, now, onFailure } = this.#parts
    usage.readAtMs = now()
    try {
      const counted = (await read([bucket])).get(bucket)
      if (counted === undefined) return
      usage.counted = counted
      for (const slot of usage.written.keys()) {
        if (slot + slotMs <= counted.countedAtMs) usage.written.delete(slot)
      }
    } catch (error) {
      // Writes are not refused because the database does not respond: the older figures are used.
      onFailure(error)
    }
  }
}
