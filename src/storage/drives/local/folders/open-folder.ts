import type { Stats } from 'node:fs'
import { dirname } from 'node:path'
import { closeFile, fs, openFile } from '../file-calls.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import { folderOpenFlags, fsyncFile, type PacedFiles, readFlags } from '../objects/paced-files.ts'

/** What is needed to open folders below a root. */
export interface FolderRoot {
  /** Absolute, without symbolic links and trailing `/`. */
  readonly path: string
  /** `/proc/PID/fd/` where descriptors have paths (Linux), otherwise undefined. */
  readonly descriptors: string | undefined
  readonly files: PacedFiles
}

/**
 * An open folder. On Linux, names in it are resolved from the descriptor (`/proc/PID/fd/N/name`, as
 * openat(2) does), so that a symbolic link added meanwhile cannot redirect a write out of the root.
 * Elsewhere they are resolved from the path, which was compared with its real path.
 */
export class OpenFolder {
  readonly #root: FolderRoot
  readonly #fd: number
  /** Absolute. */
  readonly path: string

  private constructor(root: FolderRoot, path: string, fd: number) {
    this.#root = root
    this.path = path
    this.#fd = fd
  }

  /** Undefined if it is absent, not a folder, or reached through a symbolic link. */
  static async open(root: FolderRoot, relativePath: string): Promise<OpenFolder | undefined> {
    const path = `${root.path}/${relativePath}`
    const fd = await openFolderFd(root, path)
    if (fd === undefined) return undefined
    let isReal = false
    try {
      isReal = await isRealPath(root, { fd, path, folder: path })
    } finally {
      if (!isReal) await root.files.close(fd)
    }
    return isReal ? new OpenFolder(root, path, fd) : undefined
  }

  /** Returns this folder. If it was moved or removed since it was opened, closes it and returns undefined. */
  async ifStillThere(): Promise<OpenFolder | undefined> {
    const { descriptors, files } = this.#root
    let isThere = false
    try {
      isThere =
        descriptors !== undefined &&
        (await files.readlink(`${descriptors}${this.#fd}`)) === this.path
      return isThere ? this : undefined
    } finally {
      if (!isThere) await this.close()
    }
  }

  /** As `open`, for a name in this folder. */
  async openChild(name: string): Promise<OpenFolder | undefined> {
    return await OpenFolder.openAt(this.#root, this.at(name), `${this.path}/${name}`)
  }

  /** As `open`, for a path that leads through an open folder up to its last name. */
  static async openAt(root: FolderRoot, at: string, path = at): Promise<OpenFolder | undefined> {
    const fd = await openFolderFd(root, at)
    return fd === undefined ? undefined : new OpenFolder(root, path, fd)
  }

  /** The text of a file; undefined if it is absent or a symbolic link. */
  async read(name: string): Promise<string | undefined> {
    return await unlessAbsent(() =>
      fs.promises.readFile(this.at(name), { encoding: 'utf8', flag: readFlags }),
    )
  }

  /** The path by which to use a name in the folder. */
  at(name: string): string {
    const { descriptors } = this.#root
    return descriptors === undefined ? `${this.path}/${name}` : `${descriptors}${this.#fd}/${name}`
  }

  /** The path by which to read the folder itself. */
  get ownPath(): string {
    const { descriptors } = this.#root
    return descriptors === undefined ? this.path : `${descriptors}${this.#fd}`
  }

  stats(): Stats | Promise<Stats> {
    return this.#root.files.fstat(this.#fd)
  }

  /** False if the system reports that it was moved, removed or unmounted. */
  async isAtPath(): Promise<boolean> {
    const { descriptors, files } = this.#root
    return descriptors === undefined || (await files.readlink(this.ownPath)) === this.path
  }

  /**
   * The mount through which it was opened (proc(5)). link(2) and rename(2) fail between two mounts, even of one file
   * system. Undefined if it has been unmounted, or is unknown.
   */
  async mountId(): Promise<string | undefined> {
    const { descriptors } = this.#root
    if (descriptors === undefined || !(await this.isAtPath())) return undefined
    const info = `${descriptors.slice(0, -1)}info/${this.#fd}`
    return /^mnt_id:\s*(\d+)/m.exec(await fs.promises.readFile(info, 'utf8'))?.[1]
  }

  /** Makes names added to or removed from the folder durable. */
  async sync(): Promise<void> {
    await syncFolder(this.#fd)
  }

  async close(): Promise<void> {
    await this.#root.files.close(this.#fd)
  }
}

/** The folder that was opened last: many names that are looked at one after the other are in one folder. */
export class LastFolder {
  readonly #root: FolderRoot
  #folder: OpenFolder | undefined

  constructor(root: FolderRoot) {
    this.#root = root
  }

  /** @param path below the root */
  async open(path: string): Promise<OpenFolder | undefined> {
    if (this.#folder?.path === `${this.#root.path}/${path}`) return this.#folder
    await this.close()
    this.#folder = await OpenFolder.open(this.#root, path)
    return this.#folder
  }

  async close(): Promise<void> {
    const folder = this.#folder
    this.#folder = undefined
    await folder?.close()
  }
}

interface OpenedPath {
  readonly fd: number
  /** The absolute path that was opened. */
  readonly path: string
  /** The path of its folder, or of the folder itself. */
  readonly folder: string
}

/**
 * Whether the opened file or folder is at this path without symbolic links. A file that was unlinked
 * after it was opened counts.
 */
export async function isRealPath(root: FolderRoot, opened: OpenedPath): Promise<boolean> {
  if (root.descriptors === undefined) {
    return (await unlessAbsent(() => fs.promises.realpath(opened.folder))) === opened.folder
  }
  const link = await root.files.readlink(`${root.descriptors}${opened.fd}`)
  return link === opened.path || link === `${opened.path} (deleted)`
}

function openFolderFd(root: FolderRoot, path: string): Promise<number | undefined> {
  return unlessAbsent(() => root.files.open(path, folderOpenFlags))
}

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

/** Creates a folder, by default for this user only, unless something exists at the path. */
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
async function syncFolder(fd: number): Promise<void> {
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
