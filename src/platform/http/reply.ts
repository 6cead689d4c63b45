import type { ServerResponse } from 'node:http'
import type { HeaderFields, HttpReply, StreamBody } from './message.ts'

interface ReplyOptions {
  /** HEAD: send the headers of the body, but not the body. */
  readonly isHead: boolean
  /** Send `Connection: close`. */
  readonly closesConnection: boolean
  /**
   * Leave the message open after its last byte until `end` is called: node:http closes the socket at the end of the
   * last message, even if the client is still sending.
   */
  readonly staysOpen: boolean
}

const done = Promise.resolve()

const productName = 'Bucketry'

/** A stream of at most this length is sent in one write with its head, if it comes as one chunk. */
const singleWriteBytes = 128 * 1024

/**
 * A body of at most this length is sent as text, one latin1 character per byte: node:http joins text with the head, and
 * libuv writes less than 16 KiB of text from the stack. This saves a tenth of the time of a small reply.
 */
const textBytes = 12 * 1024

/** Statuses without content, whatever the handler returns (RFC 9110 sections 15.3.5 and 15.4.5). */
const bodyless: ReadonlySet<number> = new Set([204, 304])

/** Ends the lending of a body when its client has gone. */
const clientGone = new Error('the client closed the connection')

class BodyLengthError extends Error {
  constructor(expected: number, sent: number) {
    super(`expected a response body of ${expected} bytes, but got ${sent}`)
    this.name = 'BodyLengthError'
  }
}

/**
 * Writes the reply of one request; nothing else writes to its socket. A stream is closed whatever happens: HEAD, a
 * client that disconnects, a source that fails.
 */
export class ReplyWriter {
  readonly #response: ServerResponse
  #bytesSent = 0
  #isAbandoned = false
  #isComplete = false
  #wake: (() => void) | undefined

  constructor(response: ServerResponse) {
    this.#response = response
  }

  /** Bytes of the body that were written to the socket. */
  get bytesSent(): number {
    return this.#bytesSent
  }

  /** Whether the connection closed before the reply was written. */
  get isAbandoned(): boolean {
    return this.#isAbandoned
  }

  /** Whether the operating system has taken every byte of the reply. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  get isHeadSent(): boolean {
    return this.#response.headersSent
  }

  /** Ends pending waits after the connection closed. */
  abandon(): void {
    this.#isAbandoned = true
    this.#wake?.()
  }

