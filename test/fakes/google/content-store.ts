import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Larger content is stored in a file, to limit memory. */
const memoryLimitBytes = 1024 * 1024
const readBytes = 256 * 1024
/** The most bytes that may wait to be written to the disk. */
const queueBytes = 8 * 1024 * 1024

/** The bytes of one version of a file. Immutable. */
export interface Content {
  readonly size: number
  readonly md5: string
  /** In memory; otherwise in the file at `path`. */
  readonly bytes?: Buffer
  readonly path?: string
}

/** Stores the content of files: small content in memory, other content in a temporary folder. */
export class ContentStore {
  readonly #folder: string
  readonly #writers = new Set<ContentWriter>()

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(): Promise<ContentStore> {
    return new ContentStore(await mkdtemp(join(tmpdir(), 'google-emulator-')))
  }

  writer(): ContentWriter {
    const path = join(this.#folder, randomUUID())
    const writer = new ContentWriter(path, () => this.#writers.delete(writer))
    this.#writers.add(writer)
    return writer
  }

  async write(bytes: Uint8Array): Promise<Content> {
    const writer = this.writer()
    await writer.append([bytes])
    return await writer.finish()
  }

  async close(): Promise<void> {
    for (const writer of this.#writers) await writer.discard()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

export class ContentWriter {
  readonly #path: string
  readonly #onEnd: () => void
  readonly #md5 = createHash('md5')
  #held: Uint8Array[] = []
  #file: Promise<FileHandle> | undefined
  #writing: Promise<unknown> = Promise.resolve()
  #queued = 0
  #size = 0
  #isEnded = false

  /** @param onEnd is called when it no longer needs to be closed. */
  constructor(path: string, onEnd: () => void) {
    this.#path = path
    this.#onEnd = onEnd
  }

  get size(): number {
    return this.#size
  }

  /** Keeps the pieces without copying, so they must not change afterwards. */
  async append(pieces: readonly Uint8Array[]): Promise<void> {
    for (const piece of pieces) {
      this.#md5.update(piece)
      this.#size += piece.length
    }
    this.#held.push(...pieces)
    if (this.#file === undefined && this.#size <= memoryLimitBytes) return
    this.#write()
    if (this.#queued > queueBytes) await this.#writing
  }

  async finish(): Promise<Content> {
    const summary = { size: this.#size, md5: this.#md5.digest('hex') }
    const bytes = Buffer.concat(this.#held)
    this.#end()
    if (this.#file === undefined) return { ...summary, bytes }
    await this.#writing
    await (await this.#file).close()
    return { ...summary, path: this.#path }
  }

  /** Discards the bytes, unless they are finished. */
  async discard(): Promise<void> {
    if (this.#isEnded) return
    this.#end()
    await this.#writing.catch(() => undefined)
    await (await this.#file)?.close()
    await rm(this.#path, { force: true })
  }

  #end(): void {
    this.#isEnded = true
    this.#held = []
    this.#onEnd()
  }

  /** Writes the held bytes after those that are being written. */
  #write(): void {
    this.#file ??= open(this.#path, 'w')
    const file = this.#file
    const pieces = this.#held
    const length = lengthOf(pieces)
    this.#held = []
    this.#queued += length
    this.#writing = this.#writing.then(async () => {
      const { bytesWritten } = await (await file).writev(pieces)
      if (bytesWritten !== length) throw new Error(`${this.#path}: ${bytesWritten} of ${length}`)
      this.#queued -= length
    })
    // The next caller that waits for it gets the error.
    this.#writing.catch(() => undefined)
  }
}

/** The bytes from `start` up to but not including `end`. */
export async function* readContent(
  content: Content,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  if (content.path === undefined) {
    if (end > start && content.bytes !== undefined) yield content.bytes.subarray(start, end)
    return
  }
  const file = await open(content.path, 'r')
  try {
    for (let position = start; position < end; ) {
      const length = Math.min(readBytes, end - position)
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position)
      if (bytesRead === 0) throw new Error(`${content.path} is shorter than ${end} bytes`)
      yield buffer.subarray(0, bytesRead)
      position += bytesRead
    }
  } finally {
    await file.close()
  }
}

export async function digestOf(content: Content, algorithm: 'sha1' | 'sha256'): Promise<string> {
  const hash = createHash(algorithm)
  for await (const bytes of readContent(content, 0, content.size)) hash.update(bytes)
  return hash.digest('hex')
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}
