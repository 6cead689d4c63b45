/** Moves files from the fence into the version store. */
import { DriveError } from '../../drive-error.ts'
import { fs } from '../file-calls.ts'
import { openBucketFolder } from '../folders/bucket-folders.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { removeTree } from '../folders/own-folders.ts'
import { codeOf } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'
import type { HistoryPath } from '../object-path.ts'
import { type OpenFence, overtaken } from '../objects/fence.ts'

/** How often others may make or remove a folder above the versions of a key, while it is made. */
const attempts = 16

interface Move {
  readonly root: LocalRoot
  readonly fence: OpenFence
  /** The file in the fence. */
  readonly token: string
  /** Its name in the folder of the versions. */
  readonly name: string
}

/** @throws DriveError `busy` if the lock was taken over, or the folder was removed */
export async function renameFenced(
  { root: { files }, fence, token }: Omit<Move, 'name'>,
  target: string,
): Promise<void> {
  try {
    await files.rename(token, target)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // The call may have succeeded: NFS sends it again when the reply is lost.
    if ((await files.lstat(target)) !== undefined) return
    // An empty folder of versions may be removed without the lock, by a sweep or with the bucket.
    if ((await files.lstat(token)) !== undefined) throw changing()
    throw asOvertaken(fence, error)
  }
}

/**
 * Moves the first version of a key in together with its folder, and those above it if they are missing. So no kill leaves an
 * empty folder, which would be a prefix without objects in listings.
 */
export async function moveInFirst(
  move: Move,
  { store, filePath }: HistoryPath,
): Promise<OpenFolder> {
  const { root, fence, token, name } = move
  const names = filePath.folder.slice(store.bucket.length + 1).split('/')
  for (let attempt = 0; attempt < attempts; attempt++) {
    const { parent, depth } = await deepestFolder(root, store.bucket, names)
    const made = fence.newPath()
    const inner = [made, ...names.slice(depth + 1)].join('/')
    try {
      await makeFolders(fence, made, names.slice(depth + 1))
      await renameFenced(move, `${inner}/${name}`)
      if (await isMoved(move, made, parent.at(names[depth] ?? ''))) {
        const folder = await OpenFolder.open(root, filePath.folder)
        if (folder !== undefined) return folder
        break
      }
      await renameFenced({ root, fence, token: `${inner}/${name}` }, token)
      await removeTree(root, made)
    } catch (error) {
      // For example on a full drive.
      await removeTree(root, made).catch(() => undefined)
      throw error
    } finally {
      await parent.close()
    }
  }
  throw changing()
}

/** The deepest of these folders, one in another, that exists. The last one does not count. */
async function deepestFolder(root: LocalRoot, bucket: string, names: readonly string[]) {
  let parent = await openBucketFolder(root, bucket)
  let depth = 0
  for (; depth < names.length - 1; depth++) {
    const child = await parent.openChild(names[depth] ?? '')
    if (child === undefined) break
    await parent.close()
    parent = child
  }
  return { parent, depth }
}

/** Not recursively, which could make the fence again after a takeover. */
async function makeFolders(fence: OpenFence, path: string, below: readonly string[]) {
  try {
    await fs.promises.mkdir(path)
  } catch (error) {
    throw asOvertaken(fence, error)
  }
  const [name, ...rest] = below
  if (name !== undefined) await makeFolders(fence, `${path}/${name}`, rest)
}

/** Moves the folder. False if another one has the name, or the folder above was removed. */
async function isMoved(
  { root: { files }, fence }: Move,
  made: string,
  target: string,
): Promise<boolean> {
  try {
    await files.rename(made, target)
    return true
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY'].includes(codeOf(error))) return false
    if (codeOf(error) !== 'ENOENT') throw error
    if ((await files.lstat(made)) !== undefined) return false
    if ((await files.lstat(target)) !== undefined) return true
    throw asOvertaken(fence, error)
  }
}

/** The error of a call in the fence: the fence is missing if the lock was taken over. */
export function asOvertaken(fence: OpenFence, error: unknown): unknown {
  if (codeOf(error) !== 'ENOENT') return error
  fence.lost()
  return overtaken(error)
}

export function changing(): DriveError {
  const message = 'The object was changed by another program at this moment. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}
