import { writeOne } from '../conditional-writes.ts'
import type { Database } from '../database.ts'

/** The last run of a bucket's lifecycle rules. */
export interface BucketExpiryRow extends ExpiryProgress {
  readonly bucket: string
  /** A digest of the rules. */
  readonly rules: string
  /** The day of the run, in days since the epoch; UTC. */
  readonly day: number
  readonly beganAtMs: number
  /** When it was worked on last. */
  readonly triedAtMs: number
  /** Why it stopped, for people; '' if nothing is wrong. */
  readonly problem: string
  /** The process that works on it; '' when none does. */
  readonly leaseOwner: string
  readonly leaseUntilMs: number
}

export interface ExpiryProgress {
  readonly phase: 'objects' | 'uploads' | 'done'
  /** The last key that was looked at, as JSON: PostgreSQL's text has no NUL character, a key may. */
  readonly position: string
  /** Removed so far. */
  readonly objects: number
  readonly uploads: number
  /** Could not be removed; the next run tries again. */
  readonly failures: number
}

export type ExpiryRun = Pick<BucketExpiryRow, 'rules' | 'day' | 'beganAtMs'>

/** The right to remove what expired in one bucket. */
export interface ExpiryLease {
  readonly bucket: string
  readonly owner: string
  readonly untilMs: number
}

const selectAll = `SELECT bucket, rules, day, phase, position, objects, uploads, failures,
  began_at_ms AS "beganAtMs", tried_at_ms AS "triedAtMs", problem, lease_owner AS "leaseOwner",
  lease_until_ms AS "leaseUntilMs" FROM bucket_expiry`

const insertTaken = `INSERT INTO bucket_expiry (bucket, rules, day, phase, position, objects,
  uploads, failures, began_at_ms, tried_at_ms, problem, lease_owner, lease_until_ms)
  VALUES (?, ?, ?, 'objects', '""', 0, 0, 0, ?, 0, '', ?, ?) ON CONFLICT (bucket) DO NOTHING`

/** A row is taken only if it has not changed since it was read. */
const unchanged = `WHERE bucket = ? AND rules = ? AND day = ? AND phase = ? AND tried_at_ms = ?
  AND lease_owner = ? AND lease_until_ms = ?`

const takeAgain = `UPDATE bucket_expiry SET lease_owner = ?, lease_until_ms = ? ${unchanged}`

const takeAnew = `UPDATE bucket_expiry SET rules = ?, day = ?, phase = 'objects', position = '""',
  objects = 0, uploads = 0, failures = 0, began_at_ms = ?, problem = '', lease_owner = ?,
  lease_until_ms = ? ${unchanged}`

const saveProgress = `UPDATE bucket_expiry SET phase = ?, position = ?, objects = ?, uploads = ?,
  failures = ?, tried_at_ms = ?, problem = ?, lease_owner = ?, lease_until_ms = ?
  WHERE bucket = ? AND lease_owner = ?`

/**
 * Runs of lifecycle rules in the database. Methods that return false have changed nothing, because another
 * process has the lease.
 */
export class BucketExpiryTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** One row for each bucket that rules ever ran for. */
  all(): Promise<BucketExpiryRow[]> {
    return this.#database.read<BucketExpiryRow>(selectAll)
  }

  /**
   * Takes the lease to continue the run of `seen`, or for a new `run`, unless the row is no longer as `seen`;
   * undefined: there was none.
   */
  take(
    { bucket, owner, untilMs }: ExpiryLease,
    seen: BucketExpiryRow | undefined,
    run: ExpiryRun,
  ): Promise<boolean> {
    const { rules, day, beganAtMs } = run
    if (seen === undefined) {
      return writeOne(this.#database, insertTaken, [bucket, rules, day, beganAtMs, owner, untilMs])
    }
    const { phase, triedAtMs, leaseOwner, leaseUntilMs } = seen
    const asSeen = [bucket, seen.rules, seen.day, phase, triedAtMs, leaseOwner, leaseUntilMs]
    if (seen.rules === rules && seen.day === day) {
      return writeOne(this.#database, takeAgain, [owner, untilMs, ...asSeen])
    }
    return writeOne(this.#database, takeAnew, [rules, day, beganAtMs, owner, untilMs, ...asSeen])
  }

  /** Stores the progress and renews the lease. */
  save(lease: ExpiryLease, progress: ExpiryProgress, nowMs: number): Promise<boolean> {
    return this.#save(lease, progress, { nowMs, problem: '', leaseOwner: lease.owner })
  }

  /** Stores the progress and releases the lease. @param problem why it stopped early; '' otherwise. */
  release(
    lease: ExpiryLease,
    progress: ExpiryProgress,
    { nowMs, problem }: { readonly nowMs: number; readonly problem: string },
  ): Promise<boolean> {
    return this.#save({ ...lease, untilMs: 0 }, progress, { nowMs, problem, leaseOwner: '' })
  }

  #save(
    { bucket, owner, untilMs }: ExpiryLease,
    { phase, position, objects, uploads, failures }: ExpiryProgress,
    saved: { readonly nowMs: number; readonly problem: string; readonly leaseOwner: string },
  ): Promise<boolean> {
    const { nowMs, problem, leaseOwner } = saved
    return writeOne(this.#database, saveProgress, [
      ...[phase, position, objects, uploads, failures, nowMs, problem, leaseOwner, untilMs],
      ...[bucket, owner],
    ])
  }
}
