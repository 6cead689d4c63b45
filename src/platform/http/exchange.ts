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
  /** Bytes received for this request, its head included. */
  readonly bytesReceived: number
  /** Bytes of the reply's body handed to the socket. */
  readonly bytesSent: number
  /** From the end of the request's head to the last byte of the reply. */
  readonly durationMs: number
  /** The client went away before the reply was complete, or its body broke off. */
  readonly isAborted: boolean
  readonly logFields: HttpReply['logFields']
  /** Why the body of the reply failed, or what the handler threw. */
  readonly failure?: unknown
}

/** What an exchange knows of the connection it runs on. */
export interface ExchangeConnection {
  readonly remoteAddress: string
  readonly isSecure: boolean
  /** Whether this is the last request the connection may serve: the server is stopping. */
  readonly isClosing: boolean
  /** Bytes received since the last call. */
  takeBytesReceived(): number
  /** Closes when the client ends its side, while this exchange runs. */
  leaveWithClient(): void
  /** Ends our side; the client may go on sending. */
  endSending(): void
  /** Bounds how long the client may go on sending. The returned function ends that. */
  linger(totalMs?: number): () => void
  /** Closes without further words; every exchange is then abandoned. */
  destroy(): void
}

interface ExchangeOptions {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly connection: ExchangeConnection
  /** The client waits for `100 Continue` before it sends the body. */
  readonly isAwaitingContinue: boolean
}

/** One request and its reply. Rarely needed values are created on demand. */
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
  /** Whether the client was authenticated. */
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

  /** Whether the client has not yet taken what was written for it. */
  get isWaitingForClient(): boolean {
    return this.#response.writableLength > 0 || (this.#response.socket?.writableLength ?? 0) > 0
  }

  /** Whether the client has not sent what was requested of its body. */
  get isWaitingForBody(): boolean {
    return this.isReceiving && !this.#isAwaitingContinue && this.#incoming.readableLength === 0
  }

  /** Whether the reply has said that it is the connection's last. */
  get closesConnection(): boolean {
    return this.#closesConnection
  }

  /** Whether the body is still arriving and no reply has begun, so that a 400 can answer it. */
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

  /** Runs the handler, sends its reply and handles the rest of the body. Never rejects. */
  async run(
    handler: HttpHandler,
    renderFault: RenderFault,
    onFinish: (request: HttpRequest, outcome: Outcome) => void,
  ): Promise<void> {
    let reply: HttpReply
    try {
      // A fault is awaited too: the parser may be about to refuse the same request, and comes first.
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
    // Without a 100 that was asked for, node:http makes the reply the last one by itself.
    const isLast = this.#isLast || this.#isAwaitingContinue || this.#connection.isClosing
    const unread = unreadBodyOf(this.#incoming, {
      isAwaitingContinue: this.#isAwaitingContinue,
      isKept: !isLast && reply.status !== 408,
    })
    // The request was refused, so a body that has not arrived is not requested.
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

  /**
   * A reply failed. Before its head is sent, another can replace it; after that, only closing is
   * honest.
   */
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

/** 64 random bits as 16 upper-case hex digits, the look of AWS's request ids. */
export function newRequestId(): string {
  if (position === pool.length) {
    // One call for many ids: a call of its own for each costs more than the rest of the request.
    pool = randomBytes((idsPerPool * idDigits) / 2)
      .toString('hex')
      .toUpperCase()
    position = 0
  }
  position += idDigits
  return pool.slice(position - idDigits, position)
}
