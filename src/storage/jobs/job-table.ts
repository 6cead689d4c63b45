import type { Database, SqlValue, Statement } from '../../platform/state/database.ts'
import { isSqlText, writeOne } from '../../platform/state/statements.ts'

/**
 * Count of a bucket or a folder, work on files that people ask for, or removal of what lifecycle rules expire. `delete` is what
 * the version before had instead of `file`: its rows are only swept.
 */
export type JobKind = 'count' | 'folder' | 'file' | 'expire' | 'delete'

/**
 * The life of a job:
 *
 *     running → done | cancelled | failed | interrupted → (running again, or row gone)
 */
type JobState = 'running' | 'done' | 'cancelled' | 'failed' | 'interrupted'

export interface JobName {
  readonly kind: JobKind
  /** Random for work on files, a digest for a folder, otherwise the bucket, which has one row per kind. */
  readonly id: string
}

export interface JobRow extends JobName {
  /** What the job has to do, unless its name says it. Opaque to the table, without NUL. */
  readonly target: string
  readonly state: JobState
  /** The results so far, as JSON. Opaque to the table. */
  readonly figures: string
  /** Milliseconds since the epoch. */
  readonly beganAtMs: number
  /** 0 while it runs. */
  readonly endedAtMs: number
  /** Why it stopped, or what remains, as a user-facing message; may be ''. */
  readonly message: string
  /** 1: its process must stop. */
  readonly isCancelled: number
  /** The owner of the lease: different for each run. */
  readonly owner: string
}

export type NewJob = Pick<JobRow, 'kind' | 'id' | 'target' | 'figures' | 'beganAtMs' | 'owner'>

/** Identifies one run of a job. */
export type JobRun = Pick<JobRow, 'kind' | 'id' | 'owner'>

export interface JobEnd extends Pick<JobRow, 'figures' | 'endedAtMs' | 'message'> {
  readonly state: Exclude<JobState, 'running'>
}

/** The reply to the process of a run. `lost`: the run has ended, or another one has begun. */
export type Answer = 'go on' | 'cancelled' | 'lost'

/** Limits for one kind of job that people start. */
export interface JobLimits {
  /** The maximum number of running jobs in all processes together. */
  readonly running: number
  /** The number of ended jobs to keep. */
  readonly ended: number
}

const select = `SELECT kind, id, target, state, figures, began_at_ms AS "beganAtMs",
  ended_at_ms AS "endedAtMs", message, is_cancelled AS "isCancelled", owner FROM jobs`
/** Without the target, which may be long. */
const selectShort = `${select.replace('id, target', "id, '' AS target")} WHERE kind = ?`
const selectLatest = `${selectShort}
  ORDER BY began_at_ms DESC, id DESC LIMIT ?`
const selectRunning = `SELECT kind, id FROM jobs WHERE kind = ? AND state = 'running'`
const selectLike = `${select} WHERE kind = ? AND state = 'running' AND target = ?`
const selectKind = `${select} WHERE kind = ? ORDER BY began_at_ms DESC, id DESC`
const selectOne = `${select} WHERE kind = ? AND id = ?`

const insert = `INSERT INTO jobs (kind, id, target, figures, began_at_ms, owner, state, ended_at_ms,
  message, is_cancelled)`

const replaced = `ON CONFLICT (kind, id) DO UPDATE SET target = excluded.target, figures = excluded.figures,
    began_at_ms = excluded.began_at_ms, owner = excluded.owner, state = 'running', ended_at_ms = 0,
    message = '', is_cancelled = 0`

/** One statement, so that concurrent starts do not exceed the limit. */
const insertIfMay = `${insert} SELECT ?, ?, ?, ?, ?, ?, 'running', 0, '', 0
  WHERE (SELECT count(*) FROM jobs WHERE kind = ? AND state = 'running') < ?
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE kind = ? AND state = 'running' AND is_cancelled = 0
    AND target = ?)
  ${replaced} WHERE jobs.state <> 'running'`

const trimEnded = `DELETE FROM jobs WHERE kind = ? AND id IN (SELECT id FROM jobs
  WHERE kind = ? AND state <> 'running' ORDER BY began_at_ms DESC, id DESC LIMIT ? OFFSET ?)`

/** Takes a row only if no other process has taken it since it was read. */
const takeRow = `${insert} VALUES (?, ?, ?, ?, ?, ?, 'running', 0, '', 0)
  ${replaced} WHERE jobs.owner = ?`

const ofRun = `WHERE kind = ? AND id = ? AND owner = ? AND state = 'running'`
const isCancelled = `is_cancelled AS "isCancelled"`
const saveFigures = `UPDATE jobs SET figures = ? ${ofRun} RETURNING ${isCancelled}`
const selectRun = `SELECT ${isCancelled} FROM jobs ${ofRun}`
const endRun = `UPDATE jobs SET state = ?, figures = ?, ended_at_ms = ?, message = ? ${ofRun}`

