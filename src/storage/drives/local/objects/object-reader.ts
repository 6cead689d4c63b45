import fs from 'node:fs'
import type { Attributes } from '../../attributes.ts'
import type { Borrow, ObjectMetadata, OpenObject } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { withDriveErrors } from '../fs-error.ts'
import type { LocalRoot } from '../local-root.ts'
import { hasOtherAttributes, isSameFile, isSameVersion } from './file-identity.ts'
import type { ObjectFile } from './object-files.ts'
import { readFullyNow } from './paced-files.ts'

const chunkBytes = 256 * 1024
const smallBytes = 64 * 1024
/** The buffer size of a reader that gets no memory for read-ahead. */
const scarceBytes = 32 * 1024

/** An object's open file. Later overwrites and removals of the key do not affect it. */
export class LocalObjectReader implements OpenObject {
  readonly size: number
  readonly modifiedAtMs: number
  readonly attributes: Attributes
  readonly versionId?: string
  readonly #root: LocalRoot
  readonly #file: ObjectFile
  readonly #release: () => void | Promise<void>
  /** Reads in progress: their descriptor must not be closed meanwhile, because it may be reused. */
  readonly #pending = new Set<Promise<unknown>>()
  /** Whether bytes were read earlier, with which later ones must not be mixed. */
  #hasReadPart = false
  #isClosed = false

  /** @param release called once, instead of closing the file */
  constructor(
    root: LocalRoot,
    file: ObjectFile,
    metadata: ObjectMetadata,
    release: () => void | Promise<void> = () => root.files.close(file.fd),
  ) {
    this.#root = root
    this.#file = file
    this.#release = release
    this.size = metadata.size
    this.modifiedAtMs = metadata.modifiedAtMs
    this.attributes = metadata.attributes
    if (metadata.versionId !== undefined) this.versionId = metadata.versionId
  }

  readNow(start: number, end: number): Uint8Array | undefined {
    if (this.#isClosed) return undefined
    return this.#root.files.readsNow(() => {
      try {
        const bytes = Buffer.allocUnsafeSlow(end - start)
        const isWhole = readFullyNow(this.#file.fd, bytes, start) === bytes.length
        const isSame = isWhole && isSameVersion(fs.fstatSync(this.#file.fd), this.#file, this.#root)
        // If that is a promise, the caller uses `read`, which waits for it.
        return isSame === true ? bytes : undefined
      } catch {
        // `read` fails in the same way, and reports the error.
        return undefined
      }
    })
  }

  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let position = start; position < end && !this.#isClosed; position += chunkBytes) {
      const chunk = await this.#readChunk(newBuffer(end - position), position, end)
      if (this.#isClosed) return
      yield chunk
    }
  }

  /**
   * Two buffers of 256 KiB for each of thousands of slow clients would use up the memory. A reader that
   * gets no memory for them uses one small buffer until it does.
   */
  async lend(start: number, end: number, borrow: Borrow): Promise<void> {
    const { readMemory } = this.#root
    let position = start
    let scarce: Buffer | undefined
    while (position < end && !this.#isClosed) {
      const bytes = Math.min(2 * chunkBytes, end - position)
      if (readMemory.take(bytes)) {
        return await this.#lendAhead(position, end, borrow).finally(() => readMemory.give(bytes))
      }
      scarce ??= Buffer.allocUnsafeSlow(Math.min(scarceBytes, end - position))
      const chunk = await this.#readChunk(scarce, position, end)
      if (this.#isClosed) return
      await borrow(chunk)
      position += chunk.length
    }
  }

  /**
   * Fills two buffers in turn: the next chunk is read while the previous one is lent. New memory for
   * every chunk would take four times the CPU time, in page faults (docs/decisions/0017-who-owns-a-chunk.md).
   */
  async #lendAhead(start: number, end: number, borrow: Borrow): Promise<void> {
    let [buffer, spare] = [newBuffer(end - start), newBuffer(end - start - chunkBytes)]
    let next: Promise<Buffer> | undefined = this.#readChunk(buffer, start, end)
    for (let position = start; next !== undefined; position += chunkBytes) {
      const chunk = await next
      if (this.#isClosed) return
      const after = position + chunkBytes
      next = after < end ? this.#readChunk(spare, after, end) : undefined
      await borrow(chunk)
      ;[buffer, spare] = [spare, buffer]
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await Promise.allSettled(this.#pending)
    await this.#release()
  }

  #readChunk(buffer: Buffer, position: number, end: number): Promise<Buffer> {
    const chunk = buffer.subarray(0, end - position)
    const isLast = position + chunk.length >= end
    const reading = this.#track(this.#fill(chunk, position, isLast).then(() => chunk))
    // Awaited later, or never if the borrower fails; then the error does not matter.
    reading.catch(() => undefined)
    return reading
  }

  /** @throws DriveError `changed` when the file is no longer the version that was opened. */
  async #fill(chunk: Buffer, position: number, isLast: boolean): Promise<void> {
    const { files } = this.#root
    const { fd } = this.#file
    await withDriveErrors('read an object', async () => {
      const filled = await files.read(fd, chunk, position)
      const isWhole = filled === chunk.length
      // A file that is edited in place may contain a mixture: the reply must then end early.
      if (!isLast) this.#hasReadPart = true
      if (isWhole && !isLast) return
      const now = await files.fstat(fd)
      // A file may be moved out of the way of a folder and back: that must not end the read of a small object.
      const { hasBirthtime } = this.#root
      const isSame = this.#hasReadPart
        ? await isSameVersion(now, this.#file, this.#root)
        : isSameFile(now, this.#file.stats, hasBirthtime) ||
          hasOtherAttributes(now, this.#file.stats, hasBirthtime)
      if (isWhole && isSame) return
      throw new DriveError(
        'changed',
        'The file was changed by another program while it was being read.',
      )
    })
  }

  #track<T>(reading: Promise<T>): Promise<T> {
    this.#pending.add(reading)
    const done = () => this.#pending.delete(reading)
    reading.then(done, done)
    return reading
  }
}

/** Large buffers are not taken from Node's shared pool, because they would exhaust it. */
function newBuffer(neededBytes: number): Buffer {
  const bytes = Math.max(0, Math.min(chunkBytes, neededBytes))
  return bytes <= smallBytes ? Buffer.allocUnsafe(bytes) : Buffer.allocUnsafeSlow(bytes)
}
