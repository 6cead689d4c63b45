import fs from 'node:fs'
import { unlessAbsent } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'
import { folderOpenFlags } from '../objects/paced-files.ts'
import { syncFolder } from './durable-folders.ts'

/**
 * An open folder. On Linux, names in it are resolved from the descriptor (`/proc/self/fd/N/name`, as
 * openat(2) does), so that a symbolic link added meanwhile cannot redirect a write out of the root.
 * Elsewhere they are resolved from the path, which was compared with its real path.
 */
export class OpenFolder {
  readonly #root: LocalRoot
  readonly #fd: number
  /** Absolute. */
  readonly path: string

  private constructor(root: LocalRoot, path: string, fd: number) {
    this.#root = root
    this.path = path
    this.#fd = fd
  }

  /** Undefined if it is absent, not a folder, or reached through a symbolic link. */
  static async open(root: LocalRoot, relativePath: string): Promise<OpenFolder | undefined> {
    const path = `${root.path}/${relativePath}`
    const fd = await openFolderFd(root, path)
    if (fd === undefined) return undefined
    const folder = new OpenFolder(root, path, fd)
    if (await isRealPath(root, { fd, path, folder: path })) return folder
    await folder.close()
    return undefined
  }

  /** This folder; if it was moved or removed since it was opened, closes it and returns undefined. */
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
    const fd = await openFolderFd(this.#root, this.at(name))
    return fd === undefined ? undefined : new OpenFolder(this.#root, `${this.path}/${name}`, fd)
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

  stats(): fs.Stats | Promise<fs.Stats> {
    return this.#root.files.fstat(this.#fd)
  }

  /** Makes names added to or removed from the folder durable. */
  async sync(): Promise<void> {
    await syncFolder(this.#fd)
  }

  async close(): Promise<void> {
    await this.#root.files.close(this.#fd)
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
export async function isRealPath(root: LocalRoot, opened: OpenedPath): Promise<boolean> {
  if (root.descriptors === undefined) {
    return (await unlessAbsent(() => fs.promises.realpath(opened.folder))) === opened.folder
  }
  const link = await root.files.readlink(`${root.descriptors}${opened.fd}`)
  return link === opened.path || link === `${opened.path} (deleted)`
}

function openFolderFd(root: LocalRoot, path: string): Promise<number | undefined> {
  return unlessAbsent(() => root.files.open(path, folderOpenFlags))
}
