import crypto from 'node:crypto'
import fs from 'node:fs'
import { DriveError } from '../../drive.ts'
import { codeOf, unlessAbsent } from '../fs-error.ts'
import { type LocalRoot, newTempPath, remakeProcessFolder } from '../local-root.ts'
import { unlinkLarge } from './paced-files.ts'

/** The names of these folders, in the folder of their process. */
export const fencePrefix = 'fence-'

/** The fence of a process as it was before a lock was taken. */
export interface OpenFence {
  /** A path for a file, inside. */
  newPath(): string
  /** To be called when the folder is gone: the next lock needs another one. */
  lost(): void
}

/**
 * A folder of this process that exists before it takes a lock. Whoever takes over the lock of a process that may
 * continue moves its fence away first (former-holder.ts). So a rename into the fence or out of it fails from then on,
 * even if the process was suspended immediately before it.
 */
export class Fence {
  readonly #root: LocalRoot
  #folder: string | undefined

  constructor(root: LocalRoot) {
    this.#root = root
  }

  /** The folder is gone, or may be: makes another one. */
  async renew(): Promise<void> {
    await this.#make()
  }

  /** Call it before the lock is taken. It makes a folder after a loss. */
  async open(): Promise<OpenFence> {
    const folder = this.#folder ?? (await this.#make())
    return {
      newPath: () => newTempPath({ processFolder: folder }),
      lost: () => {
        if (this.#folder === folder) this.#folder = undefined
      },
    }
  }

  async #make(): Promise<string> {
    const { processFolder } = this.#root
    const folder = `${processFolder}/${fencePrefix}${crypto.randomUUID()}`
    try {
      await this.#makeFolder(folder)
    } catch (error) {
      if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error))) throw error
      // A full drive must be able to lose objects. This folder, too, is moved away, but made again by others.
      return processFolder
    }
    this.#folder = folder
    return folder
  }

  async #makeFolder(folder: string): Promise<void> {
    try {
      await fs.promises.mkdir(folder)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      await remakeProcessFolder(this.#root)
      await fs.promises.mkdir(folder)
    }
  }
}

/** What a request is answered whose lock was taken over. */
export function overtaken(cause: unknown): DriveError {
  const message = 'Another process took over the lock on this key. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1, cause })
}

/**
 * Removes a file, unless the lock was taken over meanwhile: then another process may have written a newer one.
 *
 * @throws DriveError `busy` then; ENOENT of the system if the file is missing
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
    // The reply may have been lost, and the call was sent again, as on NFS.
    if ((await files.lstat(aside)) === undefined) {
      if ((await files.lstat(path)) === undefined) throw error
      fence.lost()
      throw overtaken(error)
    }
  }
  // It is removed already. Whoever took over the lock meanwhile may have moved it.
  await unlessAbsent(() => (isLarge ? unlinkLarge(aside) : files.unlink(aside)))
}
