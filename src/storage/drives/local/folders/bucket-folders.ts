/**
 * The folders of buckets. A writer creates the folder of its bucket again if somebody has removed it by hand, but not if
 * the gateway has removed the bucket.
 *
 * `.bucketry/removed` has a file for each removed bucket, its mark. A writer creates a folder at the path of the mark, in
 * it the new folder of the bucket, and renames that to the bucket's path. That fails if the bucket is removed meanwhile,
 * wherever the writer is suspended: to write the mark, the remover first removes the folder of the writers, and only then
 * looks for the bucket's folder.
 */

import { basename, dirname } from 'node:path'
import { thisProcess } from '../../../../platform/process/identity.ts'
import { DriveError, hasHistory, notEmpty, PrivateDriveError } from '../../drive-error.ts'
import { fs } from '../file-calls.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import {
  bucketPath,
  inOwnFolders,
  type LocalRoot,
  newTempPath,
  requireOwnFolder,
} from '../local-root.ts'
import { versionStoreOf } from '../object-path.ts'
import { markFlags } from '../objects/paced-files.ts'
import { makePrivateFolder, OpenFolder } from './open-folder.ts'
import { entriesBelow, makeChild, notFolder, removeTree } from './own-folders.ts'

/** How often other processes may interfere with a writer or a remover. */
const attempts = 16

/** Creates the folder if it is missing. @throws DriveError `denied` if it can't be a bucket's */
export async function addBucketFolder(root: LocalRoot, bucket: string): Promise<void> {
  await requireOwnFolder(root)
  await unmark(root, bucket)
  await unmark(root, versionStoreOf(bucket))
  const folder = await makeFolder(root, bucket.split('/'))
  try {
    await requireUsable(root, folder)
  } finally {
    await folder.close()
  }
}

/**
 * Removes the folders of former versions of a bucket that is about to be removed.
 * @throws DriveError `not-empty` if there is a version or a delete marker
 */
async function removeStore(root: LocalRoot, bucket: string): Promise<void> {
  const store = versionStoreOf(bucket)
  await mark(root, store)
  for await (const { path, isFile } of entriesBelow(root, bucketPath(root, store))) {
    if (isFile) throw hasHistory(bucket)
    await removeEmpty(path, bucket)
  }
  await removeEmpty(bucketPath(root, store), bucket)
}

/** A writer whose folder is open may have moved the first version of a key in since it was read. */
async function removeEmpty(path: string, bucket: string): Promise<void> {
  try {
    await unlessAbsent(() => fs.promises.rmdir(path))
  } catch (error) {
    if (isNotEmpty(error)) throw hasHistory(bucket)
    throw error
  }
}

