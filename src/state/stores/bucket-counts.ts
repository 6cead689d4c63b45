import { writeOne } from '../conditional-writes.ts'
import type { Database } from '../database.ts'

/** The last known size of a bucket. */
export interface BucketCountRow {
  readonly bucket: string
  readonly objects: number
  readonly bytes: number
  /** Of the object that changed last, milliseconds since the epoch; 0 when there is none. */
  readonly lastModifiedMs: number
  /** The start of the count of these figures, milliseconds since the epoch; 0: never counted. */
  readonly countedAtMs: number
  /** How long it took. */
  readonly tookMs: number
  /** The end of the last count, successful or not; 0: never. */
  readonly triedAtMs: number
  /** Why the last count failed, for people; '' if it succeeded. */
  readonly problem: string
  /** The process that is counting; '' when none is. */
  readonly leaseOwner: string
  readonly leaseUntilMs: number
}

export type BucketFigures = Pick<
  BucketCountRow,
  'objects' | 'bytes' | 'lastModifiedMs' | 'countedAtMs' | 'tookMs'
>

/** The right to count one bucket. */
export interface CountLease {
  readonly bucket: string
  readonly owner: string
  readonly untilMs: number
}

const selectAll = `SELECT bucket, objects, bytes, last_modified_ms AS "lastModifiedMs",
  counted_at_ms AS "countedAtMs", took_ms AS "tookMs", tried_at_ms AS "triedAtMs", problem,
  lease_owner AS "leaseOwner", lease_until_ms AS "leaseUntilMs" FROM bucket_counts`

const insertTaken = `INSERT INTO bucket_counts (bucket, objects, bytes, last_modified_ms,
  counted_at_ms, took_ms, tried_at_ms, problem, lease_owner, lease_until_ms)
  VALUES (?, 0, 0, 0, 0, 0, 0, '', ?, ?) ON CONFLICT (bucket) DO NOTHING`

/** A row is taken only if it has not changed since it was read. */
const takeSeen = `UPDATE bucket_counts SET lease_owner = ?, lease_until_ms = ?
  WHERE bucket = ? AND tried_at_ms = ? AND lease_owner = ? AND lease_until_ms = ?`

const renewLease = `UPDATE bucket_counts SET lease_until_ms = ?
  WHERE bucket = ? AND lease_owner = ?`

const finishCount = `UPDATE bucket_counts SET objects = ?, bytes = ?, last_modified_ms = ?,
  counted_at_ms = ?, took_ms = ?, tried_at_ms = ?, problem = '', lease_owner = '',
  lease_until_ms = 0 WHERE bucket = ? AND lease_owner = ?`

const failCount = `UPDATE bucket_counts SET tried_at_ms = ?, problem = ?, lease_owner = '',
  lease_until_ms = 0 WHERE bucket = ? AND lease_owner = ?`

const releaseLease = `UPDATE bucket_counts SET lease_owner = '', lease_until_ms = 0
  WHERE bucket = ? AND lease_owner = ?`

/**
 * Counts of buckets in the database. The process with the lease in a bucket's row counts the bucket.
 * Methods that return false have changed nothing, because another process has the lease.
 */
export class BucketCountTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** One row for each bucket that a count was ever requested for. */
  all(): Promise<BucketCountRow[]> {
    return this.#database.read<BucketCountRow>(selectAll)
  }

  /** Takes the lease, unless the row is no longer as `seen`; undefined: there was none. */
  take({ bucket, owner, untilMs }: CountLease, seen: BucketCountRow | undefined): Promise<boolean> {
    if (seen === undefined) return writeOne(this.#database, insertTaken, [bucket, owner, untilMs])
    const { triedAtMs, leaseOwner, leaseUntilMs } = seen
    return writeOne(this.#database, takeSeen, [
      owner,
      untilMs,
      bucket,
      triedAtMs,
      leaseOwner,
      leaseUntilMs,
    ])
  }

  renew({ bucket, owner, untilMs }: CountLease): Promise<boolean> {
    return writeOne(this.#database, renewLease, [untilMs, bucket, owner])
  }

  /** Stores the figures and releases the lease. */
  finish({ bucket, owner }: CountLease, figures: BucketFigures): Promise<boolean> {
    const { objects, bytes, lastModifiedMs, countedAtMs, tookMs } = figures
    const taken = [objects, bytes, lastModifiedMs, countedAtMs, tookMs]
    return writeOne(this.#database, finishCount, [...taken, countedAtMs + tookMs, bucket, owner])
  }

  /** Keeps the older figures, stores why the count failed, and releases the lease. */
  fail({ bucket, owner }: CountLease, problem: string, triedAtMs: number): Promise<boolean> {
    return writeOne(this.#database, failCount, [triedAtMs, problem, bucket, owner])
  }

  /** Releases the lease without recording an attempt. */
  release({ bucket, owner }: CountLease): Promise<boolean> {
    return writeOne(this.#database, releaseLease, [bucket, owner])
  }
}
