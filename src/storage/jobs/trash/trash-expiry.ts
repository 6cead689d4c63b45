import { dayMs } from '../../buckets/lifecycle-rules.ts'
import type { Drive } from '../../drives/drive.ts'
import { trashBucketOf } from '../../drives/trash-bucket.ts'
import type { Deletions } from '../deletions.ts'
import { trashIds } from './trash.ts'
import { trashIdsUntil } from './trash-id.ts'

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

/**
 * Returns what deletes what has been in a trash for too long, also if one trash fails. Call it about once an hour.
 * It rejects with the first failure.
 */
export function openTrashExpiry(parts: TrashExpiryParts): (signal: AbortSignal) => Promise<void> {
  const { drive, deletions, buckets, days, now, localNow } = parts
  return async (signal) => {
    if (days === 0 || Math.abs(now() - localNow()) > maxClockDifferenceMs) return
    const failures: unknown[] = []
    const old = trashIdsUntil(now() - days * dayMs)
    const expire = async (name: string) => {
      // Any number of processes may find the same: a running deletion is not started twice.
      for (const id of await trashIds(drive, name, old, mostAtOnce)) {
        await deletions.start({ bucket: trashBucketOf(name), prefix: `${id}/` })
      }
    }
    for (const name of buckets()) {
      if (signal.aborted) return
      // Its drive may be away.
      if (drive.trashes?.(name)) await expire(name).catch((error) => void failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}
