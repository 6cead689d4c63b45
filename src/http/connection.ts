import type { Socket } from 'node:net'
import type { Exchange, ExchangeConnection } from './exchange.ts'

/**
 * Requests of one connection that wait behind the one being served. No S3 client sends even two;
 * who sends more than this without reading replies only means to fill the memory.
 */
const maxWaiting = 64

/**
 * One client connection and its exchanges, several when it pipelines. They are served one after the
 * other: replies go out in order anyway, and one read of the socket may bring a thousand requests,
 * each good for an open file and its buffers.
 */
export class Connection implements ExchangeConnection {
  readonly remoteAddress: string
  readonly isSecure: boolean
  readonly #socket: Socket
  readonly #exchanges = new Set<Exchange>()
  #isClosing = false
  /** A reply has said `Connection: close`: nothing behind it is served (RFC 9112 section 9.6). */
  #isOver = false
  #bytesTaken = 0

  constructor(socket: Socket, isSecure: boolean) {
    this.#socket = socket
    this.isSecure = isSecure
    this.remoteAddress = socket.remoteAddress ?? ''
    socket.once('close', () => this.#abandonAll())
  }

  get isClosing(): boolean {
    return this.#isClosing
  }

  get isIdle(): boolean {
    return this.#exchanges.size === 0
  }

  /** Whether nothing runs, or what runs waits for the client to take bytes. */
  get isStalledByClient(): boolean {
    const [running] = this.#exchanges
    return running?.isWaitingForClient ?? true
  }

  /** Whether the one exchange still receives its body, so that bytes on the wire belong to it. */
  get isReceivingBody(): boolean {
    const [first, ...others] = this.#exchanges
    return first?.isReceiving === true && others.length === 0
  }

  /** Calls `run` with the exchange when those before it are over; never, if the connection ends. */
  serve(exchange: Exchange, run: (exchange: Exchange) => Promise<void>): void {
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

  /** Serves what runs and nothing more. */
  close(): void {
    this.#isClosing = true
    if (this.isIdle) this.#socket.destroySoon()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  async #runAll(run: (exchange: Exchange) => Promise<void>): Promise<void> {
    // A Set's iteration goes on with what is added meanwhile.
    for (const exchange of this.#exchanges) {
      if (!this.#isOver && !this.#socket.destroyed) await run(exchange)
      this.#isOver ||= exchange.closesConnection
      this.#exchanges.delete(exchange)
    }
    // A reply that promised to keep the connection before the stop began.
    if (this.#isClosing) this.#socket.destroySoon()
  }

  #abandonAll(): void {
    for (const exchange of this.#exchanges) exchange.abandon()
  }
}
