import { OpenParts, type OpenPartsOptions } from './open-parts.ts'

export interface CountedBytes {
  readonly bytes: number
  /** When the count began, milliseconds since the epoch. */
  readonly countedAtMs: number
}

export interface BucketUsageParts extends Pick<OpenPartsOptions, 'now' | 'onFailure'> {
  /** The last counts of these buckets; buckets that were never counted are missing. Starts new counts for old ones. */
  readonly read: (buckets: readonly string[]) => Promise<ReadonlyMap<string, CountedBytes>>
  readonly readOpenParts: OpenPartsOptions['read']
}

/** A limit for the total size of these buckets. */
export interface StorageLimit {
  readonly buckets: readonly string[]
  readonly bytes: number
}

/** A limit that would be exceeded, and the figures of its buckets. */
export interface Exceeded<Limit extends StorageLimit> {
  readonly limit: Limit
  /** Bytes of objects. */
  readonly stored: number
  /** Bytes of parts of open uploads, and of requests in progress in this process. */
  readonly pending: number
}

/** How long a count is used before it is read again. */
const readEveryMs = 5_000

/** Writes within this time are added up. */
const slotMs = 1_000
/** With more slots, neighbours are joined: this bounds memory even if no count succeeds. */
const maxSlots = 10_000

interface Usage {
  counted: CountedBytes | undefined
  readAtMs: number
  reading: Promise<void> | undefined
  /** Bytes written by this process since `counted`, by the time of the slot, oldest first. */
  readonly written: Map<number, number>
  /** The sum of `written`. */
  writtenBytes: number
  /** Bytes of requests in progress in this process. */
  reservedBytes: number
}

/**
 * The approximate size of buckets: the last count, what this process has written since then or is writing, and the parts
 * of open uploads. The next count adds the writes of other processes and subtracts what was overwritten or deleted. For
 * a bucket that was never counted, only the other figures are known.
 */
export class BucketUsage {
  readonly #parts: BucketUsageParts
  /** Only of buckets with limits. */
  readonly #usages = new Map<string, Usage>()
  readonly #openParts: OpenParts

  constructor(parts: BucketUsageParts) {
    this.#parts = parts
    this.#openParts = new OpenParts({ ...parts, read: parts.readOpenParts })
  }

  /**
   * Reserves bytes in the bucket until `giveBack`, unless a limit would be exceeded. Waits for the database only if it
   * has no figures yet.
   *
   * @param limits limits that include this bucket
   * @param minParts bytes known to be in open uploads: the figure of the database may be older
   */
  async reserve<Limit extends StorageLimit>(
    bucket: string,
    bytes: number,
    limits: readonly Limit[],
    minParts = 0,
  ): Promise<Exceeded<Limit> | undefined> {
    await this.#load(limits)
    // Nothing is awaited from here on, so that no two requests reserve the same bytes.
    for (const limit of limits) {
      const { stored, reserved, parts } = this.#sumOf(limit)
      const pending = reserved + Math.max(parts, minParts)
      if (stored + pending + bytes > limit.bytes) return { limit, stored, pending }
    }
    this.#usageOf(bucket).reservedBytes += bytes
    return undefined
  }

  /** Ends a reservation. Call `wrote` first. */
  giveBack(bucket: string, bytes: number): void {
    this.#usageOf(bucket).reservedBytes -= bytes
  }

  /** The limit that objects with this many more bytes would exceed, regardless of writes in progress. */
  async exceededBy<Limit extends StorageLimit>(
    bytes: number,
    limits: readonly Limit[],
  ): Promise<Exceeded<Limit> | undefined> {
    await this.#load(limits)
    for (const limit of limits) {
      const { stored } = this.#sumOf(limit)
      if (stored + bytes > limit.bytes) return { limit, stored, pending: 0 }
    }
    return undefined
  }

  /** Call after each write of an object. Costs nothing for buckets without limits. */
  wrote(bucket: string, bytes: number): void {
    const usage = this.#usages.get(bucket)
    if (usage === undefined) return
    const slot = Math.floor(this.#parts.now() / slotMs) * slotMs
    usage.written.set(slot, (usage.written.get(slot) ?? 0) + bytes)
    usage.writtenBytes += bytes
    if (usage.written.size > maxSlots) joinNeighbours(usage.written)
  }

  /**
   * Call when parts of an open upload are stored.
   *
   * @param bytes negative if they are no longer in an open upload
   */
  addedParts(bucket: string, bytes: number): void {
    this.#openParts.add(bucket, bytes)
  }

  async #load(limits: readonly StorageLimit[]): Promise<void> {
    const usages = limits.flatMap(({ buckets }) => buckets).map((name) => this.#usageOf(name))
    this.#readDue(limits)
    await this.#openParts.refresh()
    for (const usage of usages) if (usage.counted === undefined) await usage.reading
  }

  /** One read for all of them, because a key may have grants for every bucket. */
  #readDue(limits: readonly StorageLimit[]): void {
    const nowMs = this.#parts.now()
    const due = new Map<string, Usage>()
    for (const bucket of limits.flatMap(({ buckets }) => buckets)) {
      const usage = this.#usageOf(bucket)
      const ageMs = nowMs - usage.readAtMs
      // A negative age: the clock was set back.
      const isDue = ageMs >= readEveryMs || ageMs < 0
      if (isDue && usage.reading === undefined) due.set(bucket, usage)
    }
    if (due.size === 0) return
    const reading = this.#read(due).finally(() => {
      for (const usage of due.values()) usage.reading = undefined
    })
    for (const usage of due.values()) usage.reading = reading
  }

  #usageOf(bucket: string): Usage {
    const known = this.#usages.get(bucket)
    if (known !== undefined) return known
    const usage: Usage = {
      counted: undefined,
      readAtMs: Number.NEGATIVE_INFINITY,
      reading: undefined,
      written: new Map(),
      ...{ writtenBytes: 0, reservedBytes: 0 },
    }
    this.#usages.set(bucket, usage)
    return usage
  }

  #sumOf({ buckets }: StorageLimit) {
    let [stored, reserved, parts] = [0, 0, 0]
    for (const bucket of buckets) {
      const { counted, writtenBytes, reservedBytes } = this.#usageOf(bucket)
      stored += (counted?.bytes ?? 0) + writtenBytes
      reserved += reservedBytes
      parts += this.#openParts.bytesIn(bucket)
    }
    return { stored, reserved, parts }
  }

  async #read(due: ReadonlyMap<string, Usage>): Promise<void> {
    const { read, now, onFailure } = this.#parts
    for (const usage of due.values()) usage.readAtMs = now()
    try {
      const counts = await read([...due.keys()])
      for (const [bucket, usage] of due) forgetCounted(usage, counts.get(bucket))
    } catch (error) {
      // Writes are not refused because the database does not respond: the older figures are used.
      onFailure(error)
    }
  }
}

function forgetCounted(usage: Usage, counted: CountedBytes | undefined): void {
  if (counted === undefined) return
  usage.counted = counted
  for (const [slot, bytes] of usage.written) {
    if (slot + slotMs > counted.countedAtMs) continue
    usage.written.delete(slot)
    usage.writtenBytes -= bytes
  }
}

/** Joins each two slots into the later one, which is dropped by a count that begins after both. */
function joinNeighbours(written: Map<number, number>): void {
  let earlier: readonly [slot: number, bytes: number] | undefined
  for (const [slot, bytes] of [...written]) {
    if (earlier === undefined) {
      earlier = [slot, bytes]
      continue
    }
    written.delete(earlier[0])
    written.set(slot, earlier[1] + bytes)
    earlier = undefined
  }
}
