import { CallThread } from '../../../process/call-thread.ts'
import { Pace } from '../objects/pace.ts'
import { type FolderContents, type FolderReadRequest, readUpTo } from './read-folder.ts'

/** A folder whose own size (its table of names) is up to this is read in about 3 ms. */
export const smallFolderBytes = 128 * 1024
/**
 * Not every file system reports a folder's size in bytes (ZFS counts entries, FUSE often reports
 * 4,096), and the size does not include the folders of cut names inside.
 */
const smallFolderEntries = 5_000

/** An entry is garbage as soon as its name is packed: more memory would not help. */
const maxYoungGenerationSizeMb = 2

/** Reads small folders synchronously, and large ones in a thread. */
export class FolderReader {
  readonly #pace = new Pace()
  readonly #thread = new CallThread<FolderReadRequest, FolderContents>(
    new URL('./read-folder-thread.ts', import.meta.url),
    { resourceLimits: { maxYoungGenerationSizeMb } },
  )

  /** Folders that the thread has not read yet. */
  get pending(): number {
    return this.#thread.pending
  }

  /** @param folderBytes the folder's own size, from its status */
  async read(request: FolderReadRequest, folderBytes: number): Promise<FolderContents> {
    const isSmall = folderBytes <= smallFolderBytes
    const read = isSmall && this.#pace.tryNow(() => readUpTo(smallFolderEntries, request))
    return read || (await this.#thread.call(request))
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }
}
