/** Creates the folders that keys need, and removes them when they are empty again. */
import type { Stats } from 'node:fs'
import { DriveError } from '../../drive-error.ts'
import { fs } from '../file-calls.ts'
import { cannotLink, codeOf } from '../fs-error.ts'
import { displacedBy, type FilePath, isVersionStore, type ObjectPath } from '../object-path.ts'
import { type OpenFence, removeThrough } from '../objects/fence.ts'
import { describe, folderIdentityOf, isOneFile } from '../objects/file-identity.ts'
import { largeBytes } from '../objects/put-file.ts'
import type { OpenDrive } from '../open-drive.ts'
import { openBucketFolder } from './bucket-folders.ts'
import type { JournalEntry } from './folder-journal.ts'
import { OpenFolder } from './open-folder.ts'

/** How often a folder may be removed, or a file may take its name, while it is created. */
const attempts = 16

/** Error codes of rmdir for a folder that stays: not empty, in use, or replaced by hand with a file or link. */
const staysCodes = new Set(['ENOTEMPTY', 'EEXIST', 'EBUSY', 'EACCES', 'EPERM', 'ENOTDIR'])

interface MadeFolder {
  /** The caller must close it. */
  readonly folder: OpenFolder
  /** The folders created for it: to be recorded as the drive's own, or removed again. */
  readonly made: readonly MadeName[]
  /** To be closed when they are recorded or removed. */
  readonly entry: JournalEntry | undefined
}

export interface MadeName {
  /** Below the root. */
  readonly path: string
  readonly identity: string
}

interface Making {
  readonly objectPath: ObjectPath
  readonly made: MadeName[]
  readonly entry: JournalEntry
}

/** A file that has the name of a needed folder. */
interface Displacing {
  readonly owner: ObjectPath
  readonly parent: OpenFolder
  readonly stats: Stats
  readonly fence: OpenFence
}

/**
 * Opens the folder of this file path, and creates it if it is missing. A file that has the name of a needed folder is
 * moved to its alternative path under its lock, so call this without the lock of the object.
 * @throws DriveError `denied` if a symbolic link or a file that is not an object has the name of a needed folder
 */
export async function ensureFolder(
  drive: OpenDrive,
  objectPath: ObjectPath,
  filePath: FilePath,
): Promise<MadeFolder> {
  const existing = await OpenFolder.open(drive.root, filePath.folder)
  if (existing !== undefined) return { folder: existing, made: [], entry: undefined }
  const making: Making = { objectPath, made: [], entry: drive.journal.open() }
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const folder = await makeFolders(drive, making, filePath.folder)
      if (folder !== undefined) return { folder, made: making.made, entry: making.entry }
    }
  } catch (error) {
    await unmakeFolders(drive, objectPath, filePath, making.made)
    await making.entry.close()
    throw error
  }
  await making.entry.close()
  const message = 'The folder keeps being removed by another client. Try again.'
  throw new DriveError('busy', message, { retryAfterSeconds: 1 })
}

/**
 * As `removeEmptyFolders`, but never rejects, because the caller reports its own error. A folder that stays is removed
 * with the next object that is deleted from it.
 */
export async function unmakeFolders(
  drive: OpenDrive,
  objectPath: ObjectPath,
  filePath: FilePath,
  made: readonly MadeName[],
): Promise<void> {
  await removeEmptyFolders(drive, objectPath, filePath, made).catch(() => undefined)
}

/**
 * Removes the folder of the file path and those above it, except the bucket's, if they are empty
 * and were created by the drive.
 * @param made folders that the drive created, but that are not recorded yet
 */
export async function removeEmptyFolders(
  drive: OpenDrive,
  objectPath: ObjectPath,
  filePath: FilePath,
  made: readonly Pick<MadeName, 'path'>[] = [],
): Promise<void> {
  const own = new Set(made.map(({ path }) => path))
  // The database may be lost, which has the folders that the drive created elsewhere.
  const areOwn = isVersionStore(objectPath.bucket)
  const components = filePath.folder.split('/')
  const bucketDepth = objectPath.bucket.split('/').length
  while (components.length > bucketDepth) {
    const name = components.pop() ?? ''
    const parent = await OpenFolder.open(drive.root, components.join('/'))
    // It was already removed, perhaps before a crash. The folders above may still exist.
    if (parent === undefined) continue
    try {
      const isOwn = areOwn || own.has(below(drive, `${parent.path}/${name}`))
      if (!(await removeOne(drive, parent, name, isOwn))) return
      await restoreNatural(drive, objectPath, parent, name)
    } finally {
      await parent.close()
    }
  }
}

/** Undefined if a folder was removed during this. */
async function makeFolders(
  drive: OpenDrive,
  making: Making,
  path: string,
): Promise<OpenFolder | undefined> {
  const { bucket } = making.objectPath
  const names = path === bucket ? [] : path.slice(bucket.length + 1).split('/')
  let folder = await openBucketFolder(drive.root, bucket)
  for (const name of names) {
    const parent = folder
    const child = await makeChild(drive, making, parent, name).finally(() => parent.close())
    if (child === undefined) return undefined
    folder = child
  }
  return folder
}

