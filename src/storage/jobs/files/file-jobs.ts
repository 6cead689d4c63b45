import { randomBytes } from 'node:crypto'
import { DriveError } from '../../drives/drive-error.ts'
import type { JobRunner } from '../job-runner.ts'
import type { JobRow, JobTable } from '../job-table.ts'
import type { DeletionTable } from '../trash/deletion-table.ts'
import { newTrashId } from '../trash/trash.ts'
import {
  type AboutOrder,
  aboutOrder,
  type FileFigures,
  type FileJob,
  type FileOrder,
  movedPairs,
  newFigures,
  type PathPair,
  undoOf,
} from './file-order.ts'
import { type FileWorld, keepsDeleted, workOn } from './file-work.ts'

/** Maximum running jobs across all processes, and ended ones to remember. */
export const fileJobLimits = { running: 4, ended: 100 } as const

/** The maximum time that an ended job is remembered. */
export const fileJobKeptMs = 24 * 60 * 60_000

/** The latest rows that are read for a list: some of them are of jobs that nobody asked for. */
const listedJobs = fileJobLimits.running + fileJobLimits.ended

/** So many processes may end while they work on one job and do not get any further. */
const maxRuns = 5

interface FileJobsParts extends FileWorld {
  readonly jobs: JobRunner
  readonly table: Pick<JobTable, 'list' | 'look' | 'running' | 'findRunning'>
  readonly deletions: Pick<DeletionTable, 'add' | 'find'>
  /** Called after a move with what was moved, so that what is kept about the paths can follow. Must not reject. */
  readonly onMoved: (order: MoveOrder) => Promise<void>
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
}

export type MoveOrder = FileOrder & { readonly to: NonNullable<FileOrder['to']> }

/** The figures as they are stored. */
interface Stored {
  readonly about: AboutOrder
  readonly figures: FileFigures
}

const kind = 'file'

/**
 * Work on files that people ask for: each job runs in the process that received the request. Other processes read its
 * progress and stop it through the database, and continue it if its process ends.
 */
export class FileJobs {
  readonly #parts: FileJobsParts

  constructor(parts: FileJobsParts) {
    this.#parts = parts
  }

  /** Whether what is deleted from the bucket can be restored. */
  keepsDeleted(bucket: string): boolean {
    return keepsDeleted(this.#parts, bucket)
  }

  /**
   * Starts a job, or returns a running one with the same order. Undefined if too many are running or this process is
   * closing.
   */
  start(asked: FileOrder): Promise<FileJob | undefined> {
    return this.#start(asked, newFigures())
  }

  async #start(asked: FileOrder, figures: FileFigures): Promise<FileJob | undefined> {
    const order = asked.action === 'trash' ? this.#withTrash(asked) : asked
    await this.#noteDeletion(order)
    const started = await this.#run(
      order,
      { about: await this.#aboutOf(order), figures },
      undefined,
    )
    if (started !== undefined) return jobOf(started.row)
    const same = await this.#parts.table.findRunning(kind, JSON.stringify(order))
    return same && jobOf(same)
  }

  /** Continues the jobs whose processes have ended. */
  async resume(): Promise<void> {
    const { jobs, table } = this.#parts
    for (const { id } of await table.running(kind)) {
      if (!(await jobs.isAbandoned({ kind, id }))) continue
      const row = await jobs.find({ kind, id })
      if (row?.state !== 'running') continue
      const stored = storedOf(row)
      countRun(stored.figures)
      await this.#run(orderOf(row), stored, row)
    }
  }

  async find(id: string): Promise<FileJob | undefined> {
    await this.resume()
    const row = await this.#parts.table.look({ kind, id })
    return row && jobOf(row)
  }

  /** Newest first, without what nobody asked for. */
  async list(limit: number): Promise<readonly FileJob[]> {
    await this.resume()
    const all = await this.#latest()
    const undone = new Set(all.map(({ undoes }) => undoes))
    return all
      .filter(({ isAutomatic }) => !isAutomatic)
      .slice(0, limit)
      .map((job) => (undone.has(job.id) ? { ...job, canUndo: false } : job))
  }

  /** Asks a job to stop, in whichever process it runs. Its current state; undefined: unknown. */
  async stop(id: string): Promise<FileJob | undefined> {
    await this.#parts.jobs.cancel({ kind, id })
    return await this.find(id)
  }

