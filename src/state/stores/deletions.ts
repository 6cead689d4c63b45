import { writeOne } from '../conditional-writes.ts'
import type { Database } from '../database.ts'
import { isSqlText } from '../sql-text.ts'

/**
 * The life of a deletion:
 *
 *     running → done | cancelled | failed | interrupted → (row gone)
 */
export type DeletionState = 'running' | 'done' | 'cancelled' | 'failed' | 'interrupted'

export interface DeletionRow {
  readonly id: string
  /** Bucket and prefix as JSON. Opaque here. */
  readonly target: string
  readonly state: DeletionState
  /** Objects deleted so far. */
  readonly deleted: number
  readonly startedAtMs: number
  /** Milliseconds since the epoch; 0 while it runs. */
  readonly endedAtMs: number
  /** For people; may be ''. */
  readonly message: string
  /** 1: its process must stop. */
  readonly isCancelled: number
  /** The process that runs it, or ran it. */
  readonly leaseOwner: string
  readonly leaseUntilMs: number
}

export type NewDeletion = Pick<
  DeletionRow,
  'id' | 'target' | 'startedAtMs' | 'leaseOwner' | 'leaseUntilMs'
>

export interface DeletionEnd {
  readonly state: Exclude<DeletionState, 'running'>
  readonly deleted: number
  readonly endedAtMs: number
  readonly message: string
}

const columns = `id, target, state, deleted, started_at_ms AS "startedAtMs",
  ended_at_ms AS "endedAtMs", message, is_cancelled AS "isCancelled",
  lease_owner AS "leaseOwner", lease_until_ms AS "leaseUntilMs"`

const selectOne = `SELECT ${columns} FROM deletions WHERE id = ?`

const selectLatest = `SELECT ${columns} FROM deletions ORDER BY started_at_ms DESC, id DESC LIMIT ?`

const selectRunning = `SELECT ${columns} FROM deletions WHERE state = 'running'`

/** One statement, so that concurrent starts do not exceed the limit. */
const insertIfMay = `INSERT INTO deletions (id, target, state, deleted, started_at_ms, ended_at_ms,
  message, is_cancelled, lease_owner, lease_until_ms)
  SELECT ?, ?, 'running', 0, ?, 0, '', 0, ?, ?
  WHERE (SELECT count(*) FROM deletions WHERE state = 'running') < ?
  AND NOT EXISTS (SELECT 1 FROM deletions WHERE state = 'running' AND is_cancelled = 0 AND target = ?)`

const trimEnded = `DELETE FROM deletions WHERE id IN (SELECT id FROM deletions
  WHERE state <> 'running' ORDER BY started_at_ms DESC, id DESC LIMIT ? OFFSET ?)`

const saveProgress = `UPDATE deletions SET deleted = ?, lease_until_ms = ?
  WHERE id = ? AND state = 'running' AND lease_owner = ? RETURNING is_cancelled AS "isCancelled"`

const endDeletion = `UPDATE deletions SET state = ?, deleted = ?, ended_at_ms = ?, message = ?
  WHERE id = ? AND state = 'running' AND lease_owner = ?`

const askToStop = `UPDATE deletions SET is_cancelled = 1 WHERE id = ? AND state = 'running'`

/** Only if unchanged since it was read: its process may be alive after all. */
const interrupt = `UPDATE deletions SET state = 'interrupted', ended_at_ms = ?, message = ?
  WHERE id = ? AND state = 'running' AND lease_owner = ? AND lease_until_ms = ?`

const selectOld = `SELECT id FROM deletions WHERE state <> 'running' AND ended_at_ms < ? LIMIT 1`
const deleteOld = `DELETE FROM deletions WHERE state <> 'running' AND ended_at_ms < ?`

/** Maximum rows that one trim removes; there is never more than one excess row. */
const maxTrimmed = 10_000

export interface DeletionLimits {
  /** Deletions that may run at once, in all processes together. */
  readonly running: number
  /** Ended deletions that are kept. */
  readonly ended: number
}

/** Deletions of all processes, in the database. */
export class DeletionTable {
  readonly #database: Database
  readonly #limits: DeletionLimits

  constructor(database: Database, limits: DeletionLimits) {
    this.#database = database
    this.#limits = limits
  }

  /**
   * False when nothing was inserted: the limit is reached, or a deletion of the same target is running
   * and is not cancelled.
   */
  async insert(deletion: NewDeletion): Promise<boolean> {
    const { id, target, startedAtMs, leaseOwner, leaseUntilMs } = deletion
    const values = [id, target, startedAtMs, leaseOwner, leaseUntilMs]
    const [result] = await this.#database.write([
      { sql: insertIfMay, params: [...values, this.#limits.running, target] },
      { sql: trimEnded, params: [maxTrimmed, this.#limits.ended] },
    ])
    return result?.changes === 1
  }

  async find(id: string): Promise<DeletionRow | undefined> {
    if (!isSqlText(id)) return undefined
    const [row] = await this.#database.read<DeletionRow>(selectOne, [id])
    return row
  }

  /** Newest first. */
  latest(): Promise<DeletionRow[]> {
    const { running, ended } = this.#limits
    return this.#database.read<DeletionRow>(selectLatest, [running + ended])
  }

  running(): Promise<DeletionRow[]> {
    return this.#database.read<DeletionRow>(selectRunning)
  }

  /** Stores the progress and renews the lease. Returns whether the process must stop. */
  async progress(
    { id, leaseOwner }: Pick<DeletionRow, 'id' | 'leaseOwner'>,
    { deleted, leaseUntilMs }: Pick<DeletionRow, 'deleted' | 'leaseUntilMs'>,
  ): Promise<'go on' | 'cancelled' | 'lost'> {
    const params = [deleted, leaseUntilMs, id, leaseOwner]
    const [result] = await this.#database.write([{ sql: saveProgress, params }])
    const [row] = result?.rows ?? []
    if (row === undefined) return 'lost'
    return Number(row.isCancelled) === 1 ? 'cancelled' : 'go on'
  }

  /** False if it has already ended. */
  end(
    { id, leaseOwner }: Pick<DeletionRow, 'id' | 'leaseOwner'>,
    { state, deleted, endedAtMs, message }: DeletionEnd,
  ): Promise<boolean> {
    return writeOne(this.#database, endDeletion, [
      state,
      deleted,
      endedAtMs,
      message,
      id,
      leaseOwner,
    ])
  }

  /** Makes its process stop; false if it is not running. */
  async cancel(id: string): Promise<boolean> {
    return isSqlText(id) && writeOne(this.#database, askToStop, [id])
  }

  /** Ends the deletion of a dead process; false if the row has changed since it was read. */
  interrupt(
    { id, leaseOwner, leaseUntilMs }: DeletionRow,
    { endedAtMs, message }: Pick<DeletionEnd, 'endedAtMs' | 'message'>,
  ): Promise<boolean> {
    return writeOne(this.#database, interrupt, [endedAtMs, message, id, leaseOwner, leaseUntilMs])
  }

  /** Deletes the rows of deletions that ended before `untilMs`. One process calls it from time to time. */
  async sweep(untilMs: number): Promise<void> {
    // Avoid the first write of a process that writes nothing else: with SQLite, it starts a thread.
    const old = await this.#database.read(selectOld, [untilMs])
    if (old.length > 0) await this.#database.write([{ sql: deleteOld, params: [untilMs] }])
  }
}
