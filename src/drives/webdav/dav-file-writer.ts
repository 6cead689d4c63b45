import { DriveError } from '../drive.ts'
import { BodyPipe } from './body-pipe.ts'
import type { DavAnswer } from './dav-client.ts'
import { statusError } from './dav-error.ts'
import type { DavPath } from './dav-path.ts'
import type { DavServer } from './dav-server.ts'

/** So much waits in memory: most objects are then sent in one piece of known length. */
const bufferBytes = 256 * 1024

export interface DavFileWriterOptions {
  readonly server: DavServer
  readonly path: DavPath
  /** Bytes that will come, where known. */
  readonly size: number | undefined
  readonly signal: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Writes a new file on the server. It is there, whole, when `finish` resolves, or not at all. */
export class DavFileWriter {
  readonly #options: DavFileWriterOptions
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #pipe: BodyPipe | undefined
  #announced: number | undefined
  #hasSent = false
  #size = 0

  constructor(options: DavFileWriterOptions) {
    this.#options = options
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size
  }

  /** Whether anything may have got to the server. */
  get hasSent(): boolean {
    return this.#hasSent
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#options.signal?.throwIfAborted()
    this.#size += chunk.length
    if (this.#pipe === undefined && this.#waitingBytes + chunk.length <= bufferBytes) {
      this.#waiting.push(Buffer.from(chunk))
      this.#waitingBytes += chunk.length
      return
    }
    const pipe = await this.#begin()
    requireNoAnswer(await pipe.write(chunk))
  }

  /** @throws DriveError `changed` when other than the announced bytes came, and they were many */
  async finish(): Promise<void> {
    if (this.#announced !== undefined && this.#announced !== this.#size) {
      const sizes = `${this.#size} bytes came and ${this.#announced} were announced`
      throw new DriveError('changed', `${sizes}: too many to begin anew.`)
    }
    const answer = this.#pipe === undefined ? await this.#sendWhole() : await this.#pipe.end()
    if (answer.status !== 200 && answer.status !== 201 && answer.status !== 204) {
      throw statusError('PUT', answer)
    }
  }

  /** Never rejects. What may have got to the server is the caller's to remove. */
  async abort(): Promise<void> {
    this.#waiting = []
    await this.#pipe?.abort()
  }

  #sendWhole(): Promise<DavAnswer> {
    const { server, path, headers, signal } = this.#options
    this.#hasSent = true
    const body = Buffer.concat(this.#waiting)
    return server.put(path, { body, signal, ...(headers && { headers }) })
  }

  async #begin(): Promise<BodyPipe> {
    if (this.#pipe !== undefined) return this.#pipe
    const { server, path, headers, signal, size } = this.#options
    // An announced size that is exceeded already was wrong.
    const isKnown = size !== undefined && size >= this.#size
    this.#announced = isKnown ? size : undefined
    this.#hasSent = true
    const length = isKnown ? { 'content-length': String(size) } : undefined
    const all = { ...headers, ...length }
    const pipe = new BodyPipe((body) => server.put(path, { body, headers: all, signal }))
    this.#pipe = pipe
    const waiting = this.#waiting
    this.#waiting = []
    for (const chunk of waiting) requireNoAnswer(await pipe.write(chunk))
    return pipe
  }
}

function requireNoAnswer(answer: DavAnswer | undefined): void {
  if (answer === undefined) return
  if (answer.status >= 400) throw statusError('PUT', answer)
  throw new DriveError('changed', 'More bytes came than were announced.')
}
