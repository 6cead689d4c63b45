import { createHash, type Hash } from 'node:crypto'
import { DriveError } from '../../drive-error.ts'
import { BodyPipe } from '../client/body-pipe.ts'
import type { DavAnswer } from '../client/dav-client.ts'
import { StatusError } from '../client/dav-error.ts'
import type { DavPath } from '../client/dav-path.ts'
import type { DavServer } from '../client/dav-server.ts'
import type { OwnFolder } from '../own-folder.ts'
import type { Spool } from '../uploads/spool.ts'
import { UnsizedFile } from './unsized-file.ts'

/** The buffer in memory: most objects fit in it and are sent with a known length. */
const bufferBytes = 256 * 1024

export interface DavFileWriterOptions {
  readonly server: DavServer
  readonly path: DavPath
  /** The declared number of bytes, if known. */
  readonly size: number | undefined
  readonly signal: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly spool: Spool
  /** Set when the path is in the drive's own folder. */
  readonly own?: OwnFolder
}

/**
 * Writes a new file on the server. The file is complete when `finish` resolves. Every request declares
 * its length, because behind some front ends Nextcloud discards a body without one. Content of unknown
 * length is staged on this machine.
 */
export class DavFileWriter {
  readonly #options: DavFileWriterOptions
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #pipe: BodyPipe | undefined
  #unsized: UnsizedFile | undefined
  #declared: number | undefined
  #hasSent = false
  #size = 0
  /** The MD5 of all bytes written, if the server reports the MD5 that it received. */
  readonly #hash: Hash | undefined

  constructor(options: DavFileWriterOptions) {
    this.#options = options
    if (options.server.arrivals.areReported) this.#hash = createHash('md5')
  }

  get size(): number {
    return this.#size
  }

  /** Whether the server may have received anything. */
  get hasSent(): boolean {
    return this.#hasSent
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#options.signal?.throwIfAborted()
    this.#size += chunk.length
    this.#hash?.update(chunk)
    const isSmall = this.#waitingBytes + chunk.length <= bufferBytes
    if (this.#pipe === undefined && this.#unsized === undefined && isSmall) {
      this.#waiting.push(Buffer.from(chunk))
      this.#waitingBytes += chunk.length
      return
    }
    if (this.#pipe === undefined && this.#unsized === undefined) await this.#begin()
    await this.#forward(chunk)
  }

  /** @throws DriveError `changed` when a large body differs from its declared length */
  async finish(): Promise<void> {
    if (this.#declared !== undefined && this.#declared !== this.#size) {
      const sizes = `${this.#size} bytes arrived instead of the declared ${this.#declared}`
      throw new DriveError(
        'changed',
        `${sizes}. The upload is too large to retry here; send it again.`,
      )
    }
    const answer = await this.#send()
    await this.#unsized?.close()
    this.#unsized = undefined
    if (answer.status !== 200 && answer.status !== 201 && answer.status !== 204) {
      throw new StatusError('PUT', answer)
    }
  }

  /** Never rejects. The caller removes what the server may have received. */
  async abort(): Promise<void> {
    this.#waiting = []
    await this.#pipe?.abort()
    await this.#unsized?.close()
    this.#unsized = undefined
  }

  async #send(): Promise<DavAnswer> {
    const { own } = this.#options
    const answer = this.#pipe === undefined ? await this.#sendWhole() : await this.#pipe.end()
    if ((await own?.restoreAfter(answer)) !== true || this.#pipe !== undefined) return answer
    return await this.#sendWhole()
  }

  #sendWhole(): Promise<DavAnswer> {
    const { server, path, headers, signal } = this.#options
    this.#hasSent = true
    const body = this.#unsized?.read() ?? Buffer.concat(this.#waiting)
    const all = { ...headers, 'content-length': String(this.#size) }
    return server.put(path, { body, signal, headers: all, md5: () => this.#digest() })
  }

  /** A copy, because the bytes may be sent again. */
  #digest(): string | undefined {
    return this.#hash?.copy().digest('hex')
  }

  async #begin(): Promise<void> {
    const { server, path, headers, signal, size, spool } = this.#options
    // Otherwise the declared size was wrong.
    if (size !== undefined && size >= this.#size) {
      this.#declared = size
      this.#hasSent = true
      const all = { ...headers, 'content-length': String(size) }
      const md5 = () => this.#digest()
      this.#pipe = new BodyPipe((body) => server.put(path, { body, headers: all, signal, md5 }))
    } else {
      this.#unsized = await UnsizedFile.create(spool)
    }
    const waiting = this.#waiting
    this.#waiting = []
    for (const chunk of waiting) await this.#forward(chunk)
  }

  async #forward(chunk: Uint8Array): Promise<void> {
    if (this.#pipe === undefined) await this.#unsized?.write(chunk)
    else await this.#requireNoAnswer(await this.#pipe.write(chunk))
  }

  async #requireNoAnswer(answer: DavAnswer | undefined): Promise<void> {
    if (answer === undefined) return
    // The bytes sent so far are lost; the next writer finds the folder again.
    await this.#options.own?.restoreAfter(answer)
    if (answer.status >= 400) throw new StatusError('PUT', answer)
    throw new DriveError('changed', 'More bytes arrived than were declared.')
  }
}
