import { DriveError } from '../../drive-error.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import { BodyPipe } from '../client/body-pipe.ts'
import type { DavAnswer } from '../client/dav-client.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'

/** The size of a request when the size of the part is unknown. */
const blockBytes = 1024 * 1024

/** Writes a part into a file, on a server that supports PUT with Content-Range. */
export class RangeWriter {
  readonly #server: DavServer
  readonly #path: DavPath
  readonly #options: AppendOptions
  #pipe: BodyPipe | undefined
  #block: Buffer[] = []
  #blockBytes = 0
  /** Bytes written so far, and those of them that were sent as blocks. */
  #size = 0
  #sent = 0
  #hasFilledDrive = false

  constructor(server: DavServer, path: DavPath, options: AppendOptions) {
    this.#server = server
    this.#path = path
    this.#options = options
  }

  /** Whether it failed because the drive is full; the part may have used up the space. */
  get hasFilledDrive(): boolean {
    return this.#hasFilledDrive
  }

  async write(chunk: Uint8Array): Promise<void> {
    const { signal, size } = this.#options
    signal?.throwIfAborted()
    this.#size += chunk.length
    if (size !== undefined && size > blockBytes) {
      if (this.#size > size) throw undeclared()
      const early = await this.#open(size).write(chunk)
      if (early !== undefined) this.#requireSuccess(early)
      return
    }
    this.#block.push(Buffer.from(chunk))
    this.#blockBytes += chunk.length
    if (this.#blockBytes >= blockBytes) await this.#sendBlock()
  }

  async finish(): Promise<void> {
    this.#options.signal?.throwIfAborted()
    if (this.#pipe === undefined) return await this.#sendBlock()
    if (this.#size !== this.#options.size) throw undeclared()
    this.#requireSuccess(await this.#pipe.end())
  }

  /** Never rejects. Bytes that reached the server follow the committed ones. */
  async abort(): Promise<void> {
    this.#block = []
    await this.#pipe?.abort()
  }

  #requireSuccess(answer: DavAnswer): void {
    if (answer.status < 300) return
    const error = new StatusError('PUT', answer)
    this.#hasFilledDrive = error.kind === 'full'
    throw error
  }

  #open(size: number): BodyPipe {
    this.#pipe ??= new BodyPipe((body) => {
      const headers = { ...this.#rangeOf(0, size), 'content-length': String(size) }
      return this.#server.put(this.#path, { body, headers, signal: this.#options.signal })
    })
    return this.#pipe
  }

  async #sendBlock(): Promise<void> {
    const body = Buffer.concat(this.#block)
    this.#block = []
    this.#blockBytes = 0
    if (body.length === 0) return
    const headers = this.#rangeOf(this.#sent, body.length)
    const { signal } = this.#options
    this.#requireSuccess(await this.#server.put(this.#path, { body, headers, signal }))
    this.#sent += body.length
  }

  #rangeOf(start: number, length: number): { 'content-range': string } {
    const first = this.#options.offset + start
    return { 'content-range': `bytes ${first}-${first + length - 1}/*` }
  }
}

function undeclared(): DriveError {
  return new DriveError('changed', 'The number of bytes differs from the declared length.')
}