async function makeChild(
  drive: OpenDrive,
  { objectPath, made, entry }: Making,
  parent: OpenFolder,
  name: string,
): Promise<OpenFolder | undefined> {
  const existing = await parent.openChild(name)
  if (existing !== undefined) return existing
  const present = await drive.root.files.lstat(parent.at(name))
  // Another process may have created the folder meanwhile.
  if (present?.isDirectory() === false) await makeWay(drive, objectPath, parent, name)
  const path = below(drive, `${parent.path}/${name}`)
  await entry.note({ bucket: objectPath.bucket, key: objectPath.key, making: [path] })
  // A move of a folder above would take the new folder with it.
  const outcome = await drive.locks.hold(path, async () =>
    (await parent.isAtPath()) ? await makeFolder(parent, name) : 'no parent',
  )
  if (outcome === 'no parent') return undefined
  const child = await parent.openChild(name)
  if (child !== undefined && outcome === 'made') {
    const identity = folderIdentityOf(await child.stats(), drive.root.hasBirthtime)
    made.push({ path, identity })
  }
  return child
}

/** Moves the file that has a folder's name to its alternative path. */
async function makeWay(drive: OpenDrive, objectPath: ObjectPath, parent: OpenFolder, name: string) {
  const path = `${parent.path}/${name}`
  const owner = displacedBy(objectPath, below(drive, path))
  if (owner === undefined) throw inTheWay(below(drive, path))
  await drive.locks.hold(owner.path, async (fence) => {
    if (!(await parent.isAtPath())) return
    const stats = await drive.root.files.lstat(parent.at(name))
    if (stats === undefined || stats.isDirectory()) return
    if (!stats.isFile()) throw inTheWay(below(drive, path))
    await moveAside(drive, { owner, parent, stats, fence })
  })
}

async function moveAside(drive: OpenDrive, { owner, parent, stats, fence }: Displacing) {
  const from = { path: parent.at(owner.natural.name), stats }
  if (owner.alternative.folder === owner.natural.folder) {
    return await moveFile(drive, fence, from, parent.at(owner.alternative.name))
  }
  // With the suffix, the name is so long that it is cut and needs a folder of its own.
  const { folder, made, entry } = await ensureFolder(drive, owner, owner.alternative)
  try {
    if (made.length > 0) {
      const file = { ...describe(stats, drive.root), path: owner.path }
      const own = made.map(({ identity }) => identity)
      await drive.attributeCache.save(file, await drive.attributeCache.of(file), own)
    }
    await moveFile(drive, fence, from, folder.at(owner.alternative.name))
    // Before the old folder is synced: otherwise the file could be in neither after a power failure.
    await folder.sync()
  } finally {
    await folder.close()
    await entry?.close()
  }
}

/** Moves this file only: if the lock was taken over, there may be another one at its path. */
async function moveFile(
  drive: OpenDrive,
  fence: OpenFence,
  from: { readonly path: string; readonly stats: Stats },
  to: string,
): Promise<void> {
  const { files } = drive.root
  const present = await files.lstat(to)
  const isLinked = isOneFile(present, from.stats)
  const isLarge = from.stats.size >= largeBytes
  try {
    // If it is already linked, a process was killed after it had created the link.
    if (present !== undefined && !isLinked) await removeThrough(fence, drive.root, to, { isLarge })
    if (!isLinked) await files.link(from.path, to)
  } catch (error) {
    if (!cannotLink(error)) throw error
    // The error can also mean that a folder has replaced the file: folders can't be linked.
    if ((await files.lstat(from.path))?.isFile()) await files.rename(from.path, to)
    return
  }
  await removeThrough(fence, drive.root, from.path, { isLarge: false })
}

/** Moves an object back to its natural path when the folder at that path was removed. */
async function restoreNatural(
  drive: OpenDrive,
  objectPath: ObjectPath,
  parent: OpenFolder,
  name: string,
): Promise<void> {
  const owner = displacedBy(objectPath, below(drive, `${parent.path}/${name}`))
  if (owner === undefined || owner.alternative.folder !== owner.natural.folder) return
  const alternative = parent.at(owner.alternative.name)
  if (!(await drive.root.files.lstat(alternative))?.isFile()) return
  await drive.locks.hold(owner.path, async (fence) => {
    if (!(await parent.isAtPath())) return
    try {
      // A link, because it never replaces a file that was put there meanwhile.
      await drive.root.files.link(alternative, parent.at(name))
      await removeThrough(fence, drive.root, alternative, { isLarge: false })
    } catch {
      // Another process was faster, or the file system has no links. The file may stay.
    }
  })
}

function below({ root }: OpenDrive, path: string): string {
  return path.slice(root.path.length + 1)
}

/** Whether the folder no longer exists. False if it stays, because it is not empty or not the drive's own. */
async function removeOne(
  drive: OpenDrive,
  parent: OpenFolder,
  name: string,
  isOwn: boolean,
): Promise<boolean> {
  const stats = await drive.root.files.lstat(parent.at(name))
  if (!stats?.isDirectory()) return stats === undefined
  const identity = folderIdentityOf(stats, drive.root.hasBirthtime)
  if (!isOwn && !(await drive.attributeCache.isOwnFolder(identity))) return false
  try {
    await fs.promises.rmdir(parent.at(name))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true
    if (staysCodes.has(codeOf(error))) return false
    throw error
  }
  drive.attributeCache.forgetFolder(identity)
  return true
}

async function makeFolder(
  parent: OpenFolder,
  name: string,
): Promise<'made' | 'exists' | 'no parent'> {
  try {
    await fs.promises.mkdir(parent.at(name))
    return 'made'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'no parent'
    // Another process created it, or put a file there: the caller checks.
    if (codeOf(error) === 'EEXIST') return 'exists'
    throw error
  }
}

/** @param path below the root: clients must not see the root's path */
function inTheWay(path: string): DriveError {
  const message = `${path} must be a folder for this key, but is not.`
  return new DriveError('denied', `${message} Move it away.`)
}