  /** Starts the same job again, or one that undoes it. `unknown`: it does not exist, runs, can't be undone, or was undone. */
  async follow(id: string, how: 'again' | 'undo'): Promise<FileJob | 'unknown' | undefined> {
    const row = await this.#parts.jobs.find({ kind, id })
    if (row === undefined || row.state === 'running') return 'unknown'
    const order = orderOf(row)
    const { figures } = storedOf(row)
    // A folder may have been moved when the job failed: only another attempt knows.
    if (how === 'again')
      return await this.#start(order, { ...newFigures(), moving: figures.moving })
    // What is there by now was put there by others.
    const isUndone = (job: FileJob) => job.undoes === id && job.state === 'done'
    const undo = undoOf(row, order, figures)
    if (undo === undefined || (await this.#latest()).some(isUndone)) return 'unknown'
    return await this.start(undo)
  }

  /** So that the trash can show folders as what was deleted. */
  async #noteDeletion(order: FileOrder): Promise<void> {
    const { action, bucket, trashId } = order
    if (action !== 'trash' || trashId === undefined) return
    const { paths, count } = aboutOrder(order)
    await this.#parts.deletions.add({ bucket, trashId, paths, count })
  }

  /** Work on all that one deletion has put into the trash is about what was deleted then. */
  async #aboutOf(order: FileOrder): Promise<AboutOrder> {
    const { bucket, paths, trashId } = order
    const about = aboutOrder(order)
    if (trashId === undefined || paths[0] !== '') return about
    const chosen = (await this.#parts.deletions.find(bucket, [trashId])).get(trashId)
    return { ...about, ...chosen }
  }

  async #latest(): Promise<readonly FileJob[]> {
    return (await this.#parts.table.list(kind, listedJobs)).map(jobOf)
  }

  #withTrash(order: FileOrder): FileOrder {
    const { keepsRemoved, now } = this.#parts
    const trashId = keepsRemoved(order.bucket) ? undefined : newTrashId(now())
    return { ...order, trashId: order.trashId ?? trashId }
  }

  /** @param row of a job whose process has ended */
  #run(order: FileOrder, stored: Stored, row: JobRow | undefined) {
    const { jobs, now } = this.#parts
    const { figures } = stored
    return jobs.start({
      ...{ kind, target: JSON.stringify(order), figures: stored, limits: fileJobLimits, seen: row },
      id: row?.id ?? randomBytes(12).toString('base64url'),
      beganAtMs: row?.beganAtMs ?? now(),
      fields: { action: order.action, bucket: order.bucket },
      failure: 'work on files failed',
      work: async (run) => {
        if (row?.isCancelled === 1) run.stop('cancelled')
        run.assertMayGoOn()
        if (figures.runs > maxRuns) throw stuck()
        const message = await workOn(order, this.#parts, run, figures)
        const moved = movedOf(order, figures)
        if (moved !== undefined) await this.#parts.onMoved(moved)
        return message
      },
    })
  }
}

/** The order with the paths that were moved and their new ones; undefined for another action. */
function movedOf(order: FileOrder, figures: FileFigures): MoveOrder | undefined {
  const { action, paths, to } = order
  if (action !== 'move' || to === undefined) return undefined
  // A folder whose objects joined those of another one is gone as well, unless some had to stay.
  const asked = paths.map((path, index): PathPair => [path, to.paths[index] ?? path])
  const pairs = [...(figures.skipped === 0 ? asked : []), ...movedPairs(paths, to.paths, figures)]
  const places = pairs.map(([, now]) => now)
  return { ...order, paths: pairs.map(([from]) => from), to: { bucket: to.bucket, paths: places } }
}

function stuck(): DriveError {
  const message = `The gateway ended ${maxRuns} times while it worked on this. Look for the reason in its log.`
  return new DriveError('unavailable', message)
}

function countRun(figures: FileFigures): void {
  const isFurther = figures.done + figures.paths > figures.reached
  figures.reached = figures.done + figures.paths
  figures.runs = isFurther ? 1 : figures.runs + 1
}

function orderOf({ target }: JobRow): FileOrder {
  return JSON.parse(target) as FileOrder
}

function storedOf({ figures }: JobRow): Stored {
  return JSON.parse(figures) as Stored
}

function jobOf(row: JobRow): FileJob {
  const { about, figures } = storedOf(row)
  const { done, total, skipped, problems } = figures
  const { id, state, beganAtMs, endedAtMs, message } = row
  return {
    ...{ ...about, id, state, done, total, skipped, problems, endedAtMs, message },
    canUndo: state !== 'running' && canUndo(about, figures),
    startedAtMs: beganAtMs,
  }
}

/** As `undoOf`, without the paths. */
function canUndo(about: AboutOrder, { done, isUndoable, begun, apart, alone }: FileFigures) {
  if (done === 0) return false
  if (about.action === 'trash') return true
  return isUndoable && begun - apart.length + alone.length > 0
}
