import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { HttpFault, RenderFault } from './fault.ts'
import {
  discardRest,
  faultOfHead,
  hidesWhatFollows,
  parseRequestTarget,
  type UnreadBody,
  unreadBodyOf,
} from './incoming.ts'
import { shortLingerMs } from './lingering.ts'
import type { HttpHandler, HttpReply, HttpRequest } from './message.ts'
import { ReplyWriter } from './reply.ts'

/** The outcome of a request, for the log. */
export interface Outcome {
  readonly status: number
  /** Bytes received for this request, including its head. */
  readonly bytesReceived: number
  /** Bytes of the reply's body that were written to the socket. */
  readonly bytesSent: number
  /** From the end of the request's head to the last byte of the reply. */
  readonly durationMs: number
  /** Whether the client disconnected before the reply was complete, or the reply's body failed. */
  readonly isAborted: boolean
  readonly logFields: HttpReply['logFields']
  /** What the handler or the body of the reply threw. */
  readonly failure?: unknown
}

/** What an exchange knows of the connection it runs on. */
export interface ExchangeConnection {
  readonly remoteAddress: string
  readonly isSecure: boolean
  /** Whether the connection may serve only this request, because the server is stopping. */
  readonly isClosing: boolean
  /** Bytes received since the last call. */
  takeBytesReceived(): number
  /** Closes the connection if the client ends its side during this exchange. */
  leaveWithClient(): void
  /** Ends our side; the client may continue sending. */
  endSending(): void
  /** Limits how long the client may continue sending. The returned function ends that. */
  linger(totalMs?: number): () => void
  /** Closes the connection at once, which abandons its exchanges. */
  destroy(): void
}

interface ExchangeOptions {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly connection: ExchangeConnection
  /** The client waits for `100 Continue` before it sends the body. */
  readonly isAwaitingContinue: boolean
}

/** One request and its reply. */
export class Exchange implements HttpRequest {
  readonly id: string = newRequestId()
  readonly method: string
  readonly rawPath: string
  readonly rawQuery: string
  readonly receivedAtMs: number = Date.now()
  readonly #startedAt = performance.now()
  readonly #incoming: IncomingMessage
  readonly #response: ServerResponse
  readonly #connection: ExchangeConnection
  readonly #writer: ReplyWriter
  readonly #fault: HttpFault | undefined
  readonly #isLast: boolean
  #isAwaitingContinue: boolean
  isKnown = false
  #closesConnection = false
  #abort: AbortController | undefined
  #failure: unknown

  constructor({ incoming, response, connection, isAwaitingContinue }: ExchangeOptions) {
    this.#incoming = incoming
    this.#response = response
    this.#connection = connection
    this.#writer = new ReplyWriter(response)
    this.#isAwaitingContinue = isAwaitingContinue
    const target = parseRequestTarget(incoming.url ?? '')
    this.method = incoming.method ?? ''
    this.rawPath = target?.rawPath ?? '/'
    this.rawQuery = target?.rawQuery ?? ''
    this.#fault = target === undefined ? 'invalid-target' : faultOfHead(incoming)
    this.#isLast =
      this.#fault !== undefined || hidesWhatFollows(incoming) || !response.shouldKeepAlive
  }

  get headers(): IncomingHttpHeaders {
    return this.#incoming.headers
  }

  get rawHeaders(): readonly string[] {
    return this.#incoming.rawHeaders
  }

  get body(): IncomingMessage {
    return this.#incoming
  }

  get isSecure(): boolean {
    return this.#connection.isSecure
  }

