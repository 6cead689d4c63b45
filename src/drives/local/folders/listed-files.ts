import type { Stats } from 'node:fs'
import type { ObjectCandidate } from '../../folder-cursor.ts'
import {
  type Entry,
  type FolderEntry,
  type ListedAttributes,
  listedAttributes,
  type ObjectEntry,
} from '../../listed-entry.ts'
import type { TurnTaker } from '../../turn-taker.ts'
import type { LocalRoot } from '../local-root.ts'
import { joinFilePath, localPathOf } from '../object-path.ts'
import type { KnownFile } from '../objects/attribute-cache.ts'
import { describe } from '../objects/file-identity.ts'
import type { OpenDrive } from '../open-drive.ts'

/** A listed object whose file has not been read yet. */
export interface LocalCandidate extends ObjectCandidate {
  /** The object's natural path below the root, if it is known from the listing. */
  readonly path: string | undefined
  readonly isAlternative: boolean
}

const noEtag: ListedAttributes = { etag: '' }

type ListedDrive = Pick<OpenDrive, 'root' | 'known'>

/** Concurrent look-ups when the disk is slow. */
const concurrentLooks = 64

/**
 * The number of files in one query for ETags. SQLite runs in this thread: a query for a thousand files
 * would delay other requests by 10 to 30 ms.
 */
const etagBatch = 100

/**
 * Adds size, time and ETag to listed objects, and omits objects that were deleted meanwhile.
 *
 * @param candidates at most 1,000
 * @param turns shared by all calls for one listing page
 */
export async function describeListed(
  drive: ListedDrive,
  bucket: string,
  candidates: readonly (LocalCandidate | FolderEntry)[],
  turns: TurnTaker,
): Promise<Entry[]> {
  const files = await lookAtAll(drive, bucket, candidates, turns)
  const present = files.filter((file) => file !== undefined)
  const attributes = await attributesOf(drive, present, turns)
  const entries: Entry[] = []
  let next = 0
  for (const [index, candidate] of candidates.entries()) {
    const file = files[index]
    if (candidate.kind === 'folder') entries.push({ kind: 'folder', key: candidate.key })
    else if (file !== undefined) entries.push(entryOf(candidate.key, file, attributes[next++]))
  }
  return entries
}

/** The batches run concurrently if the database runs in another process. */
async function attributesOf(
  drive: ListedDrive,
  files: readonly KnownFile[],
  turns: TurnTaker,
): Promise<ListedAttributes[]> {
  const batches: Promise<ListedAttributes[]>[] = []
  for (let start = 0; start < files.length; start += etagBatch) {
    const batch = drive.known.listedOf(files.slice(start, start + etagBatch))
    // As in `lookAtAll`.
    batch.catch(() => undefined)
    batches.push(batch)
    const pause = turns.step()
    if (pause !== undefined) await pause
  }
  return (await Promise.all(batches)).flat()
}

async function lookAtAll(
  drive: ListedDrive,
  bucket: string,
  candidates: readonly (LocalCandidate | FolderEntry)[],
  turns: TurnTaker,
): Promise<(KnownFile | undefined)[]> {
  const looks: (KnownFile | undefined | Promise<KnownFile | undefined>)[] = []
  let pending: Promise<unknown>[] = []
  for (const candidate of candidates) {
    const look = candidate.kind === 'folder' ? undefined : lookAt(drive, bucket, candidate)
    looks.push(look)
    if (look instanceof Promise) {
      // Awaited later, or never if another one fails first: avoids an unhandled rejection.
      look.catch(() => undefined)
      pending.push(look)
    }
    if (pending.length >= concurrentLooks) {
      await Promise.all(pending)
      pending = []
    }
    const pause = turns.step()
    if (pause !== undefined) await pause
  }
  return await Promise.all(looks)
}

function lookAt(
  drive: ListedDrive,
  bucket: string,
  candidate: LocalCandidate,
): KnownFile | undefined | Promise<KnownFile | undefined> {
  const { path } = candidate
  if (path === undefined || candidate.isAlternative) return search(drive, bucket, candidate)
  const stats = drive.root.files.lstat(`${drive.root.path}/${path}`)
  if (stats instanceof Promise) {
    return stats.then(
      (found) => fileOf(drive.root, found, path) ?? search(drive, bucket, candidate),
    )
  }
  return fileOf(drive.root, stats, path) ?? search(drive, bucket, candidate)
}

/** Twice at both paths: the object may be moved from one to the other meanwhile. */
async function search(
  drive: ListedDrive,
  bucket: string,
  candidate: LocalCandidate,
): Promise<KnownFile | undefined> {
  const objectPath = localPathOf(bucket, candidate.key)
  const { natural, alternative } = objectPath
  for (const filePath of [natural, alternative, natural, alternative]) {
    const stats = await drive.root.files.lstat(`${drive.root.path}/${joinFilePath(filePath)}`)
    const file = fileOf(drive.root, stats, objectPath.path)
    if (file !== undefined) return file
  }
  return undefined
}

function fileOf(root: LocalRoot, stats: Stats | undefined, path: string): KnownFile | undefined {
  return stats?.isFile() ? { ...describe(stats, root), path } : undefined
}

function entryOf(key: string, file: KnownFile, attributes = noEtag): ObjectEntry {
  const { size, modifiedAtMs } = file
  return { kind: 'object', key, size, modifiedAtMs, ...listedAttributes(attributes) }
}
