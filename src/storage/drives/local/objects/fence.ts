import crypto from 'node:crypto'
import { DriveError } from '../../drive-error.ts'
import { fs } from '../file-calls.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import { inOwnFolders, type LocalRoot, newTempPath, processFolderOf } from '../local-root.ts'
import { unlinkLarge } from './paced-files.ts'

/** Begins the names of fences, which are in the folder of their process. */
const fencePrefix = 'fence-'

/** The fence that a process had before it took a lock. */
export interface OpenFence {
  /** A path for a new file inside the fence. */
  newPath(): string
  /** Call it when the folder is gone: the next lock needs another fence. */
  lost(): void
}

/**
 * A folder of this process, created before the process takes a lock. A process that takes over the lock first moves the
 * fence away (former-holder.ts). From then on, renames into the fence and out of it fail, even if this process was
 * suspended right before such a rename.
 */
export class Fence {
  readonly #root: LocalRoot
  /** Its name in the folder of the process; undefined: there is none. */
  #name: string | undefined

  constructor(root: LocalRoot) {
    this.#root = root
  }

  /** Creates a new folder. For when the present one is gone, or may be. */
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
      // Removals must work on a full drive. They use the folder of the process: a takeover moves it too, but other
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
