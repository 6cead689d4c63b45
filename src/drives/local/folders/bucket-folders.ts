/**
 * The buckets' folders. A writer creates the folder of its bucket again if it was removed by hand, but
 * not if the gateway has removed the bucket.
 *
 * `.bucketry/removed` has a file for each removed bucket, its mark. A writer makes a folder at the path of the mark,
 * the new folder of the bucket in it, and renames that to the bucket's path. So it fails, wherever it is suspended,
 * if the bucket was removed in between: the remover removes the writers' folder to write the mark, before it looks for the
 * bucket's folder.
 */
import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { DriveError } from '../../drive.ts'
import { notEmpty } from '../../not-empty.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import { bucketPath, type LocalRoot, newTempPath, requireOwnFolder } from '../local-root.ts'
import {
  makeFolderDurably,
  makeFolders,
  makePrivateFolder,
  syncFolderAt,
} from './durable-folders.ts'
import { OpenFolder } from './open-folder.ts'

/** How often others may get in the way of a writer or a remover. */
const attempts = 16

/** Creates the folder if it is missing. @throws DriveError `denied` if it can't be a bucket's */
export async function addBucketFolder(root: LocalRoot, bucket: string): Promise<void> {
  await requireOwnFolder(root)
  await unmark(root, bucket)
  const path = bucketPath(root, bucket)
  for (const above of foldersAbove(bucket)) {
    const stats = await unlessAbsent(() => fs.promises.lstat(bucketPath(root, above)))
    if (stats?.isDirectory() === false) throw notFolder(bucketPath(root, above))
  }
  await makeIfAbsent(path)
  await requireUsable(root, path)
}

/** As Drive.removeBucket. The mark stays whenever the folder is gone, whoever removed it. */
export async function removeBucketFolder(root: LocalRoot, bucket: string): Promise<boolean> {
  await requireOwnFolder(root)
  const path = bucketPath(root, bucket)
  const stats = await unlessAbsent(() => fs.promises.lstat(path))
  if (stats?.isDirectory() === false) throw notFolder(path)
  await mark(root, bucket)
  try {
    await fs.promises.rmdir(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    await unmark(root, bucket)
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw notEmpty(bucket)
    throw error
  }
  await syncFolderAt(dirname(path))
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
    // Nobody has created it between the mark and this look: it stays away.
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

/** False if there is a mark. Others may prevent it in other ways: then the folder is still missing. */
async function makeUnlessMarked(root: LocalRoot, bucket: string): Promise<boolean> {
  const path = bucketPath(root, bucket)
  const writers = markOf(root, bucket)
  const made = `${writers}/${basename(root.processFolder)}-${basename(newTempPath(root))}`
  await makePrivateFolder(root.removedFolder)
  await makePrivateFolder(writers)
  try {
    await fs.promises.mkdir(made)
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw error
    return codeOf(error) === 'ENOENT'
  }
  try {
    await makeFolders(dirname(path))
    await fs.promises.rename(made, path)
  } catch (error) {
    // A remover has removed it and written the mark, or another writer was faster.
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error
  } finally {
    for (const left of [made, writers]) await fs.promises.rmdir(left).catch(() => undefined)
  }
  return true
}

/** A link or a file that has the path stays: `requireUsable` reports it. */
async function makeIfAbsent(path: string): Promise<void> {
  const stats = await unlessAbsent(() => fs.promises.lstat(path))
  if (stats === undefined) await makeFolderDurably(path)
}

/** @throws DriveError `denied` when objects cannot be moved into the folder in one step */
async function requireUsable(root: LocalRoot, path: string): Promise<void> {
  const stats = await fs.promises.lstat(path)
  if (!stats.isDirectory()) throw notFolder(path)
  if (stats.dev !== root.own.device) {
    const message = `${path} is on another file system than ${root.path}`
    throw new DriveError('denied', `${message}: objects can't be moved there in one step.`)
  }
  const { R_OK, W_OK, X_OK } = fs.constants
  await fs.promises.access(path, R_OK | W_OK | X_OK)
}

/** Durable when resolved: writers on another host may outlive this one. */
async function mark(root: LocalRoot, bucket: string): Promise<void> {
  await makePrivateFolder(root.removedFolder)
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (!(await tryMark(markOf(root, bucket)))) continue
    for (const folder of [root.removedFolder, root.ownPath]) await syncFolderAt(folder)
    return
  }
  throw changing(bucket)
}

/** If there is a folder of writers, removes it with what they have made, and returns false. */
async function tryMark(path: string): Promise<boolean> {
  try {
    await fs.promises.writeFile(path, '')
    return true
  } catch (error) {
    if (codeOf(error) !== 'EISDIR') throw error
  }
  for (const name of (await unlessAbsent(() => fs.promises.readdir(path))) ?? []) {
    await unlessAbsent(() => fs.promises.rmdir(`${path}/${name}`))
  }
  // Fails if another writer has made a folder in it.
  await fs.promises.rmdir(path).catch(() => undefined)
  return false
}

async function unmark(root: LocalRoot, bucket: string): Promise<void> {
  await fs.promises.rm(markOf(root, bucket), { recursive: true, force: true })
}

function markOf({ removedFolder }: LocalRoot, bucket: string): string {
  return `${removedFolder}/${encodeURIComponent(bucket)}`
}

/** `a` and `a/b` for `a/b/c`. */
function foldersAbove(bucket: string): string[] {
  const names = bucket.split('/')
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
}

function changing(bucket: string): DriveError {
  const message = `The folder of bucket ${bucket} is being created or removed by others. Try again.`
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}

function notFolder(path: string): DriveError {
  return new DriveError('denied', `${path} is not a folder. A bucket's folder can't be a link.`)
}
