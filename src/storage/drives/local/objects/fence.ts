import crypto from 'node:crypto'
import type { ProcessName } from '../../../../platform/process/identity.ts'
import { DriveError } from '../../drive-error.ts'
import { fs } from '../file-calls.ts'
import { OpenFolder } from '../folders/open-folder.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import { inOwnFolders, type LocalRoot, newTempPath, processFolderOf } from '../local-root.ts'
import { unlinkLarge } from './paced-files.ts'

/** Begins the names of fences, which are in the folder of their process. */
const fencePrefix = 'fence-'

/** The fence of a process, opened before it took a lock. */
export interface OpenFence {
  /** A path for a new file inside the fence. */
  newPath(): string
  /** Call it when the folder is gone. The next lock then gets another fence. */
  lost(): void
}

/**
 * A folder of this process, created before the process takes a lock. A process that takes over the lock first moves the
 * fence away (`fenceOff`). From then on, renames into the fence and out of it fail, even if this process was
 * suspended right before such a rename.
 */
export class Fence {
  readonly #root: LocalRoot
  /** Its name in the folder of the process; undefined if there is none. */
  #name: string | undefined

  constructor(root: LocalRoot) {
    this.#root = root
  }

  /** Creates another folder, because the present one is or may be gone. */
  async renew(): Promise<void> {
    await this.#make()
  }

  /** Call it before the lock is taken. Creates a folder if there is none. */
  async open(): Promise<OpenFence> {
    const name = this.#name ?? (await this.#make())
    return {
      newPath: () => newTempPath(this.#root, name && `${processFolderOf(this.#root)}/${name}`),
      lost: () => {
        if (this.#name === name) this.#name = undefined
      },
    }
  }

  /** Undefined if there is no space. */
  async #make(): Promise<string | undefined> {
    const name = `${fencePrefix}${crypto.randomUUID()}`
    try {
      await inOwnFolders(this.#root, () =>
        fs.promises.mkdir(`${processFolderOf(this.#root)}/${name}`),
      )
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error
      // Removals must work on a full drive. They use the folder of the process. A takeover moves it as well, but other
      // requests create it again.
      return undefined
    }
    this.#name = name
    return name
  }
}

/** The reply to a request whose lock was taken over. */
export function overtaken(cause: unknown): DriveError {
  const message = 'Another process took over the lock on this key. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1, cause })
}

/**
 * Removes a file, unless the lock was taken over meanwhile: then the file may be a newer one of another process.
 *
 * @throws DriveError `busy` if the lock was taken over; the system's ENOENT if the file is missing
 */
export async function removeThrough(
  fence: OpenFence,
  { files }: Pick<LocalRoot, 'files'>,
  path: string,
  { isLarge }: { readonly isLarge: boolean },
): Promise<void> {
  const aside = fence.newPath()
  try {
    await files.rename(path, aside)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // The call may have succeeded: NFS sends it again when the reply is lost.
    if ((await files.lstat(aside)) === undefined) {
      if ((await files.lstat(path)) === undefined) throw error
      fence.lost()
      throw overtaken(error)
    }
  }
  // The object is removed already. A takeover may have moved this file meanwhile.
  await unlessAbsent(() => (isLarge ? unlinkLarge(aside) : files.unlink(aside)))
}

/** The file that names a process, in its folder of drafts. */
export const holderName = 'holder'

/** Begins the new names of the entries of a folder that was moved away. */
const fencedPrefix = 'fenced-'

/** Follows the name of the process in the new name of its folder. */
export const formerSuffix = /\.former-[\w-]+$/

/** A complete name (src/platform/process/identity.ts). Only such a name may become part of a path. */
const namePattern = /^[^/]+\/\d+\/\d*$/

/** Whether the name of a process may become part of a path. */
export function isCompleteName(name: ProcessName): boolean {
  return namePattern.test(name)
}

/**
 * Makes all renames fail with which a process could still publish or remove objects: those of its drafts, and those into
 * and out of its fence. Its clients then get 503, because the process may only be suspended. The folder is renamed first,
 * so that nothing is added to it meanwhile. Its entries are also renamed, because an NFS client may still reach the folder
 * by its file handle, and a call that was sent before the process died may still arrive. The sweep removes the folder
 * (leftovers.ts). The holder file, to which the process's locks are links, keeps its name: a rename would change its time,
 * and the process would seem to be alive.
 */
export async function fenceOff(holder: ProcessName, root: LocalRoot): Promise<void> {
  if (!isCompleteName(holder)) return
  const tempFolder = root.folders.at('tmp')
  const name = encodeURIComponent(holder)
  const former = `${name}.former-`
  try {
    await fs.promises.rename(
      `${tempFolder}/${name}`,
      `${tempFolder}/${former}${crypto.randomUUID()}`,
    )
  } catch (error) {
    // The process has no folder, or another takeover has just moved it.
    if (codeOf(error) !== 'ENOENT') throw error
  }
  // Including the folders of an earlier takeover, which may have been killed before it renamed the entries.
  for (const other of await fs.promises.readdir(tempFolder)) {
    if (other.startsWith(former)) await renameAll(root, `${tempFolder}/${other}`)
  }
}

async function renameAll(root: LocalRoot, path: string): Promise<void> {
  const folder = await OpenFolder.openAt(root, path)
  if (folder === undefined) return
  try {
    for (const entry of await fs.promises.readdir(folder.ownPath, { withFileTypes: true })) {
      const { name } = entry
      if (name.endsWith('.folders') || name.startsWith(holderName)) continue
      const isRenamed = name.startsWith(fencedPrefix)
      const renamed = folder.at(isRenamed ? name : `${fencedPrefix}${crypto.randomUUID()}`)
      if (!isRenamed) await unlessAbsent(() => fs.promises.rename(folder.at(name), renamed))
      if (entry.isDirectory()) await renameAll(root, renamed)
    }
  } finally {
    await folder.close()
  }
}
