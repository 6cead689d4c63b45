import type { Log } from '../../platform/process/log.ts'
import { DriveError } from '../drives/drive-error.ts'
import type { KeyLease, KeyLeases } from '../drives/kit/key-leases.ts'
import type { Answer, JobEnd, JobKind, JobLimits, JobName, JobRow, JobTable } from './job-table.ts'
import { withGrace } from './walk.ts'

/** How often figures that have changed are saved. */
const saveEveryMs = 1_000
/** How often a job that people can stop checks whether another process was asked to stop it. */
const listenEveryMs = 250

/** Work on a bucket in the background. */
export interface Job extends JobName {
  /** What the job has to do, unless its name says it. */
  readonly target: string
  readonly beganAtMs: number
  /** The results so far. `work` changes the object, and it is saved about every second. */
  readonly figures: object
  /** The row that the job replaces. */
  readonly seen?: JobRow | undefined
  /** For a job that people start and can stop. It gets its own row, unless it continues in that of `seen`. */
  readonly limits?: JobLimits
  /** Aborts to stop; a later run continues. */
  readonly signal?: AbortSignal
  /** Fields that identify the job in log lines. */
  readonly fields: object
  /** The message of the log line if it fails. */
  readonly failure: string
  /** Resolves with a user-facing message about the result, or ''. */
  work(run: Run): Promise<string>
}

/** Why a job stops early. `outdated`: its task has changed. */
type StopReason = 'cancelled' | 'closing' | 'lost' | 'outdated'

