import { randomBytes } from 'node:crypto'
import { dayMs } from '../../buckets/lifecycle-rules.ts'
import type { Drive, ObjectName } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { trashBucketOf } from '../../drives/trash-bucket.ts'
import type { FileOrder } from '../files/file-order.ts'

/** The objects of one deletion in the trash. */
export interface TrashItem {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly deletedAtMs: number
  readonly objects: number
  readonly bytes: number
  /** Whether there are more objects than were counted. */
  readonly isMore: boolean
  /** Some of the keys. */
  readonly keys: readonly string[]
}

const pageItems = 50
const countedObjects = 1_000
const shownKeys = 3

/** The deletions in the trash of a bucket after this id, latest first. @throws DriveError */
export async function listTrash(
  drive: Pick<Drive, 'list'>,
  bucket: string,
  after: string,
): Promise<{ readonly items: readonly TrashItem[]; readonly next: string | undefined }> {
  const ids = await trashIds(drive, bucket, after === '' ? '' : `${after}/`, pageItems)
  const items: TrashItem[] = []
  for (const id of ids) items.push(await itemOf(drive, { bucket: trashBucketOf(bucket), key: id }))
  return { items, next: ids.length < pageItems ? undefined : ids.at(-1) }
}

/** The ids after this key. A bucket without a trash has none. */
async function trashIds(
  drive: Pick<Drive, 'list'>,
  bucket: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const cursor = drive.list(trashBucketOf(bucket), { prefix: '', after, delimiter: '/' })
  try {
    const entries = await cursor.next(limit)
    return entries.flatMap(({ kind, key }) => (kind === 'folder' ? [key.slice(0, -1)] : []))
  } catch (error) {
    if (error instanceof DriveError && error.kind === 'no-bucket') return []
    throw error
  }
}

async function itemOf(
  drive: Pick<Drive, 'list'>,
  { bucket, key: id }: ObjectName,
): Promise<TrashItem> {
  const prefix = `${id}/`
  const entries = await drive.list(bucket, { prefix, after: '' }).next(countedObjects)
  let bytes = 0
  for (const entry of entries) if (entry.kind === 'object') bytes += entry.size
  return {
    ...{ id, deletedAtMs: timeOfTrashId(id), objects: entries.length, bytes },
    isMore: entries.length === countedObjects,
    keys: entries.slice(0, shownKeys).map(({ key }) => key.slice(prefix.length)),
  }
}

/** Base 36 has nine digits until the year 5188. */
const digits = 9
const latestMs = 36 ** digits - 1
const form = /^[0-9a-z]{9}-[0-9a-f]{8}$/

/**
 * The id of a deletion: its objects are in the trash under `<id>/<key>`. Later ids come first in the order of keys.
 */
export function newTrashId(nowMs: number): string {
  return `${trashIdsUntil(nowMs)}-${randomBytes(4).toString('hex')}`
}

/** The ids of deletions at this time or before come after this text in the order of keys. */
function trashIdsUntil(timeMs: number): string {
  const left = Math.min(Math.max(latestMs - Math.floor(timeMs), 0), latestMs)
  return left.toString(36).padStart(digits, '0')
}

export function isTrashId(text: string): boolean {
  return form.test(text)
}

/** The time of the deletion, milliseconds since the epoch. */
export function timeOfTrashId(id: string): number {
  return latestMs - Number.parseInt(id.slice(0, digits), 36)
}

/** The maximum deletions per bucket and call: running deletions are limited, and the others can wait. */
const maxAtOnce = 4

/** If the clocks differ by more, one of them is wrong, and nothing is deleted (expiry.ts). */
const maxClockDifferenceMs = 60 * 60_000

interface TrashExpiryParts {
  readonly drive: Pick<Drive, 'list' | 'trashes'>
  readonly fileJobs: { start(order: FileOrder): Promise<unknown> }
  readonly buckets: () => readonly string[]
  /** TRASH_DAYS; 0: nothing expires. */
  readonly days: number
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  /** This machine's time. */
  readonly localNow: () => number
}

/**
 * Returns a function that deletes expired deletions from the trash of each bucket, to be called about once an hour. A
 * failure does not affect other buckets; the function then rejects with the first one.
 */
export function openTrashExpiry(parts: TrashExpiryParts): (signal: AbortSignal) => Promise<void> {
  const { drive, fileJobs, buckets, days, now, localNow } = parts
  return async (signal) => {
    if (days === 0 || Math.abs(now() - localNow()) > maxClockDifferenceMs) return
    const failures: unknown[] = []
    const old = trashIdsUntil(now() - days * dayMs)
    const expire = async (name: string) => {
      // Several processes may find the same deletion. It is not started twice.
      for (const id of await trashIds(drive, name, old, maxAtOnce)) {
        const all = { bucket: name, trashId: id, paths: [''] }
        await fileJobs.start({ action: 'empty', ...all, isAutomatic: true })
      }
    }
    for (const name of buckets()) {
      if (signal.aborted) return
      // Its drive may be unavailable.
      if (drive.trashes?.(name)) await expire(name).catch((error) => void failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}