function isNotEmpty(error: unknown): boolean {
  return ['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))
}

/** As Drive.removeBucket, for a bucket that has or had versions. */
export async function removeVersionedBucket(root: LocalRoot, bucket: string): Promise<boolean> {
  await requireOwnFolder(root)
  try {
    // First, so that an object that is removed meanwhile leaves no version behind.
    await removeStore(root, bucket)
    return await removeBucketFolder(root, bucket)
  } catch (error) {
    await unmark(root, versionStoreOf(bucket))
    throw error
  }
}

/** As Drive.removeBucket. The mark stays if the folder is gone, even if somebody else removed it. */
export async function removeBucketFolder(root: LocalRoot, bucket: string): Promise<boolean> {
  await requireOwnFolder(root)
  const above = dirname(bucket)
  const parent = await (above === '.' ? openRoot(root) : OpenFolder.open(root, above))
  try {
    const stats = parent && (await root.files.lstat(parent.at(basename(bucket))))
    if (stats?.isDirectory() === false) throw notFolder(bucketPath(root, bucket))
    await mark(root, bucket)
    return parent !== undefined && (await removeFrom(parent, root, bucket))
  } finally {
    await parent?.close()
  }
}

async function removeFrom(parent: OpenFolder, root: LocalRoot, bucket: string): Promise<boolean> {
  try {
    await fs.promises.rmdir(parent.at(basename(bucket)))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    await unmark(root, bucket)
    if (isNotEmpty(error)) throw notEmpty(bucket)
    throw error
  }
  await parent.sync()
  return true
}

/**
 * Opens the folder, and creates it if it was removed since `addBucketFolder`, for an object.
 * @throws DriveError `no-bucket` if the gateway has removed the bucket
 */
export async function openBucketFolder(root: LocalRoot, bucket: string): Promise<OpenFolder> {
  let isMarked = false
  for (let attempt = 0; attempt < attempts; attempt++) {
    const folder = await OpenFolder.open(root, bucket)
    if (folder !== undefined) return folder
    // Nobody has created it since the mark was seen, and nobody will.
    if (isMarked) throw new DriveError('no-bucket', `The bucket ${bucket} was removed.`)
    await requireOwnFolder(root)
    const stats = await unlessAbsent(() => fs.promises.lstat(bucketPath(root, bucket)))
    if (stats?.isDirectory() === false) {
      throw new DriveError('denied', `The folder of bucket ${bucket} is not a regular folder.`)
    }
    isMarked = !(await makeUnlessMarked(root, bucket))
  }
  throw changing(bucket)
}

/** False if there is a mark. If others interfere, the folder may be missing although the result is true. */
async function makeUnlessMarked(root: LocalRoot, bucket: string): Promise<boolean> {
  await inOwnFolders(root, () => makePrivateFolder(markOf(root, bucket)))
  const writers = markOf(root, bucket)
  const made = `${writers}/${encodeURIComponent(thisProcess)}-${basename(newTempPath(root))}`
  try {
    await fs.promises.mkdir(made)
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw error
    return codeOf(error) === 'ENOENT'
  }
  let parent: OpenFolder | undefined
  try {
    parent = await makeFolder(root, bucket.split('/').slice(0, -1))
    await fs.promises.rename(made, parent.at(basename(bucket)))
  } catch (error) {
    // A remover has removed the folder and written the mark, or another writer was faster.
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error
  } finally {
    await parent?.close()
    for (const left of [made, writers]) await fs.promises.rmdir(left).catch(() => undefined)
  }
  return true
}

/**
 * Opens a folder below the root, and creates it and those above it if they are missing; durable. Names are resolved one
 * by one in open folders, so that no symbolic link is followed.
 * @throws DriveError `denied` when something else has one of the names
 */
async function makeFolder(root: LocalRoot, names: readonly string[]): Promise<OpenFolder> {
  let folder = await openRoot(root)
  if (folder === undefined) throw notFolder(root.path)
  for (const name of names) {
    const parent: OpenFolder = folder
    folder = await makeIn(parent, name).finally(() => parent.close())
  }
  return folder
}

async function makeIn(parent: OpenFolder, name: string): Promise<OpenFolder> {
  const existing = await parent.openChild(name)
  if (existing !== undefined) return existing
  const made = await makeChild(parent, name, 0o777)
  await parent.sync()
  return made
}

function openRoot(root: LocalRoot): Promise<OpenFolder | undefined> {
  return OpenFolder.openAt(root, root.path || '/', root.path)
}

/** @throws DriveError `denied` when objects cannot be moved into the folder in one step */
async function requireUsable(root: LocalRoot, folder: OpenFolder): Promise<void> {
  if ((await folder.stats()).dev !== root.own.device) {
    const message = `${folder.path} is on another file system than ${root.path}`
    throw new PrivateDriveError('denied', `${message}: objects can't be moved there in one step.`)
  }
  const { R_OK, W_OK, X_OK } = fs.constants
  await fs.promises.access(folder.ownPath, R_OK | W_OK | X_OK)
}

/** Durable when resolved: writers on another host may outlive this one. */
async function mark(root: LocalRoot, bucket: string): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (!(await inOwnFolders(root, () => tryMark(root, markOf(root, bucket))))) continue
    await root.folders.sync('removed')
    return
  }
  throw changing(bucket)
}

/** If there is a folder of writers, removes it with what they have made, and returns false. */
async function tryMark(root: LocalRoot, path: string): Promise<boolean> {
  try {
    await fs.promises.writeFile(path, '', { flag: markFlags })
    return true
  } catch (error) {
    if (codeOf(error) !== 'EISDIR') throw error
  }
  for await (const made of entriesBelow(root, path)) {
    await unlessAbsent(() => fs.promises.rmdir(made.path))
  }
  // Fails if another writer has made a folder in it.
  await fs.promises.rmdir(path).catch(() => undefined)
  return false
}

async function unmark(root: LocalRoot, bucket: string): Promise<void> {
  await removeTree(root, markOf(root, bucket))
}

function markOf({ folders }: LocalRoot, bucket: string): string {
  return `${folders.at('removed')}/${encodeURIComponent(bucket)}`
}

function changing(bucket: string): DriveError {
  const message = `The folder of bucket ${bucket} is being created or removed by others. Try again.`
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}
