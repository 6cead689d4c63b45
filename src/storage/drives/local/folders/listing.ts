import type { Stats } from 'node:fs'
import { basename, dirname } from 'node:path'
import { forEachLimited } from '../../../../platform/process/limiter.ts'
import type { TurnTaker } from '../../../../platform/process/turn-taker.ts'
import {
  FolderCursor,
  type FolderTree,
  type ObjectCandidate,
  type ReadFolder,
} from '../../kit/folder-cursor.ts'
import { pathOfFolder } from '../../kit/names/key-path.ts'
import {
  type Entry,
  type EntryCursor,
  type FolderEntry,
  type ListedAttributes,
  type ListQuery,
  listedAttributes,
  type ObjectEntry,
} from '../../listed-entry.ts'
import { allDone } from '../file-calls.ts'
import { fsDriveError } from '../fs-error.ts'
import { type LocalRoot, requireOwnFolder } from '../local-root.ts'
import { localPathOf } from '../object-path.ts'
import type { StampedFile } from '../objects/attribute-cache.ts'
import { describe } from '../objects/file-identity.ts'
import type { OpenDrive } from '../open-drive.ts'
import { type FolderIndex, nameFlags } from './folder-index.ts'
import { OpenFolder } from './open-folder.ts'

/** The path is below the root, bucket first. */
type LocalFolder = ReadFolder<FolderIndex, string>

export function openLocalCursor(drive: OpenDrive, bucket: string, query: ListQuery): EntryCursor {
  const tree = new LocalTree(drive, bucket, (candidates, turns) =>
    describeListed(drive, bucket, candidates, turns),
  )
  const cursor = new FolderCursor(tree, query)
  const failure = (error: unknown): never => {
    throw listFailure(drive, bucket, error)
  }
  return {
    next: (limit) => cursor.next(limit).catch(failure),
    nextKeys: (limit) => cursor.nextKeys(limit).catch(failure),
    seek: (key) => cursor.seek(key),
  }
}

/** What of a bucket, or of its version store, may be an entry. */
export function openCandidateCursor(drive: OpenDrive, bucket: string, query: ListQuery) {
  const tree = new LocalTree(drive, bucket, async (candidates) => [...candidates])
  return new FolderCursor<LocalFolder, LocalCandidate, LocalCandidate | FolderEntry>(tree, query)
}

export interface KeyedFile {
  readonly key: string
  readonly file: StampedFile
}

/** The files of a bucket's objects, without their attributes. */
export function openFileCursor(drive: OpenDrive, bucket: string, query: ListQuery) {
  const tree = new LocalTree<KeyedFile>(drive, bucket, async (candidates, turns) => {
    const files = await lookAtAll(drive, bucket, candidates, turns)
    return candidates.flatMap(({ key }, index) => {
      const file = files[index]
      return file === undefined ? [] : [{ key, file }]
    })
  })
  return new FolderCursor<LocalFolder, LocalCandidate, KeyedFile>(tree, query)
}

export function listFailure({ root }: ListedDrive, bucket: string, error: unknown): unknown {
  return fsDriveError(error, `list ${bucket}${reasonOf(error, root)}`)
}

/**
 * Names the file or folder that can't be read. The listing fails, because objects there would otherwise seem to be deleted
 * (docs/decisions/0031-listings-read-the-folder.md).
 */
function reasonOf(error: unknown, root: LocalRoot): string {
  const { path } = error as NodeJS.ErrnoException
  if (!path?.startsWith(`${root.path}/`)) return ''
  return `, because ${path.slice(root.path.length + 1)} can't be read`
}

type Describe<Listed> = FolderTree<LocalFolder, LocalCandidate, Listed>['describe']

class LocalTree<Listed> implements FolderTree<LocalFolder, LocalCandidate, Listed> {
  readonly #drive: OpenDrive
  readonly #bucket: string
  readonly describe: Describe<Listed>

  constructor(drive: OpenDrive, bucket: string, describe: Describe<Listed>) {
    this.#drive = drive
    this.#bucket = bucket
    this.describe = describe
  }

