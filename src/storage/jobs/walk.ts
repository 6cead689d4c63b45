import { setTimeout as wait } from 'node:timers/promises'
import { delayedAbort, untilAborted, withDeadline } from '../../platform/process/time-limit.ts'
import type { Drive } from '../drives/drive.ts'
import { DriveError } from '../drives/drive-error.ts'
import type { Entry } from '../drives/listed-entry.ts'
import { versionsOf } from '../drives/unversioned.ts'
import type { VersionEntry } from '../drives/versions.ts'

/** The maximum entries in memory. */
const pageEntries = 500

/** A pause as long as the page follows each page, within limits, so that requests take priority. */
const minPauseMs = 1
const maxPauseMs = 1_000

/** The time limit for a call of the drive: other jobs of the process wait behind it. */
const defaultHangMs = 10 * 60_000

/** How long calls that change the drive may finish after a stop, so that all of them are counted. */
const graceMs = 1_000

/** Attempts for a call that a busy drive rejects, and the pauses between them. */
const maxTries = 6
const firstRetryMs = 200
const longestRetryMs = 30_000

export interface Walk extends Pace {
  readonly drive: Pick<Drive, 'list'>
  readonly bucket: string
  readonly prefix: string
  /** Only keys after this. */
  readonly after?: string
  /** Lists folders as entries, without their contents. */
  readonly delimiter?: '/'
}

export interface VersionWalk extends Omit<Walk, 'drive' | 'delimiter'> {
  readonly drive: Pick<Drive, 'listVersions'>
  /** Called before each page: the key to continue with, if any are to be left out. */
  readonly continueWith?: () => string | undefined
}

interface Pace {
  readonly signal: AbortSignal
  /** Whether to pause between pages, for work in the background. */
  readonly hasPauses?: boolean
  /** Called before each page. Rejects to stop the walk. */
  readonly assertMayGoOn?: () => void | Promise<void>
  /** The time limit for a page. */
  readonly hangMs?: number
}

/**
 * Lists page by page. No page is empty.
 *
 * @throws DriveError; the signal's reason; and as `assertMayGoOn`
 */
export function walk({
  drive,
  bucket,
  prefix,
  after = '',
  delimiter,
  ...pace
}: Walk): AsyncGenerator<readonly Entry[]> {
  return pages(drive.list(bucket, { prefix, after, ...(delimiter && { delimiter }) }), pace)
}

/** As `walk`, with all versions of the objects: those of a key follow one another, the newest first. */
export function walkVersions({
  drive,
  bucket,
  prefix,
  after = '',
  continueWith,
  ...pace
}: VersionWalk): AsyncGenerator<readonly VersionEntry[]> {
  const cursor = versionsOf(drive, bucket, { prefix, after })
  async function next(limit: number) {
    const key = continueWith?.()
    if (key !== undefined) cursor.seek(key)
    // Without a delimiter there are no folders.
    return (await cursor.next(limit)) as VersionEntry[]
  }
  return pages({ next }, pace)
}

async function* pages<Listed>(
  cursor: { next(limit: number): Promise<Listed[]> },
  { signal, hasPauses = false, assertMayGoOn, hangMs }: Pace,
): AsyncGenerator<readonly Listed[]> {
  for (;;) {
    const pageBegan = performance.now()
    await assertMayGoOn?.()
    const entries = await withinDriveTime(cursor.next(pageEntries), signal, hangMs)
    if (entries.length === 0) return
    yield entries
    if (hasPauses) await pauseAfter(pageBegan, signal)
  }
}

/** Calls `visit` for each entry, several concurrently, until one rejects. Settles when all calls have ended. */
export async function visitAll<Visited>(
  entries: readonly Visited[],
  concurrency: number,
  visit: (entry: Visited) => Promise<void>,
): Promise<void> {
  const rest = entries.values()
  let hasFailed = false
  const work = async (): Promise<void> => {
    // The workers share one iterator.
    for (const entry of rest) {
      if (hasFailed) return
      try {
        await visit(entry)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, work))
  const failure = outcomes.find(({ status }) => status === 'rejected')
  if (failure?.status === 'rejected') throw failure.reason
}

/** Retries a call, after a pause, while the drive rejects it as busy. */
export async function whileBusy<Result>(
  call: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof DriveError) || error.kind !== 'busy' || tries === maxTries) throw error
      const askedMs = (error.retryAfterSeconds ?? 0) * 1_000
      const pauseMs = Math.min(Math.max(askedMs, firstRetryMs * 2 ** (tries - 1)), longestRetryMs)
      await wait(pauseMs, undefined, { signal, ref: false })
    }
  }
}

/** Aborts a second after `signal`, for calls that change the drive. */
export function withGrace(signal: AbortSignal): AbortSignal {
  return delayedAbort(signal, graceMs)
}

/**
 * Settles as a call of the drive does, within a time limit.
 *
 * @throws DriveError if the drive does not respond in time; the signal's reason
 */
export function withinDriveTime<Result>(
  call: Promise<Result>,
  signal: AbortSignal,
  limitMs = defaultHangMs,
): Promise<Result> {
  const reason = () => new DriveError('unavailable', 'The drive did not respond in time.')
  return withDeadline(limitMs, reason, (late) =>
    untilAborted(call, AbortSignal.any([signal, late])),
  )
}

/** Pauses as long as the work took, within limits. @param beganAt when it began, by `performance.now` */
export async function pauseAfter(beganAt: number, signal: AbortSignal): Promise<void> {
  const pauseMs = Math.min(Math.max(performance.now() - beganAt, minPauseMs), maxPauseMs)
  await wait(pauseMs, undefined, { signal, ref: false })
}

/** The sum of sizes. Sparse files may add up to more than the maximum safe integer. */
export function safeSum(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER)
}

/** Whether any object's key begins with the prefix. */
export async function hasAnything(
  drive: Pick<Drive, 'list'>,
  bucket: string,
  prefix: string,
): Promise<boolean> {
  return (await drive.list(bucket, { prefix, after: '' }).next(1)).length > 0
}