  /**
   * Resolves when the operating system has taken every byte, or when the connection closed.
   *
   * @throws whatever a stream throws, or BodyLengthError. If `isHeadSent` is false, another reply can be written,
   *   otherwise the connection can only be destroyed.
   */
  write(reply: HttpReply, options: ReplyOptions): Promise<void> {
    const { body } = reply
    if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
      return this.#writeFixed(reply, asBytes(body), options)
    }
    return this.#writeStream(reply, body, options)
  }

  /** Ends a message that stayed open. */
  end(): void {
    if (!this.#isAbandoned) this.#response.end()
  }

  #writeFixed(
    reply: HttpReply,
    bytes: Uint8Array | undefined,
    options: ReplyOptions,
  ): Promise<void> {
    const length = bytes?.length ?? 0
    const hasContent = length > 0 && !options.isHead && !bodyless.has(reply.status)
    if (bytes === undefined || !hasContent) {
      return this.#writeHeadOnly(reply, bytes?.length, options)
    }
    if (this.#isAbandoned) return done
    this.#writeHead(reply, length, options)
    this.#bytesSent = length
    return this.#finish(bytes, options)
  }

  #writeHeadOnly(
    reply: HttpReply,
    length: number | undefined,
    options: ReplyOptions,
  ): Promise<void> {
    if (this.#isAbandoned) return done
    this.#writeHead(reply, length ?? impliedLength(reply, options), options)
    return this.#finish(undefined, options)
  }

  #writeHead(reply: HttpReply, length: number | undefined, options: ReplyOptions): void {
    const fields: string[] = []
    for (const [name, value] of reply.headers) fields.push(name, value)
    if (length !== undefined && !bodyless.has(reply.status)) {
      fields.push('Content-Length', String(length))
    }
    fields.push('Server', productName)
    if (options.closesConnection) fields.push('Connection', 'close')
    this.#response.writeHead(reply.status, fields)
  }

  #finish(bytes: Uint8Array | undefined, { staysOpen }: ReplyOptions): Promise<void> {
    if (staysOpen) return this.#flush(bytes)
    this.#end(bytes)
    // Usually the system takes a small reply at once. Waiting for the event costs a noticeable part of its time.
    if (this.#response.writableFinished && this.#response.socket?.writable === true) {
      this.#isComplete = true
      return done
    }
    return this.#completed((complete) => this.#response.once('finish', complete))
  }

  /** Sends the head and the bytes, but not the end. */
  #flush(bytes: Uint8Array | undefined): Promise<void> {
    if (bytes !== undefined)
      return this.#completed((complete) => this.#response.write(bytes, complete))
    this.#response.flushHeaders()
    this.#isComplete = true
    return done
  }

  #completed(onComplete: (complete: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      onComplete(() => {
        this.#isComplete = true
        resolve()
      })
    })
  }

  #end(bytes: Uint8Array | undefined): void {
    if (bytes !== undefined && bytes.length <= textBytes) {
      this.#response.end(Buffer.prototype.latin1Slice.call(bytes), 'latin1')
    } else {
      this.#response.end(bytes)
    }
  }

  async #writeStream(reply: HttpReply, body: StreamBody, options: ReplyOptions): Promise<void> {
    try {
      if (options.isHead || bodyless.has(reply.status) || this.#isAbandoned) {
        return await this.#writeHeadOnly(reply, body.length, options)
      }
      await body.lend((chunk) => this.#writeLent(chunk, { reply, body, options }))
      if (this.#isAbandoned || this.#isComplete) return
      const { length = this.#bytesSent } = body
      if (this.#bytesSent < length) throw new BodyLengthError(length, this.#bytesSent)
      if (!this.isHeadSent) this.#writeHead(reply, body.length, options)
      await this.#finish(undefined, options)
    } catch (error) {
      if (error !== clientGone) throw error
    } finally {
      await body.close()
    }
  }

  /** Resolves when the chunk's memory is no longer read. The first chunk is sent with the head. */
  async #writeLent(
    chunk: Uint8Array,
    { reply, body, options }: { reply: HttpReply; body: StreamBody; options: ReplyOptions },
  ): Promise<void> {
    if (this.#isAbandoned) throw clientGone
    const sent = this.#bytesSent + chunk.length
    if (body.length !== undefined && sent > body.length) {
      throw new BodyLengthError(body.length, sent)
    }
    if (!this.isHeadSent) {
      const isWhole = chunk.length === body.length && chunk.length <= singleWriteBytes
      if (isWhole) return await this.#writeFixed(reply, chunk, options)
      this.#writeHead(reply, body.length, options)
    }
    this.#bytesSent = sent
    await this.#writeChunk(chunk)
    if (this.#isAbandoned) throw clientGone
  }

  /**
   * Resolves when the operating system has taken the whole chunk, or when the connection closed. node:http calls back
   * after libuv has written the last byte. Until then, a plain socket refers to the chunk, and TLS to a copy.
   */
  #writeChunk(chunk: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      this.#response.write(chunk, () => resolve())
    })
  }
}

function asBytes(body: string | Uint8Array | undefined): Uint8Array | undefined {
  return typeof body === 'string' ? Buffer.from(body) : body
}

/** Without a body, the length is 0, unless the handler of a HEAD has set it. */
function impliedLength(reply: HttpReply, { isHead }: ReplyOptions): number | undefined {
  return isHead || hasField(reply.headers, 'content-length') ? undefined : 0
}

function hasField(headers: HeaderFields, name: string): boolean {
  return headers.some(([field]) => field.toLowerCase() === name)
}
