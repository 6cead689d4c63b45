import { setTimeout as wait } from 'node:timers/promises'
import { type Drive, DriveError } from '../../drives/drive.ts'
import { HeldLease } from '../../process/held-lease.ts'
import { isLeaseFree, newLeaseOwner } from '../../process/lease-owner.ts'
import { untilAborted } from '../../process/time-limit.ts'
import type {
  BucketCountRow,
  BucketCountTable,
  BucketFigures,
  CountLease,
} from '../../state/stores/bucket-counts.ts'
import type { ManagementLog } from './management-log.ts'

/** A count older than this is refreshed when requested; a slow count is kept longer. */
const minAgeMs = 60_000
const maxAgeMs = 24 * 60 * 60_000
const ageOverDuration = 10

/** Entries in memory at a time. */
const pageEntries = 1_000

/** Renewed between pages, so it expires if the drive hangs. */
const leaseMs = 60_000
const renewEveryMs = 10_000

/** A pause as long as the page follows each page, within limits, so that requests take priority. */
const minPauseMs = 1
const maxPauseMs = 1_000

interface BucketCounterParts {
  readonly drive: Pick<Drive, 'list'>
  readonly table: BucketCountTable
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: ManagementLog
}

/** The state of a bucket; figures are undefined until the first count. */
export interface BucketCount {
  readonly figures: BucketFigures | undefined
  readonly isCounting: boolean
  /** Why the last count failed, as a message. */
  readonly problem: string | undefined
}

/**
 * Counts the objects of buckets in the background: one bucket at a time per process, one process at
 * a time per bucket (a lease in the database), and only on request.
 */
export class BucketCounter {
  readonly #parts: BucketCounterParts
  /** Buckets to count with the time of the request; 0: only if the figures are old. */
  readonly #queue = new Map<string, number>()
  readonly #closing = new AbortController()
  #current: string | undefined
  #running: Promise<void> | undefined

  constructor(parts: BucketCounterParts) {
    this.#parts = parts
  }

  /**
   * Returns the state of the buckets. Schedules a count for those with old figures or none.
   *
   * @throws DatabaseError
   */
  async read(buckets: readonly string[]): Promise<ReadonlyMap<string, BucketCount>> {
    const rows = await this.#rows()
    for (const bucket of buckets) if (this.#isDue(rows.get(bucket))) this.#begin(bucket, 0)
    return new Map(buckets.map((bucket) => [bucket, this.#stateOf(bucket, rows.get(bucket))]))
  }

  /** Counts the bucket again, even if its figures are new. */
  count(bucket: string): void {
    this.#begin(bucket, this.#parts.now())
  }

  /** Cancels running counts. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }

  async #rows(): Promise<ReadonlyMap<string, BucketCountRow>> {
    const rows = await this.#parts.table.all()
    return new Map(rows.map((row) => [row.bucket, row]))
  }

  #stateOf(bucket: string, row: BucketCountRow | undefined): BucketCount {
    const isMine = this.#queue.has(bucket) || this.#current === bucket
    return {
      figures: row === undefined || row.countedAtMs === 0 ? undefined : row,
      isCounting: isMine || (row !== undefined && !isLeaseFree(row, this.#parts.now())),
      problem: row?.problem || undefined,
    }
  }

  #isDue(row: BucketCountRow | undefined): boolean {
    if (row === undefined) return true
    const nowMs = this.#parts.now()
    const ageMs = Math.min(Math.max(row.tookMs * ageOverDuration, minAgeMs), maxAgeMs)
    return nowMs - row.triedAtMs >= ageMs && isLeaseFree(row, nowMs)
  }

  #begin(bucket: string, askedAtMs: number): void {
    if (this.#closing.signal.aborted) return
    this.#queue.set(bucket, Math.max(askedAtMs, this.#queue.get(bucket) ?? 0))
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined
    })
  }

  async #work(): Promise<void> {
    // Iterating a Map includes entries added during the iteration.
    for (const [bucket, askedAtMs] of this.#queue) {
      this.#queue.delete(bucket)
      if (this.#closing.signal.aborted) return
      this.#current = bucket
      try {
        await this.#countIfNeeded(bucket, askedAtMs)
      } catch (error) {
        this.#parts.log.warn({ bucket, err: error }, 'could not count the objects of the bucket')
      }
      this.#current = undefined
    }
  }

  async #countIfNeeded(bucket: string, askedAtMs: number): Promise<void> {
    const { table, now } = this.#parts
    const row = (await this.#rows()).get(bucket)
    // Another process may have counted it already.
    const isNeeded = askedAtMs === 0 ? this.#isDue(row) : (row?.countedAtMs ?? 0) < askedAtMs
    if (!isNeeded || (row !== undefined && !isLeaseFree(row, now()))) return
    const lease = { bucket, owner: newLeaseOwner(), untilMs: now() + leaseMs }
    if (!(await table.take(lease, row))) return
    try {
      const figures = await this.#walk(lease)
      if (figures !== undefined) await table.finish(lease, figures)
    } catch (error) {
      await this.#giveUp(lease, error)
    }
  }

  /** Undefined if the lease was lost. */
  async #walk(lease: CountLease): Promise<BucketFigures | undefined> {
    const { drive, table, now } = this.#parts
    const { signal } = this.#closing
    const countedAtMs = now()
    const tally = { objects: 0, bytes: 0, lastModifiedMs: 0 }
    const held = new HeldLease({
      ...{ ...lease, leaseMs, renewEveryMs, now },
      renew: (untilMs) => table.renew({ ...lease, untilMs }),
      lostReason: () => 'lost',
    })
    const cursor = drive.list(lease.bucket, { prefix: '', after: '' })
    for (;;) {
      const pageBegan = performance.now()
      const entries = await untilAborted(cursor.next(pageEntries), signal)
      if (entries.length === 0) return { ...tally, countedAtMs, tookMs: now() - countedAtMs }
      for (const entry of entries) {
        if (entry.kind !== 'object') continue
        tally.objects += 1
        // Sparse files may add up to more than the database can return.
        tally.bytes = Math.min(tally.bytes + entry.size, Number.MAX_SAFE_INTEGER)
        tally.lastModifiedMs = Math.max(tally.lastModifiedMs, Math.floor(entry.modifiedAtMs))
      }
      await held.renewIfDue()
      if (held.lost.aborted) return undefined
      const pauseMs = Math.min(Math.max(performance.now() - pageBegan, minPauseMs), maxPauseMs)
      await wait(pauseMs, undefined, { signal, ref: false })
    }
  }

  async #giveUp(lease: CountLease, error: unknown): Promise<void> {
    const { table, now, log } = this.#parts
    if (this.#closing.signal.aborted) {
      await table.release(lease)
      return
    }
    const problem =
      error instanceof DriveError ? error.message : 'The count failed. See the service log.'
    log.warn({ bucket: lease.bucket, err: error }, 'could not count the objects of the bucket')
    await table.fail(lease, problem, now())
  }
}
