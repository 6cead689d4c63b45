import { writeAll, writeOne } from '../conditional-writes.ts'
import type { Database, Statement } from '../database.ts'
import { clearBucketOptions } from './bucket-options.ts'
import { bumpRevision } from './revisions.ts'

/** A bucket that was made at run time. */
export interface MadeBucketRow {
  readonly bucket: string
  /** Milliseconds since the epoch. */
  readonly madeAtMs: number
  /** 1 while its folder is being removed: if that was interrupted, the removal is finished later. */
  readonly isRemoving: number
}

/** The holder of the right to make and remove buckets; '' when nobody has it. */
export interface MadeBucketsLease {
  readonly leaseOwner: string
  readonly leaseUntilMs: number
}

const selectAll = `SELECT bucket, made_at_ms AS "madeAtMs", is_removing AS "isRemoving"
  FROM made_buckets ORDER BY made_at_ms, bucket`
const insertFound = `INSERT INTO made_buckets (bucket, made_at_ms, is_removing)
  VALUES (?, ?, 0) ON CONFLICT (bucket) DO NOTHING`

const selectLease = `SELECT lease_owner AS "leaseOwner", lease_until_ms AS "leaseUntilMs"
  FROM made_buckets_lease`
const takeLease = `UPDATE made_buckets_lease SET lease_owner = ?, lease_until_ms = ?
  WHERE lease_owner = ? AND lease_until_ms = ?`
const renewLease = 'UPDATE made_buckets_lease SET lease_until_ms = ? WHERE lease_owner = ?'
const releaseLease =
  "UPDATE made_buckets_lease SET lease_owner = '', lease_until_ms = 0 WHERE lease_owner = ?"

/** A process that was suspended and has lost the lease changes nothing. */
const ifHeld = 'EXISTS (SELECT 1 FROM made_buckets_lease WHERE lease_owner = ?)'
const insertMade = `INSERT INTO made_buckets (bucket, made_at_ms, is_removing)
  SELECT ?, CAST(? AS BIGINT), 0 WHERE ${ifHeld}`
const setRemoving = `UPDATE made_buckets SET is_removing = ? WHERE bucket = ? AND ${ifHeld}`
const deleteMade = `DELETE FROM made_buckets WHERE bucket = ? AND ${ifHeld}`

/** Made buckets in the database. Methods that return false have changed nothing: the lease was lost. */
export class MadeBucketTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The oldest first. */
  all(): Promise<MadeBucketRow[]> {
    return this.#database.read<MadeBucketRow>(selectAll)
  }

  /** Adds buckets that the drive knows, before they are served. */
  async addFound(buckets: readonly string[], madeAtMs: number): Promise<void> {
    await this.#database.write([
      bumpRevision('buckets'),
      ...buckets.map((bucket) => ({ sql: insertFound, params: [bucket, madeAtMs] })),
    ])
  }

  /** @param leaseOwner as in all methods below */
  add(bucket: string, madeAtMs: number, leaseOwner: string): Promise<boolean> {
    const insert = { sql: insertMade, params: [bucket, madeAtMs, leaseOwner] }
    return writeAll(this.#database, [bumpRevision('buckets'), insert])
  }

  setRemoving(bucket: string, isRemoving: boolean, leaseOwner: string): Promise<boolean> {
    const set = { sql: setRemoving, params: [isRemoving ? 1 : 0, bucket, leaseOwner] }
    return writeAll(this.#database, [bumpRevision('buckets'), set])
  }

  /** Forgets the bucket with everything that is set and known about it. */
  remove(bucket: string, leaseOwner: string): Promise<boolean> {
    const required = [
      bumpRevision('buckets'),
      { sql: deleteMade, params: [bucket, leaseOwner] },
    ] satisfies Statement[]
    const others = [
      clearBucketOptions(bucket),
      { sql: 'DELETE FROM bucket_counts WHERE bucket = ?', params: [bucket] },
      { sql: 'DELETE FROM bucket_expiry WHERE bucket = ?', params: [bucket] },
    ]
    return writeAll(this.#database, required, others)
  }

  /** The right to make and remove buckets. */
  async lease(): Promise<MadeBucketsLease> {
    const [row] = await this.#database.read<MadeBucketsLease>(selectLease)
    return row ?? { leaseOwner: '', leaseUntilMs: 0 }
  }

  /** False if the lease is no longer as `seen`. */
  takeLease(
    seen: MadeBucketsLease,
    { leaseOwner, leaseUntilMs }: MadeBucketsLease,
  ): Promise<boolean> {
    const params = [leaseOwner, leaseUntilMs, seen.leaseOwner, seen.leaseUntilMs]
    return writeOne(this.#database, takeLease, params)
  }

  renewLease(leaseOwner: string, untilMs: number): Promise<boolean> {
    return writeOne(this.#database, renewLease, [untilMs, leaseOwner])
  }

  async releaseLease(leaseOwner: string): Promise<void> {
    await writeOne(this.#database, releaseLease, [leaseOwner])
  }
}
