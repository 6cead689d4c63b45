import type { ServerResponse } from 'node:http'
import type { HeaderFields, HttpReply, StreamBody } from './message.ts'

interface ReplyOptions {
  /** HEAD: the headers of the body, but not the body. */
  readonly isHead: boolean
  /** Says `Connection: close`. */
  readonly closesConnection: boolean
  /**
   * Leaves the message open once all its bytes are sent, for `end` to be called later: node:http
   * closes the socket at the end of a last message, whatever the client is still sending.
   */
  readonly staysOpen: boolean
}

const done = Promise.resolve()

const productName = 'Bucketry'

/** A stream this short is sent in one piece with its header, when it comes as one chunk. */
const singleWriteBytes = 128 * 1024

/**
 * A body this short goes as text, one latin1 character per byte: node:http joins text with the head,
 * and a text of less than 16 KiB is written from the stack, in one call and without a buffer or a
 * request object. That is a tenth of the time of a small reply.
 */
const textBytes = 12 * 1024

/** RFC 9110 sections 15.3.5 and 15.4.5: these have no content, whatever a handler gives. */
const bodyless: ReadonlySet<number> = new Set([204, 304])

/** Ends the lending of a body that is no longer received. */
const clientGone = new Error('the client closed the connection')

/** A body did not have the declared `length` bytes. */
class BodyLengthError extends Error {
  constructor(expected: number, sent: number) {
    super(`a response body has at least ${sent} bytes, but ${expected} were declared`)
    this.name = 'BodyLengthError'
  }
}

/**
 * The only writer to sockets that protocols reply on. One per request; `write` is called once.
 *
 * Whatever happens (the client goes away, the source fails, HEAD), a stream is closed, so that what it
 * holds open is released.
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

  /** Bytes of the body that were handed to the socket. */
  get bytesSent(): number {
    return this.#bytesSent
  }

  /** Whether the connection closed before the reply was written. */
  get isAbandoned(): boolean {
    return this.#isAbandoned
  }

  /** Whether the operating system has every byte of the reply. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  get isHeadSent(): boolean {
    return this.#response.headersSent
  }

  /** The connection is gone: pending waits end. */
  abandon(): void {
    this.#isAbandoned = true
    this.#wake?.()
  }

  /**
   * Resolves when the operating system has every byte, or when the connection closed.
   *
   * @throws whatever a stream throws, or BodyLengthError. When `isHeadSent` is false another reply
   * can be written; else the connection can only be destroyed.
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
    return new Promise((resolve) => {
      this.#wake = resolve
      const complete = () => {
        this.#isComplete = true
        resolve()
      }
      if (!staysOpen) {
        this.#end(bytes, complete)
      } else if (bytes === undefined) {
        this.#response.flushHeaders()
        complete()
      } else {
        this.#response.write(bytes, complete)
      }
    })
  }

  #end(bytes: Uint8Array | undefined, complete: () => void): void {
    if (bytes !== undefined && bytes.length <= textBytes) {
      this.#response.end(Buffer.prototype.latin1Slice.call(bytes), 'latin1', complete)
    } else {
      this.#response.end(bytes, complete)
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

  /** Resolves when the chunk's memory is no longer read. The head is sent with the first one. */
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
   * Resolves when the operating system has all of the chunk, or when the connection is closed and will
   * never send it. node:http calls back when the socket does, and a socket does when libuv has written
   * the last byte; until then it holds the chunk itself and no copy of it. TLS holds a copy.
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

/** Without a body the length is 0, unless the handler of a HEAD has said how long it would be. */
function impliedLength(reply: HttpReply, { isHead }: ReplyOptions): number | undefined {
  return isHead || hasField(reply.headers, 'content-length') ? undefined : 0
}

function hasField(headers: HeaderFields, name: string): boolean {
  return headers.some(([field]) => field.toLowerCase() === name)
}