  get remoteAddress(): string {
    return this.#connection.remoteAddress
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.#writer.isAbandoned) this.#abort.abort()
    }
    return this.#abort.signal
  }

  acceptBody(): void {
    if (!this.#isAwaitingContinue) return
    this.#isAwaitingContinue = false
    if (!this.#writer.isAbandoned && !this.#writer.isHeadSent) this.#response.writeContinue()
  }

  markKnown(): void {
    this.isKnown = true
  }

  leaveWithClient(): void {
    this.#connection.leaveWithClient()
  }

  /** Whether the client has not yet received everything that was written. */
  get isWaitingForClient(): boolean {
    return this.#response.writableLength > 0 || (this.#response.socket?.writableLength ?? 0) > 0
  }

  /** Whether the server waits for more of the client's body. */
  get isWaitingForBody(): boolean {
    return this.isReceiving && !this.#isAwaitingContinue && this.#incoming.readableLength === 0
  }

  /** Whether the reply has announced that it is the connection's last. */
  get closesConnection(): boolean {
    return this.#closesConnection
  }

  /** Whether the body is still arriving and no reply has begun, so a 400 is possible. */
  get isReceiving(): boolean {
    return !this.#incoming.complete && !this.#writer.isHeadSent
  }

  /** Whether bytes of the reply have been sent. */
  get isReplying(): boolean {
    return this.#writer.isHeadSent
  }

  /** The connection closed. */
  abandon(): void {
    this.#writer.abandon()
    this.#abort?.abort()
  }

  /** Runs the handler, sends its reply and discards the rest of the body. Never rejects. */
  async run(
    handler: HttpHandler,
    renderFault: RenderFault,
    onFinish: (request: HttpRequest, outcome: Outcome) => void,
  ): Promise<void> {
    let reply: HttpReply
    try {
      // A fault is awaited as well, because the parser may be about to refuse the same request and goes first.
      reply = await (this.#fault === undefined ? handler(this) : renderFault(this.#fault, this.id))
    } catch (error) {
      this.#failure = error
      reply = renderFault('internal', this.id)
    }
    try {
      await this.#send(reply)
    } catch (error) {
      this.#failure = error
      reply = await this.#recover(renderFault('internal', this.id))
    }
    onFinish(this, this.#outcome(reply))
  }

  #send(reply: HttpReply): Promise<void> {
    // node:http itself makes the reply the last one if an expected 100 was not sent.
    const isLast = this.#isLast || this.#isAwaitingContinue || this.#connection.isClosing
    const unread = unreadBodyOf(this.#incoming, {
      isAwaitingContinue: this.#isAwaitingContinue,
      isKept: !isLast && reply.status !== 408,
    })
    // The request was refused, so its body is not requested.
    this.#isAwaitingContinue = false
    const isLingering = unread === 'large' || unread === 'withheld'
    this.#closesConnection ||= isLingering || isLast
    const writing = this.#writer.write(reply, {
      isHead: this.method === 'HEAD',
      closesConnection: this.#closesConnection,
      staysOpen: isLingering,
    })
    if (unread === 'none') return writing
    return this.#sendBeforeRest(writing, unread, reply.status === 408 ? shortLingerMs : undefined)
  }

  async #sendBeforeRest(
    writing: Promise<void>,
    unread: UnreadBody,
    lingerMs: number | undefined,
  ): Promise<void> {
    await writing
    void this.#discardRest(unread, lingerMs)
  }

  async #discardRest(unread: UnreadBody, lingerMs: number | undefined): Promise<void> {
    const release = this.#connection.linger(lingerMs)
    if (unread === 'withheld') this.#connection.endSending()
    const isComplete = await discardRest(this.#incoming)
    release()
    if (unread !== 'small') this.#writer.end()
    if (!isComplete) this.#connection.destroy()
  }

  /** After a reply failed: sends another one, or closes the connection if the head was sent. */
  async #recover(reply: HttpReply): Promise<HttpReply> {
    if (!this.#writer.isHeadSent) {
      await this.#send(reply)
    } else {
      this.#connection.destroy()
    }
    return reply
  }

  #outcome(reply: HttpReply): Outcome {
    return {
      status: this.#response.headersSent ? this.#response.statusCode : reply.status,
      bytesReceived: this.#connection.takeBytesReceived(),
      bytesSent: this.#writer.bytesSent,
      durationMs: performance.now() - this.#startedAt,
      isAborted: !this.#writer.isComplete,
      logFields: reply.logFields,
      failure: this.#failure,
    }
  }
}

const idDigits = 16
const idsPerPool = 256

let pool = ''
let position = 0

/** 64 random bits as 16 upper-case hexadecimal digits, like AWS's request IDs. */
export function newRequestId(): string {
  if (position === pool.length) {
    // One call for many IDs: a call for each costs more than the rest of the request.
    pool = randomBytes((idsPerPool * idDigits) / 2)
      .toString('hex')
      .toUpperCase()
    position = 0
  }
  position += idDigits
  return pool.slice(position - idDigits, position)
}
