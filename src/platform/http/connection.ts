import type { Socket } from 'node:net'
import type { ConnectionSlot, SlotUser } from './connection-limit.ts'
import type { Exchange, ExchangeConnection } from './exchange.ts'
import type { Lingering } from './lingering.ts'

/**
 * Requests of one connection that wait behind the one being served. No S3 client sends even two;
 * a client that sends more without reading replies can only be trying to fill the memory.
 */
const maxWaiting = 64

interface ConnectionOptions {
  readonly socket: Socket
  readonly isSecure: boolean
  readonly lingering: Lingering
  readonly slot: ConnectionSlot | undefined
  /** How long a client that has ended its side is given for the reply to begin. */
  readonly halfOpenMs: number
}

/**
 * One client connection and its exchanges, several when it pipelines. They are served one after the
 * other: replies go out in order anyway, and one read of the socket may bring a thousand requests,
 * each good for an open file and its buffers.
 */
export class HttpConnection implements ExchangeConnection, SlotUser {
  readonly remoteAddress: string
  readonly isSecure: boolean
  /** Whether it exceeds the limit, so that its request is refused. */
  readonly isExtra: boolean
  readonly #socket: Socket
  readonly #lingering: Lingering
  readonly #slot: ConnectionSlot | undefined
  readonly #exchanges = new Set<Exchange>()
  #isClosing = false
  #isLeaving = false
  /** A reply has said `Connection: close`: later requests are not served (RFC 9112 section 9.6). */
  #isOver = false
  #bytesTaken = 0
  /** Whether the client of the running exchange has left when it ends its side. */
  #isLeftAtEnd = false

  constructor({ socket, isSecure, lingering, slot, halfOpenMs }: ConnectionOptions) {
    this.#socket = socket
    this.#lingering = lingering
    this.#slot = slot
    this.isSecure = isSecure
    this.isExtra = slot?.isExtra ?? false
    this.remoteAddress = socket.remoteAddress ?? ''
    socket.once('close', () => this.#abandonAll())
    socket.once('end', () => {
      if (this.#isLeftAtEnd) this.destroy()
      else this.#boundHalfOpen(halfOpenMs)
    })
  }

  get isClosing(): boolean {
    return this.#isClosing || this.#isLeaving
  }

  get isIdle(): boolean {
    return this.#exchanges.size === 0
  }

  /** Whether the last reply has been sent: what the client still sends is discarded. */
  get isOver(): boolean {
    return this.#isOver && this.isIdle
  }

  /** The one that is served. */
  get running(): Exchange | undefined {
    const [running] = this.#exchanges
    return running
  }

  /** Whether the one exchange still receives its body, so that bytes on the wire belong to it. */
  get isReceivingBody(): boolean {
    const [first, ...others] = this.#exchanges
    return first?.isReceiving === true && others.length === 0
  }

  /** Calls `run` with the exchange when those before it are over; never, if the connection ends. */
  serve(exchange: Exchange, run: (exchange: Exchange) => Promise<void>): void {
    this.#slot?.markBusy(this)
    this.#exchanges.add(exchange)
    if (this.#exchanges.size > maxWaiting + 1) this.destroy()
    else if (this.#exchanges.size === 1) void this.#runAll(run)
  }

  takeBytesReceived(): number {
    const before = this.#bytesTaken
    this.#bytesTaken = this.#socket.bytesRead
    return this.#bytesTaken - before
  }

  /** Serves one more exchange. */
  closeAfterExchange(): void {
    this.#isClosing = true
  }

  /**
   * Says `Connection: close` in the next reply that begins. Until then the connection stays open, because
   * its last reply has promised that.
   */
  closeAfterNext(): void {
    this.#isLeaving = true
  }

  /** Serves what runs and nothing more. */
  close(): void {
    this.#isClosing = true
    if (this.isIdle) this.#socket.destroySoon()
  }

  leaveWithClient(): void {
    this.#isLeftAtEnd = true
    if (this.#socket.readableEnded) this.destroy()
  }

  /** Ends our side; the client may go on sending. */
  endSending(): void {
    this.#socket.end()
  }

  linger(totalMs?: number): () => void {
    return this.#lingering.hold(this.#socket, totalMs)
  }

  destroy(): void {
    this.#socket.destroy()
  }

  async #runAll(run: (exchange: Exchange) => Promise<void>): Promise<void> {
    // A Set's iteration goes on with what is added meanwhile.
    for (const exchange of this.#exchanges) {
      if (!this.#isOver && !this.#socket.destroyed) await run(exchange)
      this.#isLeftAtEnd = false
      this.#isOver ||= exchange.closesConnection
      this.#exchanges.delete(exchange)
    }
    this.#slot?.markIdle()
    // A reply that promised to keep the connection before the stop began.
    // What was said to be the last reply ends the connection by itself, once its request is read.
    if (this.#isClosing && !this.#isOver) this.#socket.destroySoon()
  }

  /**
   * A client that vanished looks like one that ended its side and still reads, until bytes are sent
   * to it. So the work for it must end by itself.
   */
  #boundHalfOpen(halfOpenMs: number): void {
    const timer = setTimeout(() => {
      if (this.running?.isReplying !== true) this.destroy()
    }, halfOpenMs)
    this.#socket.once('close', () => clearTimeout(timer))
  }

  #abandonAll(): void {
    for (const exchange of this.#exchanges) exchange.abandon()
  }
}