const askToStop = `UPDATE jobs SET is_cancelled = 1 WHERE kind = ? AND id = ? AND state = 'running'`

const ofOld = `FROM jobs WHERE kind = ? AND state <> 'running' AND ended_at_ms < ?`
const selectOld = `SELECT id ${ofOld} LIMIT 1`
const deleteOld = `DELETE ${ofOld}`

/** The maximum rows per trim. There is never more than one excess row. */
const maxTrimmed = 10_000

/** Deletes the jobs of a removed bucket. */
export function deleteBucketJobs(bucket: string): Statement {
  const sql = `DELETE FROM jobs WHERE kind IN ('count', 'expire') AND id = ?
    OR kind = 'folder' AND target LIKE ?`
  return { sql, params: [bucket, `["${bucket}",%`] }
}

/**
 * The jobs of all processes, in the database. A method that returns false has changed nothing, because another process
 * was faster or the run has ended.
 */
export class JobTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Latest first. */
  all(kind: JobKind): Promise<JobRow[]> {
    return this.#database.read<JobRow>(selectKind, [kind])
  }

  /** The latest, with empty targets. */
  list(kind: JobKind, limit: number): Promise<JobRow[]> {
    return this.#database.read<JobRow>(selectLatest, [kind, limit])
  }

  /** In no order. */
  running(kind: JobKind): Promise<(JobName & Record<string, SqlValue>)[]> {
    return this.#database.read<JobName & Record<string, SqlValue>>(selectRunning, [kind])
  }

  async findRunning(kind: JobKind, target: string): Promise<JobRow | undefined> {
    return (await this.#database.read<JobRow>(selectLike, [kind, target]))[0]
  }

  /** As `find`, with an empty target. */
  look(name: JobName): Promise<JobRow | undefined> {
    return this.#find(`${selectShort} AND id = ?`, name)
  }

  find(name: JobName): Promise<JobRow | undefined> {
    return this.#find(selectOne, name)
  }

  async #find(sql: string, { kind, id }: JobName): Promise<JobRow | undefined> {
    if (!isSqlText(id)) return undefined
    const [row] = await this.#database.read<JobRow>(sql, [kind, id])
    return row
  }

  /**
   * Inserts a running job, or replaces an ended one of the same name. Also false if the limit is reached, or a job with
   * the same target is running and not cancelled.
   */
  async insert(job: NewJob, { running, ended }: JobLimits): Promise<boolean> {
    const { kind, target } = job
    const [result] = await this.#database.write([
      { sql: insertIfMay, params: [...valuesOf(job), kind, running, kind, target] },
      { sql: trimEnded, params: [kind, kind, maxTrimmed, ended] },
    ])
    return result?.changes === 1
  }

  /** Takes the row for a new run if its owner is still that of `seen`; undefined: there was no row. */
  take(job: NewJob, seen: Pick<JobRow, 'owner'> | undefined): Promise<boolean> {
    // No run has an empty owner; a row from an earlier version may.
    return writeOne(this.#database, takeRow, [...valuesOf(job), seen?.owner ?? 'none'])
  }

  /** Stores the results so far. Returns whether the process must stop. */
  async save(run: JobRun, figures: string): Promise<Answer> {
    const params = [figures, run.kind, run.id, run.owner]
    const [result] = await this.#database.write([{ sql: saveFigures, params }])
    return answerOf(result?.rows)
  }

  /** Whether the process of a run must stop. */
  async ask(run: JobRun): Promise<Answer> {
    return answerOf(await this.#database.read(selectRun, [run.kind, run.id, run.owner]))
  }

  end(run: JobRun, { state, figures, endedAtMs, message }: JobEnd): Promise<boolean> {
    const how = [state, figures, endedAtMs, message]
    return writeOne(this.#database, endRun, [...how, run.kind, run.id, run.owner])
  }

  /** Requests that a running job stops. */
  async cancel({ kind, id }: JobName): Promise<boolean> {
    return isSqlText(id) && writeOne(this.#database, askToStop, [kind, id])
  }

  /** Deletes the rows of jobs that ended before `untilMs`. One process calls it regularly. */
  async sweep(kind: JobKind, untilMs: number): Promise<void> {
    // Avoids a first write, which with SQLite would start a thread.
    const old = await this.#database.read(selectOld, [kind, untilMs])
    if (old.length > 0) await this.#database.write([{ sql: deleteOld, params: [kind, untilMs] }])
  }
}

function answerOf([row]: readonly { readonly isCancelled?: SqlValue }[] = []): Answer {
  if (row === undefined) return 'lost'
  return Number(row.isCancelled) === 1 ? 'cancelled' : 'go on'
}

function valuesOf({ kind, id, target, figures, beganAtMs, owner }: NewJob) {
  return [kind, id, target, figures, beganAtMs, owner]
}
