import type { Stats } from 'node:fs'
import type { WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { closeFile, fs } from '../file-calls.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { cannotLink, codeOf } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'
import type { FilePath, ObjectPath } from '../object-path.ts'
import type { RelaxedWrite } from '../relaxed/relaxed-writes.ts'
import { type OpenFence, overtaken, removeThrough } from './fence.ts'
import { type FileIdentity, goneIdentity, identityOf } from './file-identity.ts'
import { readFlags } from './paced-files.ts'

/** Freeing the blocks of a file of this size takes longer than removing its name. */
export const largeBytes = 1024 * 1024

/**
 * The steps that publish and remove an object's file under the key's lock (docs/paths/publishing-a-file.md). If the process
 * is suspended at any line and another one takes over its lock, the remaining steps fail, because the file to publish or
 * the fence is gone (fence.ts).
 */

export interface PutOrder {
  readonly objectPath: ObjectPath
  /** The file's present path. On rejection it stays there. */
  readonly path: string
  readonly conditions: WriteConditions | undefined
  /** The identity of the file at `path`. */
  readonly identity: FileIdentity
  /** Opened before the lock was taken. */
  readonly fence: OpenFence
  /**
   * Whether the file is outside of this process's folder. A write that depends on what was there under the lock then goes
   * through the fence: a conditional one, and one that keeps the replaced version.
   */
  readonly isElsewhere?: boolean
  readonly keepsVersions?: boolean
  /** Absent: the file and its record are durable. */
  readonly relaxed?: RelaxedWrite | undefined
  /** See CompleteOptions.assertHeld. */
  readonly assertHeld?: (() => void) | undefined
}

export interface PutDone {
  readonly kind: 'done'
  /** The folder that has the file now: to be synced and closed. */
  readonly folder: OpenFolder
  /** The overwritten file, if it has no other name. */
  readonly gone: FileIdentity | undefined
  /** The file of an earlier version at the alternative path, which was used while the natural path was a folder. */
  readonly stale: Taken | undefined
  /** The folder of the former versions, if it is to be synced and closed as well. */
  readonly history?: OpenFolder | undefined
}

export type PutResult =
  | PutDone
  /** Nothing was moved: the folder of this path does not exist. */
  | { readonly kind: 'missing'; readonly filePath: FilePath }
  /** Nothing was moved: another program changed the path at this moment. */
  | { readonly kind: 'again' }

/**
 * Moves the file to its object path atomically.
 *
 * @param opened the natural folder, opened earlier; it is closed here or returned
 */
export async function putFile(
  root: LocalRoot,
  order: PutOrder,
  opened?: OpenFolder,
): Promise<PutResult> {
  const { natural, alternative } = order.objectPath
  const folder = (await opened?.ifStillThere()) ?? (await OpenFolder.open(root, natural.folder))
  if (folder === undefined) return { kind: 'missing', filePath: natural }
  let result: PutResult = { kind: 'again' }
  try {
    const present = await root.files.lstat(folder.at(natural.name))
    if (present?.isDirectory() === true) {
      result = await putAlternative(root, order, folder)
      return result
    }
    result = await putAt(root, order, { filePath: natural, folder, present })
    if (result.kind !== 'done') return result
    // The new file is published. A stale one that can't be removed stays hidden, and is removed with the new one.
    const { fence, relaxed, identity } = order
    // Without a file at the natural path, it was the object.
    const keep = (path: string) => relaxed?.keep(path, identity, folder.at(natural.name))
    const options = { fence, opened: folder, ...(present === undefined && { keep }) }
    const stale = await takeFile(root, alternative, options).catch(() => undefined)
    return { ...result, stale }
  } catch (error) {
    // On NFS, another host has removed the open folder, and may have created it again.
    if (codeOf(error) !== 'ESTALE') throw error
    result = { kind: 'again' }
    return result
  } finally {
    if (result.kind !== 'done' || result.folder !== folder) await folder.close()
  }
}

export interface Taken {
  readonly filePath: FilePath
  /** The folder that had the file: to be synced and closed. May be `opened`. */
  readonly folder: OpenFolder
  /** Undefined if the file still has another name. */
  readonly gone: FileIdentity | undefined
}

interface TakeOptions {
  /** Opened before the lock was taken. */
  readonly fence: OpenFence
  /** The file's folder, if it is open. */
  readonly opened?: OpenFolder
  /** Called before the file is unlinked. */
  readonly keep?: (path: string) => Promise<void> | undefined
}

/** Unlinks the file; undefined if there is none. Leaves symbolic links, devices and the like. */
export async function takeFile(
  root: LocalRoot,
  filePath: FilePath,
  { fence, opened, keep }: TakeOptions,
): Promise<Taken | undefined> {
  const isOurs = opened !== undefined && opened.path === `${root.path}/${filePath.folder}`
  const folder = isOurs ? opened : await OpenFolder.open(root, filePath.folder)
  if (folder === undefined) return undefined
  let taken: Taken | undefined
  try {
    const path = folder.at(filePath.name)
    const stats = await root.files.lstat(path)
    if (!stats?.isFile()) return undefined
    await keep?.(path)
    await removeThrough(fence, root, path, { isLarge: stats.size >= largeBytes })
    taken = { filePath, folder, gone: goneIdentity(stats, root.hasBirthtime) }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  } finally {
    if (taken === undefined && !isOurs) await folder.close()
  }
  return taken
}

async function putAlternative(
  root: LocalRoot,
  order: PutOrder,
  naturalFolder: OpenFolder,
): Promise<PutResult> {
  const filePath = order.objectPath.alternative
  const isSame = filePath.folder === order.objectPath.natural.folder
  const folder = isSame ? naturalFolder : await OpenFolder.open(root, filePath.folder)
  if (folder === undefined) return { kind: 'missing', filePath }
  let result: PutResult = { kind: 'again' }
  try {
    const present = await root.files.lstat(folder.at(filePath.name))
    result = await putAt(root, order, { filePath, folder, present })
    return result
  } finally {
    if (!isSame && result.kind !== 'done') await folder.close()
  }
}

interface Target {
  readonly filePath: FilePath
  readonly folder: OpenFolder
  readonly present: Stats | undefined
}

async function putAt(root: LocalRoot, order: PutOrder, target: Target): Promise<PutResult> {
  const { filePath, folder, present } = target
  const path = folder.at(filePath.name)
  if (present !== undefined && !present.isFile()) {
    const message = `${filePath.folder}/${filePath.name} is not a regular file.`
    throw new DriveError('denied', `${message} Move it away to use this key.`)
  }
  const release = await holdLarge(root, path, present)
  try {
    if (present !== undefined) {
      await order.relaxed?.keep(path, order.identity, order.path)
    }
    await move(root, order, path)
  } catch (error) {
    // The call succeeded, but its reply was lost and it was repeated, as happens on NFS.
    if (await isThere(root, path, order.identity)) return done(root, order, target)
    const code = codeOf(error)
    if (['EEXIST', 'EISDIR', 'ENOTEMPTY'].includes(code)) return { kind: 'again' }
    if (code !== 'ENOENT') throw error
    if ((await root.files.lstat(order.path)) !== undefined) return { kind: 'missing', filePath }
    throw new DriveError(
      'unavailable',
      'The new file was removed from .bucketry by another program.',
      {
        cause: error,
      },
    )
  } finally {
    release?.()
  }
  return done(root, order, target)
}

function done(root: LocalRoot, { identity }: PutOrder, { folder, present }: Target): PutDone {
  const replaced = present === undefined ? undefined : goneIdentity(present, root.hasBirthtime)
  // An earlier attempt may have published the file although it seemed to fail.
  return {
    kind: 'done',
    folder,
    gone: replaced === identity ? undefined : replaced,
    stale: undefined,
  }
}

/** Whether the file is at its object's path. */
async function isThere(root: LocalRoot, path: string, identity: FileIdentity): Promise<boolean> {
  const stats = await root.files.lstat(path)
  return stats !== undefined && identityOf(stats, root.hasBirthtime) === identity
}

/**
 * Keeps a large file open while it is replaced, so that its blocks are freed when it is closed, in the thread pool.
 * Otherwise the rename would block the event loop for that: 20 ms for 64 MiB in the page cache.
 *
 * @returns a function that closes the file and does not wait for it
 */
async function holdLarge(
  root: LocalRoot,
  path: string,
  present: Stats | undefined,
): Promise<(() => void) | undefined> {
  if (present === undefined || present.size < largeBytes) return undefined
  try {
    const fd = await root.files.open(path, readFlags)
    return () => void closeFile(fd).catch(() => undefined)
  } catch {
    // A file that can't be opened is replaced without that.
    return undefined
  }
}

/** Moves the file, or links it if it must not replace a file that is added at this moment. */
async function move(root: LocalRoot, order: PutOrder, target: string): Promise<void> {
  const { files } = root
  if (order.conditions?.ifNoneMatch === '*') {
    try {
      order.assertHeld?.()
      await linkOnce(root, order, target)
      return await files.unlink(order.path)
    } catch (error) {
      if (!cannotLink(error)) throw error
    }
  }
  const needsFence =
    order.isElsewhere && (order.conditions !== undefined || order.keepsVersions === true)
  const token = needsFence ? await linkIntoFence(root, order) : undefined
  try {
    order.assertHeld?.()
    await files.rename(token ?? order.path, target)
  } catch (error) {
    if (token !== undefined) await fs.promises.rm(token, { force: true })
    throw error
  }
  if (token === undefined) return
  // If the target already was a link to the file, rename(2) did nothing.
  await fs.promises.rm(token, { force: true })
  await fs.promises.rm(order.path, { force: true })
}

/**
 * Links the file into the fence; undefined if the file system has no hard links.
 *
 * @throws DriveError `busy` when the lock was taken over
 */
async function linkIntoFence(root: LocalRoot, order: PutOrder): Promise<string | undefined> {
  const token = order.fence.newPath()
  try {
    await linkOnce(root, order, token)
    return token
  } catch (error) {
    if (cannotLink(error)) return undefined
    if (codeOf(error) !== 'ENOENT' || !(await isThere(root, order.path, order.identity)))
      throw error
    order.fence.lost()
    throw overtaken(error)
  }
}

async function linkOnce(root: LocalRoot, { path, identity }: PutOrder, target: string) {
  try {
    await root.files.link(path, target)
  } catch (error) {
    // EEXIST although the target is the same file: the reply was lost, as above.
    if (codeOf(error) !== 'EEXIST' || !(await isThere(root, target, identity))) throw error
  }
}
