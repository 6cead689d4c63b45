import { basename, dirname } from 'node:path'
import type { ObjectName } from '../../drive.ts'
import type { FolderMoveOptions } from '../../folder-calls.ts'
import { maxKeyBytes } from '../../kit/names/key-path.ts'
import { allDone, fs } from '../file-calls.ts'
import { codeOf } from '../fs-error.ts'
import { localPathOf, type ObjectPath } from '../object-path.ts'
import { type OpenFence, overtaken } from '../objects/fence.ts'
import { folderIdentityOf } from '../objects/file-identity.ts'
import type { OpenDrive } from '../open-drive.ts'
import { ensureFolder, unmakeFolders } from './folder-maker.ts'
import { type KeyedFile, openFileCursor } from './listing.ts'
import { OpenFolder } from './open-folder.ts'

/** Files in one write to the database. */
const batchFiles = 512
/** Writes at the same time: SQLite syncs its file once for all of them. */
const savedAtOnce = 16

interface FolderMove extends FolderMoveOptions {
  readonly drive: OpenDrive
  /** The objects of the folders themselves, whose natural paths are in them. */
  readonly source: ObjectPath
  readonly target: ObjectPath
}

/**
 * As Drive.moveFolder (docs/decisions/0065-folders-in-one-step.md). A bucket with versions has the former versions of a key in another
 * folder, and what is moved leaves a delete marker: its objects are moved one by one.
 */
export async function moveFolder(
  drive: OpenDrive,
  from: ObjectName,
  to: ObjectName,
  options: FolderMoveOptions,
): Promise<number | undefined> {
  const mayMove =
    drive.locks.locksFolders &&
    [from, to].every(({ bucket }) => drive.versioningOf(bucket) === undefined)
  if (!mayMove) return undefined
  const [source, target] = [from, to].map(({ bucket, key }) => localPathOf(bucket, key)) as [
    ObjectPath,
    ObjectPath,
  ]
  const move: FolderMove = { ...options, drive, source, target }
  const { earlier } = options
  const identity = await identityAt(drive, source)
  if (earlier !== undefined && identity !== earlier) {
    return (await identityAt(drive, target)) === earlier ? await finish(move) : 0
  }
  if (identity === undefined || !(await prepare(move))) return undefined
  await options.beforeMove(identity)
  return (await rename(move, identity)) ? await finish(move) : undefined
}

/** The identity of the folder with this object; undefined if there is none. */
async function identityAt(drive: OpenDrive, { natural }: ObjectPath): Promise<string | undefined> {
  const folder = await OpenFolder.open(drive.root, natural.folder)
  try {
    return folder && folderIdentityOf(await folder.stats(), drive.root.hasBirthtime)
  } finally {
    await folder?.close()
  }
}

/** Whether there is an object, and all may have their new keys. */
async function prepare({ drive, source, target }: FolderMove): Promise<boolean> {
  const added = Buffer.byteLength(target.key) - Buffer.byteLength(source.key)
  let isEmpty = true
  for await (const files of filesIn(drive, source)) {
    if (files.some(({ key }) => Buffer.byteLength(key) + added > maxKeyBytes)) return false
    await drive.attributeCache.adoptAll(files.map(({ file }) => file))
    isEmpty = false
  }
  return !isEmpty
}

/** Does the rest of the move of a folder that is at its new path. */
async function finish({ drive, source, target }: FolderMove): Promise<number> {
  await syncAbove(drive, [source, target])
  const entry = drive.journal.open()
  try {
    await entry.note({ bucket: source.bucket, key: source.key, making: [] })
    await unmakeFolders(drive, source, source.natural, [])
  } finally {
    await entry.close()
  }
  let objects = 0
  const saved: Promise<void>[] = []
  for await (const files of filesIn(drive, target)) {
    const save = drive.attributeCache.moved(files.map(({ file }) => file))
    // Awaited below: avoids an unhandled rejection.
    save.catch(() => undefined)
    saved.push(save)
    if (saved.length >= savedAtOnce) await allDone(saved.splice(0))
    objects += files.length
  }
  await allDone(saved)
  return objects
}

async function* filesIn(
  drive: OpenDrive,
  { bucket, key }: ObjectPath,
): AsyncGenerator<readonly KeyedFile[]> {
  const cursor = openFileCursor(drive, bucket, { prefix: key, after: '' })
  for (;;) {
    const files = await cursor.next(batchFiles)
    if (files.length === 0) return
    yield files
  }
}

/** False if nothing was moved: the target has content, or the folder is another one now. */
async function rename(move: FolderMove, identity: string): Promise<boolean> {
  const { drive, source, target } = move
  const path = target.natural.folder
  // rename(2) replaces an empty folder, and no other one.
  const { folder, made, entry } = await ensureFolder(drive, target, target.natural)
  let isMoved = false
  try {
    await folder.close()
    const above = made.filter((one) => one.path !== path)
    await drive.attributeCache.saveFolders(above.map((one) => one.identity))
    const moved = await drive.locks.holdFolders([source.natural.folder, path], (fence) =>
      renameUnderLock(move, identity, fence),
    )
    isMoved = moved === true
    return isMoved
  } finally {
    if (!isMoved) await unmakeFolders(drive, target, target.natural, made)
    await entry?.close()
  }
}

/** The codes with which rename(2) leaves both: the target has content, is inside of the folder, or on another file system. */
const stayed: ReadonlySet<string> = new Set([
  ...['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EINVAL', 'EXDEV', 'EBUSY', 'ENAMETOOLONG'],
])

/**
 * The old path leads through the fence: after a takeover of the lock, the rename fails, even if this process was suspended
 * right before it.
 */
async function renameUnderLock(
  { drive, source, target, assertMayGoOn }: FolderMove,
  identity: string,
  fence: OpenFence,
): Promise<boolean> {
  const [from, to] = [source, target].map(({ natural }) => natural.folder) as [string, string]
  const parents = await openAll(drive, [dirname(from), dirname(to)])
  const through = fence.newPath()
  let isRenamed = false
  try {
    const [fromParent, toParent] = parents
    if (fromParent === undefined || toParent === undefined) return false
    if ((await identityAt(drive, source)) !== identity) return false
    await fs.promises.symlink(fromParent.ownPath, through)
    assertMayGoOn()
    await fs.promises.rename(`${through}/${basename(from)}`, toParent.at(basename(to)))
    isRenamed = true
    // Before others write to the folder: what they write could otherwise be at the old path after a power failure.
    await syncAbove(drive, [source, target])
    return true
  } catch (error) {
    if (!isRenamed && stayed.has(codeOf(error))) return false
    if (isRenamed || codeOf(error) !== 'ENOENT') throw error
    fence.lost()
    throw overtaken(error)
  } finally {
    await fs.promises.rm(through, { force: true })
    for (const parent of parents) await parent?.close()
  }
}

/** Makes the names of the folders durable. */
async function syncAbove(drive: OpenDrive, folders: readonly ObjectPath[]): Promise<void> {
  const parents = new Set(folders.map(({ natural }) => dirname(natural.folder)))
  for (const folder of await openAll(drive, [...parents])) {
    if (folder === undefined) continue
    await drive.sync.makeDurable(folder).finally(() => folder.close())
  }
}

function openAll({ root }: OpenDrive, paths: readonly string[]) {
  return Promise.all(paths.map((path) => OpenFolder.open(root, path)))
}
