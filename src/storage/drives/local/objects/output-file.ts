import type { Stats } from 'node:fs'
import { fs } from '../file-calls.ts'
import { codeOf } from '../fs-error.ts'
import { createTempFile, type LocalRoot } from '../local-root.ts'
import { describe, type FileStamp, uniqueTimeMs } from './file-identity.ts'
import {
  fdatasyncFile,
  fsyncFile,
  readFully,
  safeOpenFlags,
  truncateFile,
  unlinkLarge,
  writeFully,
} from './paced-files.ts'

/** Chunks up to this size may be written synchronously (see Pace). */
const smallBytes = 128 * 1024
/**
 * The minimum number of bytes that are flushed in one step while more arrive. Without these steps, the disk would have to
 * write everything at the end. A disk that is slower than the sender gets larger steps.
 */
const flushFromBytes = 8 * 1024 * 1024
/** From here on the sender waits for the flush: a large upload must not fill the memory with unwritten pages. */
const maxUnflushedBytes = 32 * 1024 * 1024

const copyBytes = 1024 * 1024

interface CopiedBytes {
  readonly size: number
  /** Where they begin in the other file. */
  readonly start?: number
  readonly offset?: number
  readonly signal?: AbortSignal | undefined
}

/** A file for a draft or an upload, which is being written. */
export class OutputFile {
  readonly #root: LocalRoot
  readonly path: string
  readonly #fd: number
  #unflushedBytes = 0
  /** The flush in progress. Never rejects: its error is kept. */
  #flushing: Promise<void> | undefined
  #flushError: unknown
  #isClosed = false

  constructor(root: LocalRoot, path: string, fd: number) {
    this.#root = root
    this.path = path
    this.#fd = fd
  }

  /** A new file in the folder of this process. */
  static async temporary(root: LocalRoot): Promise<OutputFile> {
    const { path, fd } = await createTempFile(root)
    return new OutputFile(root, path, fd)
  }

  /** A new file at this path. */
  static async create(root: LocalRoot, path: string): Promise<OutputFile> {
    return new OutputFile(root, path, await root.files.create(path))
  }

  /** @param flags beside those for reading and writing */
  static async open(root: LocalRoot, path: string, flags = 0): Promise<OutputFile> {
    const fd = await root.files.open(path, fs.constants.O_RDWR | safeOpenFlags | flags)
    return new OutputFile(root, path, fd)
  }

  async write(chunk: Uint8Array, position: number): Promise<void> {
    if (chunk.length <= smallBytes) await this.#root.files.write(this.#fd, chunk, position)
    else await writeFully(this.#fd, chunk, position)
    this.#unflushedBytes += chunk.length
    if (this.#unflushedBytes < flushFromBytes) return
    // Waits if the disk is slower than the sender: otherwise the kernel stalls all writers.
    if (this.#unflushedBytes >= maxUnflushedBytes) await this.#flushing
    this.#throwFlushError()
    this.#flushing ??= this.#startFlush()
  }

  async #startFlush(): Promise<void> {
    this.#unflushedBytes = 0
    try {
      await fdatasyncFile(this.#fd)
    } catch (error) {
      this.#flushError = error
    }
    this.#flushing = undefined
  }

  /** Copies up to `size` bytes of another file, from `start` on, to `offset`. Returns the number of bytes copied. */
  async copy(from: number, { size, start = 0, offset = 0, signal }: CopiedBytes): Promise<number> {
    const buffer = Buffer.allocUnsafeSlow(Math.min(copyBytes, Math.max(size, 1)))
    let copied = 0
    while (copied < size) {
      signal?.throwIfAborted()
      const filled = await readFully(from, buffer.subarray(0, size - copied), start + copied)
      if (filled === 0) break
      await this.write(buffer.subarray(0, filled), offset + copied)
      copied += filled
    }
    return copied
  }

  /**
   * Gives the file a unique modification time, and thus a unique identity (file-identity.ts).
   *
   * @param afterMs see `uniqueTimeMs`
   */
  async shape(afterMs?: number): Promise<FileStamp> {
    return await this.shapeAs(uniqueTimeMs(afterMs))
  }

  /** Gives the file this modification time. */
  async shapeAs(timeMs: number): Promise<FileStamp> {
    await this.#root.files.setModified(this.#fd, timeMs)
    return describe(await this.stats(), this.#root)
  }

  truncate(size: number): Promise<void> {
    return truncateFile(this.#fd, size)
  }

  async stats(): Promise<Stats> {
    return await this.#root.files.fstat(this.#fd)
  }

  /** Resolves when all bytes are on the disk. */
  async flush(): Promise<void> {
    await this.#flushing
    this.#throwFlushError()
    await fsyncFile(this.#fd)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#flushing
    await this.#root.files.close(this.#fd)
  }

  /** Never rejects: the sweep removes what remains. */
  async remove(): Promise<void> {
    try {
      await this.close()
      await unlinkLarge(this.path)
    } catch {
      // The file or the drive no longer exists.
    }
  }

  /** A failed fsync may be reported only once, to the first caller (fsync(2), "NOTES"). */
  #throwFlushError(): void {
    if (this.#flushError !== undefined) throw this.#flushError
  }
}

/**
 * Clones a file to a new path: both share their blocks, as on Btrfs and XFS, which takes no time and no space. False if
 * the file system can't do it.
 */
export async function cloneFile(from: string, to: string): Promise<boolean> {
  const { COPYFILE_EXCL, COPYFILE_FICLONE_FORCE } = fs.constants
  try {
    await fs.promises.copyFile(from, to, COPYFILE_EXCL | COPYFILE_FICLONE_FORCE)
    return true
  } catch (error) {
    if (['ENOSPC', 'EDQUOT', 'EIO'].includes(codeOf(error))) throw error
    return false
  }
}
