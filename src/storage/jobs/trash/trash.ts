import { randomBytes } from 'node:crypto'
import { foldedName } from '../../../platform/text/folded-name.ts'
import { dayMs } from '../../buckets/lifecycle-rules.ts'
import type { Drive } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import type { ListQuery, ObjectEntry } from '../../drives/listed-entry.ts'
import { trashBucketOf } from '../../drives/trash-bucket.ts'
import type { FileOrder } from '../files/file-order.ts'
import type { ChosenPaths, DeletionTable } from './deletion-table.ts'

/** The objects of one deletion in the trash. */
export interface TrashItem extends ChosenPaths {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly deletedAtMs: number
  readonly objects: number
  readonly bytes: number
  /** Whether there are more objects than were counted. */
  readonly isMore: boolean
}

const pageItems = 50
const countedObjects = 1_000
const shownPaths = 20
/** The maximum deletions that one call looks through for a text. */
const searchedItems = 500

type TrashDrive = Pick<Drive, 'list'>

export interface TrashQuery {
  readonly bucket: string
  /** Only deletions after this id. */
  readonly after: string
  /** Only deletions of which a key has this part, regardless of case. '': all. */
  readonly text: string
  /** Aborts when nobody waits for the answer: a search may read half a million keys. */
  readonly signal: AbortSignal
}

interface TrashParts {
  readonly drive: TrashDrive
  readonly deletions: Pick<DeletionTable, 'find'>
}

/**
 * The deletions in the trash of a bucket, latest first. A text may find none although there is a next page.
 *
 * @throws DriveError; the signal's reason
 */
export async function listTrash(
  { drive, deletions }: TrashParts,
  { bucket, after, text, signal }: TrashQuery,
): Promise<{ readonly items: readonly TrashItem[]; readonly next: string | undefined }> {
  const wanted = foldedName(text)
  const items: TrashItem[] = []
  let next: string | undefined = after
  for (let seen = 0; next !== undefined && seen < searchedItems; seen += pageItems) {
    const ids = await trashIds(drive, bucket, next === '' ? '' : `${next}/`, pageItems)
    const chosen = await deletions.find(bucket, ids)
    for (const id of ids) {
      signal.throwIfAborted()
      const item = await itemOf(drive, { bucket, id, chosen: chosen.get(id), wanted })
      if (item !== undefined) items.push(item)
    }
    next = ids.length < pageItems ? undefined : ids.at(-1)
    if (wanted === '' || items.length >= pageItems) break
  }
  return { items, next }
}

/** A bucket without a trash has nothing in it. */
async function listed(drive: TrashDrive, bucket: string, query: ListQuery, limit: number) {
  try {
    return await drive.list(trashBucketOf(bucket), query).next(limit)
  } catch (error) {
    if (error instanceof DriveError && error.kind === 'no-bucket') return []
    throw error
  }
}

/** The ids after this key. */
async function trashIds(
  drive: TrashDrive,
  bucket: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const entries = await listed(drive, bucket, { prefix: '', after, delimiter: '/' }, limit)
  return entries.flatMap(({ kind, key }) => (kind === 'folder' ? [key.slice(0, -1)] : []))
}

interface Wanted {
  readonly bucket: string
  readonly id: string
  readonly chosen: ChosenPaths | undefined
  /** A folded part of a key. */
  readonly wanted: string
}

/** Undefined if no key has the wanted part. */
async function itemOf(drive: TrashDrive, { bucket, id, chosen, wanted }: Wanted) {
  const files = await trashFiles(drive, { bucket, id, after: '', limit: countedObjects })
  const keys = files.map(({ key }) => key)
  const isMore = files.length === countedObjects
  if (!keys.some((key) => foldedName(key).includes(wanted))) return undefined
  let bytes = 0
  for (const { size } of files) bytes += size
  return {
    ...{ id, deletedAtMs: timeOfTrashId(id), objects: files.length, bytes, isMore },
    ...pathsOf(keys, isMore ? chosen : leftOf(chosen, keys)),
  }
}

/** What was chosen, or without a record of it, the keys. */
function pathsOf(keys: readonly string[], chosen: ChosenPaths | undefined): ChosenPaths {
  if (chosen !== undefined && chosen.paths.length > 0) return chosen
  return { paths: keys.slice(0, shownPaths), count: keys.length }
}

/** The chosen paths without those that were restored or deleted meanwhile. */
function leftOf(chosen: ChosenPaths | undefined, keys: readonly string[]) {
  if (chosen === undefined) return undefined
  const left = new Set(keys)
  const paths = chosen.paths.filter((path) =>
    path.endsWith('/') ? keys.some((key) => key.startsWith(path)) : left.has(path),
  )
  return { paths, count: chosen.count - chosen.paths.length + paths.length }
}

interface TrashFilesQuery {
  readonly bucket: string
  readonly id: string
  /** Only keys after this one. */
  readonly after: string
  readonly limit: number
}

/** The objects of a deletion, with the keys that they had. @throws DriveError */
export async function trashFiles(
  drive: TrashDrive,
  { bucket, id, after, limit }: TrashFilesQuery,
): Promise<readonly ObjectEntry[]> {
  const prefix = `${id}/`
  const query = { prefix, after: after === '' ? '' : prefix + after }
  const entries = await listed(drive, bucket, query, limit)
  return entries.flatMap((entry) =>
    entry.kind === 'object' ? [{ ...entry, key: entry.key.slice(prefix.length) }] : [],
  )
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
