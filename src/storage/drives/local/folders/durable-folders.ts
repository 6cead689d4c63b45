import { dirname } from 'node:path'
import { closeFile, fs, openFile } from '../file-calls.ts'
import { codeOf } from '../fs-error.ts'
import { folderOpenFlags, fsyncFile } from '../objects/paced-files.ts'

/**
 * Creates a folder and those above it if they are missing; returns the first one created.
 *
 * Node's recursive mkdir reports ENOENT for every code that it does not know, such as EROFS and EIO
 * (MKDirpSync in node_file.cc). A plain mkdir of the same folder reports the system's own code.
 */
async function makeFolders(path: string): Promise<string | undefined> {
  try {
    return await fs.promises.mkdir(path, { recursive: true })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    await fs.promises.mkdir(path)
    return path
  }
}

/** Creates a folder, by default for this user only, unless something has the path. */
export async function makePrivateFolder(path: string, mode = 0o700): Promise<void> {
  try {
    await fs.promises.mkdir(path, { mode })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** As `makeFolders`, durable when resolved. Returns the folder's real path. */
export async function makeFolderDurably(path: string): Promise<string> {
  const first = await makeFolders(path)
  const real = await fs.promises.realpath(path)
  if (first === undefined) return real
  const firstReal = await fs.promises.realpath(first)
  for (let folder = real; folder.startsWith(firstReal); folder = dirname(folder)) {
    await syncFolderAt(dirname(folder))
  }
  return real
}

/** As `syncFolder`, for a folder that is not open. */
export async function syncFolderAt(path: string): Promise<void> {
  const fd = await openFile(path, folderOpenFlags)
  await syncFolder(fd).finally(() => closeFile(fd))
}

/** Makes names added to or removed from the folder durable. */
export async function syncFolder(fd: number): Promise<void> {
  try {
    await fsyncFile(fd)
  } catch (error) {
    if (!isNeedless(error)) throw error
  }
}

/** As `syncFolder`, synchronously. */
export function syncFolderNow(fd: number): void {
  try {
    fs.fsyncSync(fd)
  } catch (error) {
    if (!isNeedless(error)) throw error
  }
}

/** Some file systems (SMB, some FUSE ones) neither support nor need syncs of folders. */
function isNeedless(error: unknown): boolean {
  return ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR'].includes(codeOf(error))
}
