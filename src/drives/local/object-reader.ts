import type { Attributes } from '../attributes.ts'
import { DriveError, type ObjectFacts, type OpenObject } from '../drive.ts'
import { identityOf } from './file-identity.ts'
import { withDriveErrors } from './fs-error.ts'
import type { LocalRoot } from './local-root.ts'
import type { ObjectFile } from './object-files.ts'

/** Up to here a range is read at once, without the thread pool where that is fast. */
const smallBytes = 64 * 1024
const chunkBytes = 256 * 1024

/** An object's open file. Later overwrites and removals of the key leave it as it is. */
export class ObjectReader implements OpenObject {
  readonly size: number
  readonly modifiedAtMs: number
  readonly attributes: Attributes
  readonly #root: LocalRoot
  readonly #file: ObjectFile
  /** Reads under way: a descriptor must not be closed, and perhaps reused, under them. */
  readonly #pending = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(root: LocalRoot, file: ObjectFile, facts: ObjectFacts) {
    this.#root = root
    this.#file = file
    this.size = facts.size
    this.modifiedAtMs = facts.modifiedAtMs
    this.attributes = facts.attributes
  }

  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (end <= start || this.#isClosed) return
    if (end - start <= smallBytes) {
      const chunk = Buffer.allocUnsafe(end - start)
      await this.#track(this.#fill(chunk, start, true))
      if (!this.#isClosed) yield chunk
      return
    }
    // Two buffers in turn, one chunk ahead: it is read while the one before it goes to the client,
    // which is done with that when it asks for the next. New buffers for every chunk would cost
    // twice as much as the reading, in page faults and garbage.
    let [buffer, spare] = [newBuffer(end - start), newBuffer(end - start - chunkBytes)]
    let next: Promise<Buffer> | undefined = this.#readChunk(buffer, start, end)
    for (let position = start; next !== undefined; position += chunkBytes) {
      const chunk = await next
      if (this.#isClosed) return
      const after = position + chunkBytes
      next = after < end ? this.#readChunk(spare, after, end) : undefined
      ;[buffer, spare] = [spare, buffer]
      yield chunk
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await Promise.allSettled(this.#pending)
    await this.#root.files.close(this.#file.fd)
  }

  #readChunk(buffer: Buffer, position: number, end: number): Promise<Buffer> {
    const chunk = buffer.subarray(0, Math.min(chunkBytes, end - position))
    const isLast = position + chunk.length >= end
    const reading = this.#track(this.#fill(chunk, position, isLast).then(() => chunk))
    // Awaited one turn later, or never when the client leaves; then nobody is to be told.
    reading.catch(() => undefined)
    return reading
  }

  /** @throws DriveError `changed` when the file is not any more what was opened. */
  async #fill(chunk: Buffer, position: number, isLast: boolean): Promise<void> {
    const { files } = this.#root
    const { fd, identity } = this.#file
    await withDriveErrors('read an object', async () => {
      const filled = await files.read(fd, chunk, position)
      const isWhole = filled === chunk.length
      // Edited in place, the file may hold a mixture: better that the answer ends short.
      if (isWhole && !isLast) return
      const now = identityOf(await files.fstat(fd), this.#root.hasBirthtime)
      if (isWhole && now === identity) return
      throw new DriveError('changed', 'The file was changed by hand while it was read.')
    })
  }

  #track<T>(reading: Promise<T>): Promise<T> {
    this.#pending.add(reading)
    const done = () => this.#pending.delete(reading)
    reading.then(done, done)
    return reading
  }
}

/** Not from the shared pool, which it would use up. */
function newBuffer(neededBytes: number): Buffer {
  return Buffer.allocUnsafeSlow(Math.max(0, Math.min(chunkBytes, neededBytes)))
}
