import type { Stats } from 'node:fs'
import { DriveError, PrivateDriveError } from '../../drive-error.ts'
import { fs } from '../file-calls.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import { type FolderRoot, makePrivateFolder, OpenFolder } from './open-folder.ts'

/** The drive's own folder, on the same file system as the buckets. */
export const ownFolderName = '.bucketry'

const names = ['tmp', 'uploads', 'locks', 'removed', 'unsynced'] as const
type OwnName = (typeof names)[number]

/** How long a folder that is no longer the drive's stays open, for calls that still use it. */
const graceMs = 60_000
/** How often to check whether the folders are still at their paths. */
const lookMs = 1_000

interface OpenedFolder {
  readonly folder: OpenFolder
  readonly stats: Stats
}

/**
 * The folders in the drive's own folder. They stay open, and names in them are resolved from their descriptors: if a
 * symbolic link replaces one of them, or the drive's own folder, no write, removal or listing leaves the drive. The folder
 * of a process in `tmp` is resolved by its name, because a takeover renames it (fence.ts).
 */
export class OwnFolders {
  readonly #root: FolderRoot
  readonly #opened = new Map<OwnName, OpenedFolder>()
  #opening: Promise<void> | undefined
  #lookedAtMs = Number.NEGATIVE_INFINITY

  constructor(root: FolderRoot) {
    this.#root = root
  }

  /** The path by which to use the folder. It is valid while the folder is the drive's, and for a minute afterwards. */
  at(name: OwnName): string {
    return this.#opened.get(name)?.folder.ownPath ?? `${this.#root.path}/${ownFolderName}/${name}`
  }

  /**
   * Opens the folders that are at their paths now, and creates those that are missing.
   * @throws DriveError `denied` when one of them is not a folder
   */
  open(): Promise<void> {
    this.#opening ??= this.#openAll().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Whether all of them are at their paths, as of the last second. */
  areThere(): true | Promise<boolean> {
    return performance.now() - this.#lookedAtMs < lookMs || this.#look()
  }

  async #look(): Promise<boolean> {
    const startedAtMs = performance.now()
    for (const { folder, stats } of this.#opened.values()) {
      const now = await this.#root.files.lstat(folder.path)
      if (!(await folder.isAtPath())) return false
      if (now?.ino !== stats.ino || now.dev !== stats.dev) return false
    }
    this.#lookedAtMs = startedAtMs
    return true
  }

  async #openAll(): Promise<void> {
    const own = await openOwnFolder(this.#root)
    try {
      for (const name of names) {
        const folder = await makeChild(own, name)
        const isNew = await this.#keep(name, folder)
        // Before anything in it has to be durable.
        await (isNew ? own.sync() : folder.close())
      }
    } finally {
      await own.close()
    }
  }

  /** Replaces the folder. False if it is the present one. */
  async #keep(name: OwnName, folder: OpenFolder): Promise<boolean> {
    const former = this.#opened.get(name)
    const stats = await folder.stats()
    const isSame = former?.stats.ino === stats.ino && former.stats.dev === stats.dev
    // After `umount --lazy`, the same folder may be mounted again.
    if (isSame && (await former.folder.mountId()) === (await folder.mountId())) return false
    this.#opened.set(name, { folder, stats })
    if (former !== undefined) setTimeout(() => void former.folder.close(), graceMs).unref()
    return true
  }

  /** Makes names added to or removed from the folder durable. */
  async sync(name: OwnName): Promise<void> {
    await this.#opened.get(name)?.folder.sync()
  }

  async close(): Promise<void> {
    const opened = [...this.#opened.values()]
    this.#opened.clear()
    for (const { folder } of opened) await folder.close()
  }
}

/** @throws DriveError `unavailable` when the folder is missing, `denied` when it is not a folder */
export async function openOwnFolder(root: FolderRoot): Promise<OpenFolder> {
  const own = await OpenFolder.open(root, ownFolderName)
  if (own !== undefined) return own
  const path = `${root.path}/${ownFolderName}`
  if ((await root.files.lstat(path)) !== undefined) throw notFolder(path)
  throw missingDrive()
}

export function missingDrive(): DriveError {
  const message = "The drive's folder no longer exists."
  return new DriveError('unavailable', `${message} Check that it is mounted, then restart.`)
}

/**
 * Opens a folder, and creates it if it is missing, by default for this user only.
 * @throws DriveError `denied` when something else has the name
 */
export async function makeChild(
  parent: OpenFolder,
  name: string,
  mode?: number,
): Promise<OpenFolder> {
  await makePrivateFolder(parent.at(name), mode)
  const folder = await parent.openChild(name)
  if (folder === undefined) throw notFolder(`${parent.path}/${name}`)
  return folder
}

interface OwnEntry {
  /** Valid until the next entry is taken. */
  readonly path: string
  readonly isFile: boolean
}

/**
 * Everything in one of the drive's own folders; a folder comes after its content. Every folder is opened, so that a
 * symbolic link that replaces it meanwhile is not followed.
 *
 * @param path leads through open folders up to its last name
 */
export async function* entriesBelow(root: FolderRoot, path: string): AsyncGenerator<OwnEntry> {
  const folder = await OpenFolder.openAt(root, path)
  if (folder === undefined) return
  try {
    const entries = await unlessAbsent(() =>
      fs.promises.readdir(folder.ownPath, { withFileTypes: true }),
    )
    for (const entry of entries ?? []) {
      const inner = folder.at(entry.name)
      if (entry.isDirectory()) yield* entriesBelow(root, inner)
      yield { path: inner, isFile: entry.isFile() }
    }
  } finally {
    await folder.close()
  }
}

/** Removes the file or folder at the path with its content. Does not follow a symbolic link, but removes it. */
export async function removeTree(root: FolderRoot, path: string): Promise<void> {
  for await (const entry of entriesBelow(root, path)) await removeOne(entry.path)
  await removeOne(path)
}

async function removeOne(path: string): Promise<void> {
  try {
    await unlessAbsent(() => fs.promises.unlink(path))
  } catch (error) {
    // EPERM means a folder on systems other than Linux.
    if (!['EISDIR', 'EPERM'].includes(codeOf(error))) throw error
    await unlessAbsent(() => fs.promises.rmdir(path))
  }
}

/** The last change of a folder or of anything in it; undefined if it is not a folder. */
export async function lastChangeMs(root: FolderRoot, path: string): Promise<number | undefined> {
  const folder = await unlessAbsent(() => fs.promises.lstat(path))
  if (!folder?.isDirectory()) return undefined
  let last = changedAtMs(folder)
  for await (const entry of entriesBelow(root, path)) {
    const stats = await unlessAbsent(() => fs.promises.lstat(entry.path))
    if (stats !== undefined) last = Math.max(last, changedAtMs(stats))
  }
  return last
}

export function changedAtMs({ mtimeMs, ctimeMs }: Stats): number {
  return Math.max(mtimeMs, ctimeMs)
}

export function notFolder(path: string): DriveError {
  return new PrivateDriveError('denied', `${path} is not a folder. Move away what has its name.`)
}
