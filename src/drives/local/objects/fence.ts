import crypto from 'node:crypto'
import fs from 'node:fs'
import { DriveError } from '../../drive.ts'
import { makeFolders } from '../folders/durable-folders.ts'
import { codeOf } from '../fs-error.ts'
import { type LocalRoot, newTempPath, requireOwnFolder } from '../local-root.ts'
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
  #opened: Promise<OpenFence> | undefined

  constructor(root: LocalRoot) {
    this.#root = root
  }

  /** Call it before the lock is taken. It makes a folder the first time, and after a loss. */
  async open(): Promise<OpenFence> {
    this.#opened ??= this.#make()
    const opened = this.#opened
    try {
      return await opened
    } catch (error) {
      if (this.#opened === opened) this.#opened = undefined
      throw error
    }
  }

  async #make(): Promise<OpenFence> {
    const { processFolder } = this.#root
    const folder = `${processFolder}/${fencePrefix}${crypto.randomUUID()}`
    try {
      await fs.promises.mkdir(folder)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      // Without the drive's own folder this is not the drive: perhaps it is not mounted.
      await requireOwnFolder(this.#root)
      await makeFolders(processFolder)
      await fs.promises.mkdir(folder)
    }
    return {
      newPath: () => newTempPath({ processFolder: folder }),
      lost: () => {
        this.#opened = undefined
      },
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
 * @throws DriveError `busy` then; the system's ENOENT if there is no file
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
  await (isLarge ? unlinkLarge(aside) : files.unlink(aside))
}
