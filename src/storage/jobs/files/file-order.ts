import type { JobRow } from '../job-table.ts'

/**
 * `trash` and `restore` move to the trash and back, `empty` deletes what is in it. `undelete` and `erase` are about deleted
 * objects of a bucket with versions (DeletedChange).
 */
type FileAction = 'move' | 'copy' | 'trash' | 'delete' | 'restore' | 'empty' | 'undelete' | 'erase'

/** What to do about an object whose new name is taken. */
export type ClashAnswer = 'skip' | 'replace' | 'keep-both'

/** What one job has to do. */
export interface FileOrder {
  readonly action: FileAction
  readonly bucket: string
  /** Keys. One that ends in a slash is a folder with everything in it; '' is everything in the bucket or in the trash. */
  readonly paths: readonly string[]
  /** The new path of each of `paths`, for a move or a copy. */
  readonly to?: { readonly bucket: string; readonly paths: readonly string[] }
  /** The deletion in the trash. */
  readonly trashId?: string | undefined
  /** For `undelete`: only what was deleted from folders at this time or later. */
  readonly sinceMs?: number | undefined
  /** For a `trash` that undoes a copy: what was written after this time is not the copy any more. */
  readonly untilMs?: number | undefined
  /** Names that were known to be taken, with the ETag of the object that has each. */
  readonly answers?:
    | readonly (readonly [key: string, answer: ClashAnswer, etag: string])[]
    | undefined
  /** For all other names that are taken. Absent: skip. */
  readonly taken?: ClashAnswer | undefined
  /** The job that this one undoes. */
  readonly undoes?: string | undefined
  /** Whether nobody asked for it, as when the time in the trash has passed. */
  readonly isAutomatic?: boolean
}

/** A path and its new path. */
export type PathPair = readonly [from: string, to: string]

/** What a job has done. */
export interface FileFigures {
  /** Objects moved, copied, deleted or restored. */
  done: number
  /** Undefined: not known. */
  total: number | undefined
  /** Objects that stay as they are, and why, as far as there is room for that. */
  skipped: number
  readonly problems: { readonly key: string; readonly reason: string }[]
  /** How many of the paths are done. */
  paths: number
  /** The last key of the present folder before which everything is done. */
  after: string
  /** How many of the paths were begun. */
  begun: number
  /** Paths that were not moved as a whole, by their number. */
  readonly apart: number[]
  /** Objects of these paths that were moved, with their new keys. */
  readonly alone: PathPair[]
  /** A folder that is being moved in one step, with what identifies it on the drive. */
  moving?: { readonly pair: PathPair; readonly identity: string } | undefined
  /** Whether `apart` and `alone` are complete: then a move or a copy can be undone. */
  isUndoable: boolean
  /** Processes that have worked on it since it last got further. */
  runs: number
  /** As it was at the last of these. */
  reached: number
}

/** What a list of jobs says about one. */
export interface AboutOrder extends Omit<FileOrder, 'paths' | 'to' | 'answers'> {
  /** The first paths. */
  readonly paths: readonly string[]
  readonly count: number
  /** As many new paths. */
  readonly to?: { readonly bucket: string; readonly paths: readonly string[] }
}

/** A job, as people see it. */
export interface FileJob extends AboutOrder, Pick<FileFigures, 'done' | 'total' | 'skipped'> {
  readonly id: string
  readonly state: JobRow['state']
  readonly problems: FileFigures['problems']
  readonly canUndo: boolean
  /** Milliseconds since the epoch. */
  readonly startedAtMs: number
  /** 0 while it runs. */
  readonly endedAtMs: number
  /** Why it failed, or what remains; may be ''. */
  readonly message: string
}

/** So many paths are shown in lists, which are read often. */
const shownPaths = 20

/** The maximum length of `apart` and `alone`: they are stored about every second. */
export const maxNoted = 200_000

const maxProblems = 100

/** How far the drive's clock, which dates objects and deletions, may differ from the database's. */
const maxClockDifferenceMs = 1_000

/** Why an object stays when a copy is undone. */
export const writtenSince = 'It was written after the copy.'

export function newFigures(): FileFigures {
  return {
    ...{ done: 0, total: undefined, skipped: 0, problems: [], paths: 0, after: '', begun: 0 },
    ...{ apart: [], alone: [], isUndoable: true, runs: 0, reached: 0 },
  }
}

export function aboutOrder({ answers: _, paths, to, ...order }: FileOrder): AboutOrder {
  const shown = <Path>(all: readonly Path[]) => all.slice(0, shownPaths)
  return {
    ...{ ...order, paths: shown(paths), count: paths.length },
    ...(to && { to: { bucket: to.bucket, paths: shown(to.paths) } }),
  }
}

export function noteProblem(figures: FileFigures, key: string, reason: string): void {
  figures.skipped += 1
  if (figures.problems.length < maxProblems) figures.problems.push({ key, reason })
}

export function isFolder(path: string): boolean {
  return path === '' || path.endsWith('/')
}

/** What a move or a copy has placed: paths as a whole, and objects of other paths. */
export function movedPairs(
  paths: readonly string[],
  places: readonly string[],
  { begun, apart, alone }: Pick<FileFigures, 'begun' | 'apart' | 'alone'>,
): PathPair[] {
  const split = new Set(apart)
  const whole = paths
    .slice(0, begun)
    .flatMap((from, index): PathPair[] => (split.has(index) ? [] : [[from, places[index] ?? '']]))
  return [...whole, ...alone]
}

/** The order that undoes a job which has ended. Undefined if nothing can be undone. */
export function undoOf(
  { id, beganAtMs, endedAtMs }: Pick<JobRow, 'id' | 'beganAtMs' | 'endedAtMs'>,
  order: FileOrder,
  figures: FileFigures,
): FileOrder | undefined {
  const { action, bucket, paths, to, trashId } = order
  if (figures.done === 0) return undefined
  if (action === 'trash' && trashId === undefined) {
    // The bucket keeps versions. What was deleted before stays deleted.
    const sinceMs = beganAtMs - maxClockDifferenceMs
    return { action: 'undelete', bucket, paths, sinceMs, undoes: id }
  }
  if (action === 'trash') return { action: 'restore', bucket, paths, trashId, undoes: id }
  if (to === undefined || !figures.isUndoable) return undefined
  const pairs = movedPairs(paths, to.paths, figures)
  if (pairs.length === 0) return undefined
  const undo = { bucket: to.bucket, paths: pairs.map(([, now]) => now), undoes: id }
  if (action === 'copy') {
    return { action: 'trash', ...undo, untilMs: endedAtMs + maxClockDifferenceMs }
  }
  return { action: 'move', ...undo, to: { bucket, paths: pairs.map(([before]) => before) } }
}
