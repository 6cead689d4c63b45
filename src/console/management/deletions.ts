import { randomBytes } from 'node:crypto'
import { type Drive, DriveError } from '../../drives/drive.ts'
import { ApiError } from '../../json-api/api-error.ts'
import { HeldLease } from '../../process/held-lease.ts'
import { isLeaseFree, newLeaseOwner } from '../../process/lease-owner.ts'
import { untilAborted, withinTime } from '../../process/time-limit.ts'
import type {
  DeletionEnd,
  DeletionRow,
  DeletionTable,
  NewDeletion,
} from '../../state/stores/deletions.ts'
import { deletePrefix } from './delete-prefix.ts'
import { leftFolder } from './left-folder.ts'
import type { ManagementLog } from './management-log.ts'
import { removeFolders } from './remove-folders.ts'

/** Maximum running deletions across all processes, and ended ones to remember. */
export const deletionLimits = { running: 4, ended: 200 } as const

/** The maximum time that an ended deletion is remembered. */
export const deletionKeptMs = 24 * 60 * 60_000

/** A deletion whose process reports no progress for this long counts as interrupted. */
const leaseMs = 30_000
const beatEveryMs = 1_000
/** The time limit for checking what remains. */
const leftOverMs = 5_000

/** How often a deletion checks whether another process asked it to stop. */
const listenEveryMs = 250

const processIsGone =
  'The process that ran the deletion has ended. Some objects may remain. Delete again to remove them.'
const serviceStopped =
  'The service was stopped. Some objects may remain. Delete again to remove them.'

function emptyFolder(folder: string): string {
  return `All objects are deleted. The empty folder ${folder} remains. Remove it on the drive.`
}

interface DeletionsParts {
  readonly drive: Pick<Drive, 'list' | 'remove' | 'removeFolder'>
  readonly table: DeletionTable
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: ManagementLog
}

interface DeletionTarget {
  readonly bucket: string
  readonly prefix: string
  /** Keeps objects and folders that contain objects. */
  readonly onlyEmptyFolders?: boolean
}

/** Why a deletion of this process stops before its end. */
type StopReason = 'cancelled' | 'closing' | 'lost'

/** A deletion that runs in this process. */
interface Job {
  readonly row: NewDeletion
  readonly target: DeletionTarget
  readonly stopping: AbortController
  deleted: number
}

/**
 * Deletions of everything below a prefix. Each runs in the process that received the request. Other
 * processes read its progress and stop it through the database.
 */
export class Deletions {
  readonly #parts: DeletionsParts
  readonly #jobs = new Map<Job, Promise<void>>()
  #isClosed = false

  constructor(parts: DeletionsParts) {
    this.#parts = parts
  }

  /**
   * Starts a deletion, or returns the running one with the same target.
   *
   * @throws ApiError 409 if too many are running.
   */
  async start(target: DeletionTarget): Promise<DeletionRow> {
    const { table, now } = this.#parts
    const row = {
      id: randomBytes(12).toString('base64url'),
      target: encodeTarget(target),
      startedAtMs: now(),
      leaseOwner: newLeaseOwner(),
      leaseUntilMs: now() + leaseMs,
    }
    const same = await this.#runningLike(row)
    if (same !== undefined) return same
    if (!this.#isClosed && (await table.insert(row))) {
      this.#run(row, target)
      return { ...row, state: 'running', deleted: 0, endedAtMs: 0, message: '', isCancelled: 0 }
    }
    // Another request may have started it already.
    const faster = await this.#runningLike(row)
    if (faster !== undefined) return faster
    throw new ApiError(
      409,
      `At most ${deletionLimits.running} deletions can run at once. Wait for one to finish, or cancel one.`,
    )
  }

  /** Newest first. */
  async latest(): Promise<readonly DeletionRow[]> {
    return this.#withoutDead(await this.#parts.table.latest())
  }

  async find(id: string): Promise<DeletionRow | undefined> {
    const row = await this.#parts.table.find(id)
    return row === undefined ? undefined : (await this.#withoutDead([row]))[0]
  }

  /**
   * Asks a deletion to stop, in whichever process it runs; resolves with its current state.
   * Undefined: unknown.
   */
  async cancel(id: string): Promise<DeletionRow | undefined> {
    await this.#parts.table.cancel(id)
    for (const [job, end] of this.#jobs) {
      if (job.row.id !== id) continue
      job.stopping.abort('cancelled' satisfies StopReason)
      await end
    }
    return this.find(id)
  }

  /** Stops the deletions of this process. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { stopping } of this.#jobs.keys()) stopping.abort('closing' satisfies StopReason)
    await Promise.all(this.#jobs.values())
  }

  /** A deletion with the same target that was not asked to stop. */
  async #runningLike({ target }: NewDeletion): Promise<DeletionRow | undefined> {
    const rows = await this.#withoutDead(await this.#parts.table.running())
    return rows.find((row) => isRunning(row) && row.isCancelled === 0 && row.target === target)
  }

