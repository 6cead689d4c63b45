import type { Socket } from 'node:net'
import type { Exchange, ExchangeConnection } from './exchange.ts'

/** One client connection and the exchanges under way on it (several when it pipelines). */
export class Connection implements ExchangeConnection {
  readonly remoteAddress: string
  readonly isSecure: boolean
  readonly #socket: Socket
  readonly #exchanges = new Set<Exchange>()
  #isClosing = false
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

  /** Whether every exchange waits for the client to take bytes. */
  get isStalledByClient(): boolean {
    for (const exchange of this.#exchanges) if (!exchange.isWaitingForClient) return false
    return true
  }

  /** Whether the one exchange still receives its body, so that bytes on the wire belong to it. */
  get isReceivingBody(): boolean {
    const [first, ...others] = this.#exchanges
    return first?.isReceiving === true && others.length === 0
  }

  begin(exchange: Exchange): void {
    this.#exchanges.add(exchange)
  }

  finish(exchange: Exchange): void {
    this.#exchanges.delete(exchange)
    // A reply that promised to keep the connection before the stop began.
    if (this.#isClosing && this.isIdle) this.#socket.destroySoon()
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

  #abandonAll(): void {
    for (const exchange of this.#exchanges) exchange.abandon()
  }
}
