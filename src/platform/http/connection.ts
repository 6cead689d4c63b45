import type { Socket } from 'node:net'
import type { ConnectionSlot, SlotUser } from './connection-limit.ts'
import type { Exchange, ExchangeConnection } from './exchange.ts'
import type { Lingering } from './lingering.ts'

/**
 * Maximum number of pipelined requests that wait on one connection. No S3 client sends even two, so a client that sends
 * more is trying to fill the memory.
 */
const maxWaiting = 64

interface ConnectionOptions {
  readonly socket: Socket
  readonly isSecure: boolean
  readonly lingering: Lingering
  readonly slot: ConnectionSlot | undefined
  /** After a client has ended its side, the reply must begin within this time. */
  readonly halfOpenMs: number
}

/**
 * One client connection and its exchanges, which may be pipelined. They are served one after the other: replies are sent
 * in order anyway, and one read of the socket may contain a thousand requests, each with an open file and buffers.
 */
export class HttpConnection implements ExchangeConnection, SlotUser {
  readonly remoteAddress: string
  readonly isSecure: boolean
  /** Whether the connection exceeds the limit, so its request is refused. */
  readonly isExtra: boolean
  readonly #socket: Socket
  readonly #lingering: Lingering
  readonly #slot: ConnectionSlot | undefined
  readonly #exchanges = new Set<Exchange>()
  #isClosing = false
  #isLeaving = false
  /** Whether a reply had `Connection: close`: later requests are not served (RFC 9112 section 9.6). */
  #isOver = false
  #bytesTaken = 0
  /** Whether a client that ends its side has left, for the running exchange. */
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

  /** Whether the last reply has been sent, so further input is discarded. */
  get isOver(): boolean {
    return this.#isOver && this.isIdle
  }

  /** The exchange that is served. */
  get running(): Exchange | undefined {
    const [running] = this.#exchanges
    return running
  }

  /** Whether the only exchange is still receiving its body, so arriving bytes belong to it. */
  get isReceivingBody(): boolean {
    const [first, ...others] = this.#exchanges
    return first?.isReceiving === true && others.length === 0
  }

  /** Calls `run` with the exchange after those before it, unless the connection ends first. */
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
   * Sends `Connection: close` in the next reply that begins. Until then the connection stays open, as its last reply
   * has announced.
   */
  closeAfterNext(): void {
    this.#isLeaving = true
  }

  /** Serves only the running exchange. */
  close(): void {
    this.#isClosing = true
    if (this.isIdle) this.#socket.destroySoon()
  }

  leaveWithClient(): void {
    this.#isLeftAtEnd = true
    if (this.#socket.readableEnded) this.destroy()
  }

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
    // The iteration of a Set includes what is added meanwhile.
    for (const exchange of this.#exchanges) {
      if (!this.#isOver && !this.#socket.destroyed) await run(exchange)
      this.#isLeftAtEnd = false
      this.#isOver ||= exchange.closesConnection
      this.#exchanges.delete(exchange)
    }
    this.#slot?.markIdle()
    // A reply with `Connection: close` ends the connection itself, after the rest of its request.
    if (this.#isClosing && !this.#isOver) this.#socket.destroySoon()
  }

  /**
   * Until bytes are sent to it, a client that has gone looks like one that ended its side and still reads. So the time
   * until the reply begins is limited.
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