  /** Marks deletions whose process has died as interrupted, on any read. */
  async #withoutDead(rows: readonly DeletionRow[]): Promise<DeletionRow[]> {
    const { table, now } = this.#parts
    return Promise.all(
      rows.map(async (row) => {
        if (!isRunning(row) || !isLeaseFree(row, now())) return row
        await table.interrupt(row, { endedAtMs: now(), message: processIsGone })
        return (await table.find(row.id)) ?? row
      }),
    )
  }

  #run(row: NewDeletion, target: DeletionTarget): void {
    const { log, now } = this.#parts
    const stopping = new AbortController()
    const job: Job = { row, target, stopping, deleted: 0 }
    const lease = this.#keepLease(job)
    const listening = setInterval(() => this.#listen(job), listenEveryMs).unref()
    const end = this.#delete(job)
      .then(async (how) => {
        lease.end()
        clearInterval(listening)
        await this.#parts.table.end(row, { ...how, deleted: job.deleted, endedAtMs: now() })
      })
      .catch((error: unknown) => {
        // The lease expires, and the next read marks the deletion as interrupted.
        log.error({ deletionId: row.id, err: error }, 'could not save the result of a deletion')
      })
      .finally(() => this.#jobs.delete(job))
    this.#jobs.set(job, end)
  }

  async #delete(job: Job): Promise<Pick<DeletionEnd, 'state' | 'message'>> {
    const { drive, log } = this.#parts
    const { signal } = job.stopping
    const onDeleted = () => {
      job.deleted += 1
    }
    try {
      const { bucket, prefix, onlyEmptyFolders = false } = job.target
      if (!onlyEmptyFolders) await deletePrefix({ drive, bucket, prefix, signal, onDeleted })
      await removeFolders({ drive, bucket, signal }, prefix)
      return { state: 'done', message: await this.#leftOver(job) }
    } catch (error) {
      if (signal.aborted) return endings[signal.reason as StopReason]
      log.warn({ ...job.target, err: error }, 'deletion failed')
      if (error instanceof DriveError) return { state: 'failed', message: error.message }
      return { state: 'failed', message: 'The deletion failed. See the service log.' }
    }
  }

  /** Describes what remains unexpectedly; '' if nothing does. Never rejects. */
  async #leftOver({ target: { bucket, prefix }, stopping }: Job): Promise<string> {
    try {
      const looking = leftFolder(this.#parts.drive, bucket, prefix)
      const folder = await untilAborted(withinTime(looking, leftOverMs), stopping.signal)
      return folder === undefined ? '' : emptyFolder(folder)
    } catch {
      // The objects are deleted, as requested.
      return ''
    }
  }

  /** Checks whether to stop; cheaper than reporting progress. Never rejects. */
  async #listen(job: Job): Promise<void> {
    try {
      const row = await this.#parts.table.find(job.row.id)
      if (row?.isCancelled === 1) job.stopping.abort('cancelled' satisfies StopReason)
    } catch {
      // The next beat shows whether the database is unavailable for long.
    }
  }

  /** Each renewal reports the progress to the other processes and learns whether to continue. */
  #keepLease(job: Job): HeldLease {
    const { table, now } = this.#parts
    const { row, stopping } = job
    const lease = new HeldLease({
      ...{ owner: row.leaseOwner, untilMs: row.leaseUntilMs, leaseMs, now },
      renewEveryMs: beatEveryMs,
      renew: async (leaseUntilMs) => {
        try {
          const answer = await table.progress(row, { deleted: job.deleted, leaseUntilMs })
          if (answer === 'cancelled') stopping.abort(answer satisfies StopReason)
          return answer !== 'lost'
        } catch (error) {
          // The database may respond again before the lease expires; after that, others mark the
          // deletion as interrupted.
          if (lease.isHeld) throw error
          return false
        }
      },
      lostReason: (): StopReason => 'lost',
    })
    lease.lost.addEventListener('abort', () => stopping.abort(lease.lost.reason))
    lease.keep()
    return lease
  }
}

const endings: Readonly<Record<StopReason, Pick<DeletionEnd, 'state' | 'message'>>> = {
  cancelled: { state: 'cancelled', message: '' },
  closing: { state: 'interrupted', message: serviceStopped },
  lost: { state: 'interrupted', message: processIsGone },
}

function isRunning({ state }: DeletionRow): boolean {
  return state === 'running'
}

function encodeTarget({ bucket, prefix, onlyEmptyFolders = false }: DeletionTarget): string {
  return JSON.stringify(onlyEmptyFolders ? [bucket, prefix, true] : [bucket, prefix])
}

export function decodeDeletionTarget(target: string): Required<DeletionTarget> {
  const [bucket, prefix, onlyEmptyFolders = false] = JSON.parse(target) as [string, string, true?]
  return { bucket, prefix, onlyEmptyFolders }
}