/** A running job, in the process that runs it. */
export class Run {
  /** Aborts when the job has to stop. */
  readonly signal: AbortSignal
  /** Aborts later than `signal`: see `withGrace`. */
  readonly late: AbortSignal
  readonly #stopping: AbortController
  readonly #lease: KeyLease
  readonly #save: () => Promise<Answer>
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    stopping: AbortController,
    lease: KeyLease,
    signals: readonly AbortSignal[],
    save: () => Promise<Answer>,
  ) {
    this.#stopping = stopping
    this.#lease = lease
    this.#save = save
    this.signal = AbortSignal.any([stopping.signal, ...signals])
    this.late = withGrace(this.signal)
  }

  /** Whether another process continues the job, if its kind is continued. */
  get isHandedOver(): boolean {
    return this.signal.aborted && this.signal.reason !== ('cancelled' satisfies StopReason)
  }

  /** Call before each step. @throws the signal's reason */
  assertMayGoOn(): void {
    this.stopIfLost()
    this.signal.throwIfAborted()
  }

  /** As `assertMayGoOn`, for a step that has begun: it may finish until `late` aborts, unless the job is lost. */
  assertMayEnd(): void {
    this.stopIfLost()
    if (!this.#lease.isHeld) this.signal.throwIfAborted()
    this.late.throwIfAborted()
  }

  /** Stores the figures, for instance before a step that another run has to know of. @throws the signal's reason */
  async save(): Promise<void> {
    // One after the other: the database could otherwise end with the earlier figures.
    const mine = this.#last.then(() => this.#save())
    this.#last = mine.catch(() => undefined)
    stopIf(await mine, this)
    this.assertMayGoOn()
  }

  /** Stops the job if another process may have taken it over. */
  stopIfLost(): void {
    if (!this.#lease.isHeld) this.stop('lost')
  }

  stop(reason: StopReason): void {
    this.#stopping.abort(reason)
  }
}

const nouns = {
  ...{ count: 'count', folder: 'count', file: 'job', expire: 'removal', delete: 'deletion' },
} as const satisfies Record<JobKind, string>

/** Jobs that another process continues if their own ends: their rows then say `running` until somebody does that. */
const continued: ReadonlySet<JobKind> = new Set(['file'])

/** A job that this process runs or is about to run. */
interface Active extends JobName {
  readonly stopping: AbortController
  readonly ended: Promise<void>
}

interface RunnerParts {
  readonly table: JobTable
  /** Keys are those of `keyOf`. */
  readonly leases: KeyLeases
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Log
}

/**
 * Runs jobs. A lease in the database ensures that one process at a time works on a job. Other processes see its progress
 * in its row, and can request a stop there.
 */
export class JobRunner {
  readonly #parts: RunnerParts
  readonly #active = new Set<Active>()
  #isClosed = false

  constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  /** The jobs of a kind, latest first. Jobs of dead processes become `interrupted`. */
  async all(kind: JobKind): Promise<readonly JobRow[]> {
    const rows = await this.#parts.table.all(kind)
    return (await this.#interruptDead(rows)) ? this.#parts.table.all(kind) : rows
  }

  /** As `all`. */
  async find(name: JobName): Promise<JobRow | undefined> {
    const row = await this.#parts.table.find(name)
    if (row === undefined) return undefined
    return (await this.#interruptDead([row])) ? this.#parts.table.find(name) : row
  }

  /** Whether no process works on a job. */
  async isAbandoned(name: JobName): Promise<boolean> {
    const { leases } = this.#parts
    const found = await leases.look([keyOf(name)], [])
    return !found.leases.some((lease) => leases.isLive(lease))
  }

  /**
   * Starts a job. Undefined if another process runs it or was faster, a limit is reached, or this process is closing.
   *
   * @throws DatabaseError
   */
  async start(
    job: Job,
  ): Promise<{ readonly row: JobRow; readonly ended: Promise<void> } | undefined> {
    if (this.#isClosed) return undefined
    const { kind, id, signal } = job
    const stopping = new AbortController()
    const begun = Promise.withResolvers<JobRow | undefined>()
    const ended = this.#parts.leases
      .holdIfFree([keyOf(job)], async (lease) => {
        const row = await this.#begin(job, lease)
        begun.resolve(row)
        if (row === undefined) return
        const signals = signal === undefined ? [] : [signal]
        const save = () => this.#parts.table.save(row, JSON.stringify(job.figures))
        await this.#run(job, row, new Run(stopping, lease, signals, save))
      })
      // A lease that cannot be released expires.
      .then(() => begun.resolve(undefined), begun.reject)
    const active = { kind, id, stopping, ended }
    this.#active.add(active)
    void ended.finally(() => this.#active.delete(active))
    const row = await begun.promise
    return row === undefined ? undefined : { row, ended }
  }

  /** Requests a stop of a job, in any process. A job of this process has ended when it resolves. */
  async cancel(name: JobName): Promise<void> {
    await this.#parts.table.cancel(name)
    for (const { kind, id, stopping, ended } of this.#active) {
      if (kind !== name.kind || id !== name.id) continue
      stopping.abort('cancelled' satisfies StopReason)
      await ended
    }
  }

  /** Stops the jobs of this process and starts no more. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { stopping } of this.#active) stopping.abort('closing' satisfies StopReason)
    await Promise.all([...this.#active].map(({ ended }) => ended))
  }

  async #begin(job: Job, { owner }: KeyLease): Promise<JobRow | undefined> {
    const { kind, id, target, beganAtMs, limits, seen } = job
    const { table } = this.#parts
    const row = { kind, id, target, beganAtMs, owner, figures: JSON.stringify(job.figures) }
    const isOld = limits === undefined || seen !== undefined
    const isMine = await (isOld ? table.take(row, seen) : table.insert(row, limits))
    if (!isMine) return undefined
    return { ...row, state: 'running', endedAtMs: 0, message: '', isCancelled: 0 }
  }

  /** Never rejects. */
  async #run(job: Job, row: JobRow, run: Run): Promise<void> {
    const timer = setInterval(this.#beat(job, row, run), listenEveryMs)
    timer.unref()
    const how = await this.#work(job, run)
    clearInterval(timer)
    const end = { ...how, figures: JSON.stringify(job.figures), endedAtMs: this.#parts.now() }
    try {
      if (how.state === 'interrupted' && continued.has(job.kind)) {
        await this.#parts.table.save(row, end.figures)
      } else await this.#parts.table.end(row, end)
    } catch (error) {
      // The lease expires, and the next read continues the job or marks it as interrupted.
      const message = `could not save the result of a ${nouns[job.kind]}`
      this.#parts.log.error({ ...job.fields, err: error }, message)
    }
  }

  async #work(job: Job, run: Run): Promise<Pick<JobEnd, 'state' | 'message'>> {
    try {
      return { state: 'done', message: await job.work(run) }
    } catch (error) {
      if (run.signal.aborted) return endingOf(run.signal.reason, job.kind)
      this.#parts.log.warn({ ...job.fields, err: error }, job.failure)
      const unknown = `The ${nouns[job.kind]} failed. See the service log.`
      return { state: 'failed', message: error instanceof DriveError ? error.message : unknown }
    }
  }

  /** Saves the progress, and stops the job if necessary. Called at intervals. */
  #beat(job: Job, row: JobRow, run: Run): () => Promise<void> {
    let saved = { figures: row.figures, at: performance.now() }
    let isWaiting = false
    return async () => {
      // Works even if the database does not respond.
      run.stopIfLost()
      if (isWaiting) return
      isWaiting = true
      try {
        const next = { figures: JSON.stringify(job.figures), at: performance.now() }
        if (next.figures !== saved.figures && next.at - saved.at >= saveEveryMs) {
          await run.save()
          saved = next
        } else if (job.limits !== undefined) stopIf(await this.#parts.table.ask(row), run)
      } catch {
        // The database may respond again before the lease ends.
      }
      isWaiting = false
    }
  }

  /** Returns whether there were any. */
  async #interruptDead(rows: readonly JobRow[]): Promise<boolean> {
    const { table, leases, now } = this.#parts
    const ended = await Promise.all(
      rows.map(async (row) => {
        if (row.state !== 'running' || continued.has(row.kind)) return false
        const how = { ...endingOf('lost', row.kind), figures: row.figures }
        return await leases.holdIfFree([keyOf(row)], async () => {
          await table.end(row, { ...how, endedAtMs: now() })
          return true
        })
      }),
    )
    return ended.includes(true)
  }
}

function keyOf({ kind, id }: JobName): string {
  return `${kind}/${id}`
}

function stopIf(answer: Answer, run: Run): void {
  if (answer !== 'go on') run.stop(answer)
}

function endingOf(reason: StopReason, kind: JobKind): Pick<JobEnd, 'state' | 'message'> {
  if (reason === 'cancelled') return { state: 'cancelled', message: '' }
  if (reason === 'outdated') return { state: 'interrupted', message: '' }
  const isLost = reason === 'lost'
  const why = isLost
    ? `The process that ran the ${nouns[kind]} has ended.`
    : 'The service was stopped.'
  return { state: 'interrupted', message: why }
}
