import { randomBytes } from 'node:crypto'
import type { Drive } from '../drives/drive.ts'
import type { JobRow, JobState } from '../state/stores/jobs.ts'
import { deletePrefix, leftFolder, removeFolders } from './delete-prefix.ts'
import type { JobRunner, Run } from './job-runner.ts'
import { answer } from './walk.ts'

/** Maximum running deletions across all processes, and ended ones to remember. */
export const deletionLimits = { running: 4, ended: 200 } as const

/** The maximum time that an ended deletion is remembered. */
export const deletionKeptMs = 24 * 60 * 60_000

/** The time limit for checking what remains. */
const leftOverMs = 5_000

type DeletingDrive = Pick<Drive, 'list' | 'remove' | 'removeFolder'>

interface DeletionTarget {
  readonly bucket: string
  readonly prefix: string
  /** Keeps objects and folders that contain objects. */
  readonly onlyEmptyFolders: boolean
}

type NewDeletion = Pick<DeletionTarget, 'bucket' | 'prefix'> & Partial<DeletionTarget>

export interface Deletion extends DeletionTarget {
  readonly id: string
  readonly state: JobState
  /** Objects deleted so far. */
  readonly deleted: number
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number
  /** 0 while it runs. */
  readonly endedAtMs: number
  /** For people; may be ''. */
  readonly message: string
}

export type Deletions = ReturnType<typeof openDeletions>

/**
 * Deletions of everything below a prefix. Each runs in the process that received the request. Other
 * processes read its progress and stop it through the database.
 */
export function openDeletions({
  drive,
  jobs,
  now,
}: {
  readonly drive: DeletingDrive
  readonly jobs: JobRunner
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
}) {
  const kind = 'delete'
  const runningLike = async (target: string) => {
    const rows = await jobs.all(kind)
    // One that was asked to stop does not count.
    const isLike = (row: JobRow) =>
      row.state === 'running' && row.isCancelled === 0 && row.target === target
    return rows.filter(isLike).map(deletionOf)[0]
  }
  const find = async (id: string) => {
    const row = await jobs.find({ kind, id })
    return row === undefined ? undefined : deletionOf(row)
  }
  return {
    find,
    /** Newest first. */
    latest: async () => (await jobs.all(kind)).map(deletionOf),
    /**
     * Starts a deletion, or returns the running one with the same target. Undefined if too many are running, or
     * this process is closing.
     */
    async start({ onlyEmptyFolders = false, ...rest }: NewDeletion) {
      const wanted = { ...rest, onlyEmptyFolders }
      const target = encode(wanted)
      const same = await runningLike(target)
      if (same !== undefined) return same
      const figures = { deleted: 0 }
      const started = await jobs.start({
        ...{ kind, id: randomBytes(12).toString('base64url'), target, beganAtMs: now(), figures },
        ...{ limits: deletionLimits, fields: wanted, failure: 'deletion failed' },
        work: (run) => deleteTree(drive, wanted, run, figures),
      })
      // Another request may have started it already.
      return started === undefined ? runningLike(target) : deletionOf(started.row)
    },
    /** Asks a deletion to stop, in whichever process it runs. Its current state; undefined: unknown. */
    async cancel(id: string) {
      await jobs.cancel({ kind, id })
      return find(id)
    },
  }
}

async function deleteTree(
  drive: DeletingDrive,
  { bucket, prefix, onlyEmptyFolders }: DeletionTarget,
  run: Run,
  figures: { deleted: number },
): Promise<string> {
  const { signal } = run
  if (!onlyEmptyFolders) {
    await deletePrefix({
      ...{ drive, bucket, prefix, signal, assertMayGoOn: () => run.assertMayGoOn() },
      onDeleted() {
        figures.deleted += 1
      },
    })
  }
  await removeFolders({ drive, bucket, signal }, prefix)
  try {
    const folder = await answer(leftFolder(drive, bucket, prefix), signal, leftOverMs)
    if (folder === undefined) return ''
    return `All objects are deleted. The empty folder ${folder} remains. Remove it on the drive.`
  } catch {
    // The objects are deleted, as requested.
    return ''
  }
}

/** As JSON: PostgreSQL's text has no NUL character, a prefix may. */
function encode({ bucket, prefix, onlyEmptyFolders }: DeletionTarget): string {
  return JSON.stringify(onlyEmptyFolders ? [bucket, prefix, true] : [bucket, prefix])
}

function deletionOf({
  id,
  target,
  state,
  figures,
  beganAtMs,
  endedAtMs,
  message,
}: JobRow): Deletion {
  const [bucket, prefix, onlyEmptyFolders = false] = JSON.parse(target) as [string, string, true?]
  const { deleted } = JSON.parse(figures) as { deleted: number }
  return {
    ...{ id, bucket, prefix, onlyEmptyFolders, state, deleted, endedAtMs, message },
    startedAtMs: beganAtMs,
  }
}
