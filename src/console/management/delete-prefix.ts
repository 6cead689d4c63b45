import { setTimeout as wait } from 'node:timers/promises'
import { type Drive, DriveError } from '../../drives/drive.ts'
import { delayedAbort, untilAborted } from '../../process/time-limit.ts'

/** Keys in memory at a time. */
const pageEntries = 500

/** Concurrent removals: each waits for the disk. */
const concurrency = 8

/**
 * The maximum number of listings: the first finds all existing objects, the others those that were
 * added during a listing.
 */
const maxPasses = 3

/** How long to wait for running removals after an abort, so that all are counted. */
const graceMs = 1_000

/** Attempts for a removal that a busy drive rejects, and the pause before the second attempt. */
const maxTries = 6
const firstPauseMs = 200
const maxPauseMs = 30_000

interface PrefixDeletion {
  readonly drive: Pick<Drive, 'list' | 'remove'>
  readonly bucket: string
  readonly prefix: string
  /** Aborts the deletion. A removal that hangs may still happen. */
  readonly signal: AbortSignal
  /** Called for each deleted object. */
  readonly onDeleted: () => void
}

/**
 * Removes every object whose key begins with the prefix. Objects added in the meantime may remain.
 *
 * @throws DriveError if the drive rejects a removal; earlier objects stay deleted.
 * @throws the signal's reason.
 */
export async function deletePrefix(deletion: PrefixDeletion): Promise<void> {
  const removing = { ...deletion, late: delayedAbort(deletion.signal, graceMs) }
  for (let pass = 1; pass <= maxPasses; pass++) {
    if ((await deleteListed(removing)) === 0) return
  }
}

interface Removing extends PrefixDeletion {
  readonly late: AbortSignal
}

/** Resolves with the number of listed keys. */
async function deleteListed(deletion: Removing): Promise<number> {
  const { drive, bucket, prefix, signal } = deletion
  const cursor = drive.list(bucket, { prefix, after: '' })
  let listed = 0
  for (;;) {
    const entries = await untilAborted(cursor.next(pageEntries), signal)
    if (entries.length === 0) return listed
    listed += entries.length
    await deleteAll(
      deletion,
      entries.map(({ key }) => key),
    )
  }
}

async function deleteAll(deletion: Removing, keys: readonly string[]): Promise<void> {
  const rest = keys.values()
  let hasFailed = false
  const work = async (): Promise<void> => {
    // The workers share one iterator.
    for (const key of rest) {
      if (hasFailed) return
      deletion.signal.throwIfAborted()
      try {
        if (await deleteOne(deletion, key)) deletion.onDeleted()
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  // Waits for all workers, so that nothing is counted after the deletion has ended.
  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, work))
  const failure = outcomes.find(({ status }) => status === 'rejected')
  if (failure?.status === 'rejected') throw failure.reason
}

/** Whether the object existed. */
async function deleteOne({ drive, bucket, signal, late }: Removing, key: string): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await untilAborted(drive.remove(bucket, key), late)
    } catch (error) {
      if (!(error instanceof DriveError) || error.kind !== 'busy' || tries === maxTries) throw error
      const asked = (error.retryAfterSeconds ?? 0) * 1_000
      const pauseMs = Math.min(Math.max(asked, firstPauseMs * 2 ** (tries - 1)), maxPauseMs)
      await wait(pauseMs, undefined, { signal, ref: false })
    }
  }
}