  async read(
    key: string,
    path = [this.#bucket, ...pathOfFolder(key)].join('/'),
  ): Promise<LocalFolder | undefined> {
    const names = await this.#drive.indexes.get(path)
    return names && { names, key, path }
  }

  async readInner(folder: LocalFolder, position: number, key: string) {
    return await this.read(key, plainPath(folder, position, key.slice(0, -1)))
  }

  candidate(folder: LocalFolder, position: number, key: string): LocalCandidate {
    const isAlternative = folder.names.hasFlag(position, nameFlags.alternative)
    return { kind: 'object', key, path: plainPath(folder, position, key), isAlternative }
  }

  async requireDrive(): Promise<void> {
    await requireOwnFolder(this.#drive.root)
  }
}

/** The path of this key's file or folder, if its name on the disk is the key's last segment. */
function plainPath({ names, key, path }: LocalFolder, position: number, innerKey: string) {
  if (names.hasFlag(position, nameFlags.encoded)) return undefined
  return `${path}/${innerKey.slice(key.length)}`
}

/** A listed object whose file has not been read yet. */
export interface LocalCandidate extends ObjectCandidate {
  /** The object's natural path below the root, if the listing shows it. */
  readonly path: string | undefined
  readonly isAlternative: boolean
}

const noEtag: ListedAttributes = { etag: '' }

type ListedDrive = Pick<OpenDrive, 'root' | 'attributeCache'>

/** The maximum number of concurrent look-ups when the disk is slow. */
export const concurrentLooks = 64

/**
 * The number of files in one query for ETags. SQLite runs in this thread, and a query for a thousand files would delay
 * other requests by 10 to 30 ms. A size of statements.ts: of any other, the rest of the parameters would be null.
 */
const etagBatch = 64

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

/** The batches run concurrently if the database is another process. */
export async function attributesOf(
  drive: ListedDrive,
  files: readonly StampedFile[],
  turns: TurnTaker,
): Promise<ListedAttributes[]> {
  const batches: Promise<ListedAttributes[]>[] = []
  for (let start = 0; start < files.length; start += etagBatch) {
    const batch = drive.attributeCache.listedOf(files.slice(start, start + etagBatch))
    // Awaited below: avoids an unhandled rejection.
    batch.catch(() => undefined)
    batches.push(batch)
    const pause = turns.step()
    if (pause !== undefined) await pause
  }
  return (await Promise.all(batches)).flat()
}

/** The files of the objects, at the positions of their candidates. */
export async function lookAtAll(
  drive: ListedDrive,
  bucket: string,
  candidates: readonly (LocalCandidate | FolderEntry)[],
  turns: TurnTaker,
): Promise<(StampedFile | undefined)[]> {
  const files: (StampedFile | undefined)[] = candidates.map(() => undefined)
  const objects = candidates.flatMap((candidate, position) =>
    candidate.kind === 'folder' ? [] : [{ candidate, position }],
  )
  const byFolder = Map.groupBy(objects, ({ candidate }) => folderOf(candidate))
  await forEachLimited(byFolder, concurrentLooks, ([folder, placed]) =>
    lookIn({ drive, bucket, turns, files }, folder, placed),
  )
  return files
}

/** The folder of a file whose path the listing shows. */
function folderOf({ path, isAlternative }: LocalCandidate): string | undefined {
  return path === undefined || isAlternative ? undefined : dirname(path)
}

interface Look {
  readonly drive: ListedDrive
  readonly bucket: string
  readonly turns: TurnTaker
  /** The files that were found, at the positions of their candidates. */
  readonly files: (StampedFile | undefined)[]
}

interface Placed {
  readonly candidate: LocalCandidate
  readonly position: number
}

/**
 * Names are resolved from the open folder, because a symbolic link may have replaced the folder since it was read.
 *
 * @param path the folder of all files; undefined if they have to be searched
 */
async function lookIn(look: Look, path: string | undefined, placed: readonly Placed[]) {
  const { root } = look.drive
  const folder = path === undefined ? undefined : await OpenFolder.open(root, path)
  const pending: Promise<void>[] = []
  try {
    for (const { candidate, position } of placed) {
      const { path = '' } = candidate
      const stats = folder && root.files.lstat(folder.at(basename(path)))
      const found = stats instanceof Promise ? undefined : fileOf(root, stats, path)
      if (found === undefined) pending.push(find(look, { candidate, position }, stats))
      look.files[position] = found
      // Awaited later: avoids an unhandled rejection.
      pending.at(-1)?.catch(() => undefined)
      if (pending.length >= concurrentLooks) await allDone(pending.splice(0))
      const pause = look.turns.step()
      if (pause !== undefined) await pause
    }
    await allDone(pending)
  } catch (error) {
    // `reasonOf` shows the path to people, who do not know the descriptor.
    const { path: at } = error as NodeJS.ErrnoException
    if (at !== undefined)
      Object.assign(error as Error, { path: `${root.path}/${path}/${basename(at)}` })
    throw error
  } finally {
    await allDone(pending).catch(() => undefined)
    await folder?.close()
  }
}

async function find(
  { drive, bucket, files }: Look,
  { candidate, position }: Placed,
  stats: Promise<Stats | undefined> | Stats | undefined,
): Promise<void> {
  const found = fileOf(drive.root, await stats, candidate.path ?? '')
  files[position] = found ?? (await search(drive, bucket, candidate))
}

/** Looks twice at both paths, because the object may be moved from one to the other meanwhile. */
async function search(
  { root }: ListedDrive,
  bucket: string,
  candidate: LocalCandidate,
): Promise<StampedFile | undefined> {
  const objectPath = localPathOf(bucket, candidate.key)
  const { natural, alternative } = objectPath
  for (const { folder: path, name } of [natural, alternative, natural, alternative]) {
    const folder = await OpenFolder.open(root, path)
    if (folder === undefined) continue
    const stats = await Promise.resolve(root.files.lstat(folder.at(name))).finally(() =>
      folder.close(),
    )
    const file = fileOf(root, stats, objectPath.path)
    if (file !== undefined) return file
  }
  return undefined
}

function fileOf(root: LocalRoot, stats: Stats | undefined, path: string): StampedFile | undefined {
  return stats?.isFile() ? { ...describe(stats, root), path } : undefined
}

function entryOf(key: string, file: StampedFile, attributes = noEtag): ObjectEntry {
  const { size, modifiedAtMs } = file
  return { kind: 'object', key, size, modifiedAtMs, ...listedAttributes(attributes) }
}
