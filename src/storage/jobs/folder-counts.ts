import { createHash } from 'node:crypto'
import type { Drive } from '../drives/drive.ts'
import {
  type BucketCount,
  type CountFigures,
  noFigures,
  type Tally,
  tallyBelow,
} from './bucket-counts.ts'
import type { JobRunner } from './job-runner.ts'
import type { JobRow } from './job-table.ts'

/** Maximum running counts across all processes, and ended ones to remember. */
export const folderCountLimits = { running: 4, ended: 500 } as const

/** The maximum time that an ended count is remembered. */
export const folderCountKeptMs = 30 * 24 * 60 * 60_000

/** The state of a folder; figures are those of the last complete count. */
export interface FolderCount extends BucketCount {
  readonly id: string
  readonly bucket: string
  readonly prefix: string
  /** The figures of a running count so far. */
  readonly found: Readonly<Tally>
}

type Figures = CountFigures & { readonly found: Tally }

export type FolderCounts = ReturnType<typeof openFolderCounts>

/**
 * Counts the objects in a folder on request. A folder has one row, which the next count replaces. Other processes read
 * the progress and stop a count through the database.
 */
export function openFolderCounts({
  drive,
  jobs,
  now,
}: {
  readonly drive: Pick<Drive, 'list'>
  readonly jobs: JobRunner
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
}) {
  const kind = 'folder'
  const find = async (id: string) => {
    const row = await jobs.find({ kind, id })
    return row === undefined ? undefined : folderCountOf(row)
  }
  return {
    /** All counts, latest first. */
    all: async () => (await jobs.all(kind)).map(folderCountOf),
    /** Counts a folder, or returns its running count. Undefined: too many run, or this process is closing. */
    async start(bucket: string, prefix: string): Promise<FolderCount | undefined> {
      // JSON, because a prefix may contain NUL, which PostgreSQL cannot store in text.
      const target = JSON.stringify([bucket, prefix])
      const id = createHash('sha256').update(target).digest('base64url')
      const beganAtMs = now()
      const before = await find(id)
      const found = { objects: 0, bytes: 0, lastModifiedMs: 0 }
      const figures: Figures = { ...noFigures, ...before?.figures, found }
      const started = await jobs.start({
        ...{ kind, id, target, beganAtMs, figures, limits: folderCountLimits },
        ...{ fields: { bucket, prefix }, failure: 'could not count the objects of the folder' },
        async work(run) {
          await tallyBelow({ drive, bucket, prefix }, run, found)
          Object.assign(figures, found, { countedAtMs: beganAtMs, tookMs: now() - beganAtMs })
          return ''
        },
      })
      if (started !== undefined) return folderCountOf(started.row)
      const other = await find(id)
      return other?.isCounting ? other : undefined
    },
    /** Asks a count to stop, in whichever process it runs. Its current state; undefined: unknown. */
    async cancel(id: string) {
      await jobs.cancel({ kind, id })
      return find(id)
    },
  }
}

function folderCountOf({ id, target, state, figures: text, message }: JobRow): FolderCount {
  const [bucket, prefix] = JSON.parse(target) as [string, string]
  const { found, ...figures } = JSON.parse(text) as Figures
  const hasFailed = state === 'failed' || state === 'interrupted'
  return {
    ...{ id, bucket, prefix, found, isCounting: state === 'running' },
    figures: figures.countedAtMs === 0 ? undefined : figures,
    problem: hasFailed ? message : undefined,
  }
}
