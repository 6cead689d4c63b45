import { dayMs } from '../../buckets/lifecycle-rules.ts'
import type { Drive } from '../../drives/drive.ts'
import { trashBucketOf } from '../../drives/trash-bucket.ts'
import type { Deletions } from '../deletions.ts'
import { trashIds } from './trash.ts'
import { trashIdsUntil } from './trash-id.ts'

const everyMs = 60 * 60_000

/** What one look starts at most for a bucket: running deletions are limited, and the rest has time. */
const mostAtOnce = 4

/** Clocks that differ by more are wrong, and it is not known which one (expiry.ts). */
const maxClockDifferenceMs = 60 * 60_000

interface TrashExpiryParts {
  readonly drive: Pick<Drive, 'list' | 'trashes'>
  readonly deletions: Pick<Deletions, 'start'>
  readonly buckets: () => readonly string[]
  /** TRASH_DAYS; 0: nothing expires. */
  readonly days: number
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  /** This machine's. */
  readonly localNow: () => number
}

/** Returns what deletes, once an hour, what has been in a trash for too long. Call it every few seconds. */
export function openTrashExpiry(parts: TrashExpiryParts): (signal: AbortSignal) => Promise<void> {
  const { drive, deletions, buckets, days, now, localNow } = parts
  let lookedAt = Number.NEGATIVE_INFINITY
  return async (signal) => {
    const isDue = performance.now() - lookedAt >= everyMs
    if (days === 0 || !isDue || Math.abs(now() - localNow()) > maxClockDifferenceMs) return
    lookedAt = performance.now()
    const old = trashIdsUntil(now() - days * dayMs)
    for (const name of buckets()) {
      if (signal.aborted) return
      if (!drive.trashes?.(name)) continue
      // Any number of processes may find the same: a running deletion is not started twice.
      for (const id of await trashIds(drive, name, old, mostAtOnce)) {
        await deletions.start({ bucket: trashBucketOf(name), prefix: `${id}/` })
      }
    }
  }
}
