import type { Server } from 'node:http'
import { Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import {
  type ConnectionEvents,
  ConnectionLimit,
  type ConnectionLimits,
  type ConnectionSlot,
} from './connection-limit.ts'
import { tlsHandshakeRecord } from './fault.ts'

interface AcceptorOptions extends ConnectionEvents {
  readonly limits: ConnectionLimits
  /** Maximum time from accepting a connection to the end of its TLS handshake. */
  readonly handshakeMs: number
  /** Called with a connection that speaks plain HTTP to a TLS server. The server does not see it. */
  readonly onPlainHttp: (socket: Socket) => void
}

type Accept = (socket: Socket) => void

/** Admits accepted connections before the server starts HTTP or TLS on them. */
export class Acceptor {
  readonly #options: AcceptorOptions
  readonly #limit: ConnectionLimit
  readonly #accept: Accept
  readonly #handshakes = new WeakMap<ConnectionSlot, NodeJS.Timeout>()

  constructor(server: Server, options: AcceptorOptions) {
    this.#options = options
    this.#limit = new ConnectionLimit(options.limits, options)
    // node:http and node:tls each have one listener, which starts their protocol.
    const [accept] = server.listeners('connection') as [Accept]
    this.#accept = accept.bind(server)
    server.removeAllListeners('connection')
    const isTls = server instanceof HttpsServer
    server.on('connection', (socket: Socket) => {
      if (!this.#limit.admit(socket)) return
      if (isTls) this.#awaitTls(socket)
      else this.#accept(socket)
    })
    server.on('secureConnection', (socket: Socket) => this.#endHandshake(socket))
    const checking = setInterval(() => this.#limit.checkClients(), options.limits.checkEveryMs)
    checking.unref()
    server.once('close', () => clearInterval(checking))
  }

  /** The slot of a connection, given its socket or the TLS socket around it. */
  slotOf(socket: Socket): ConnectionSlot | undefined {
    return this.#limit.slotOf(socket)
  }

  closeIdle(): void {
    this.#limit.closeIdle()
  }

  destroyAll(): void {
    this.#limit.destroyAll()
  }

  #awaitTls(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), this.#options.handshakeMs)
    const slot = this.#limit.slotOf(socket)
    if (slot !== undefined) this.#handshakes.set(slot, timer)
    socket.once('close', () => clearTimeout(timer))
    firstByteOf(socket, (byte) => {
      if (byte === tlsHandshakeRecord || !isUpperCaseLetter(byte)) return this.#accept(socket)
      clearTimeout(timer)
      this.#options.onPlainHttp(socket)
    })
  }

  #endHandshake(socket: Socket): void {
    const slot = this.#limit.slotOf(socket)
    if (slot !== undefined) clearTimeout(this.#handshakes.get(slot))
  }
}

/** Calls `found` with the first byte, if the client sends one, and leaves it to be read. */
function firstByteOf(socket: Socket, found: (byte: number) => void): void {
  const onEnd = () => socket.destroy()
  const look = () => {
    const bytes: Buffer | null = socket.read()
    const first = bytes?.[0]
    if (bytes === null || first === undefined) return
    socket.off('readable', look)
    socket.off('end', onEnd)
    socket.unshift(bytes)
    found(first)
  }
  socket.on('readable', look)
  socket.on('end', onEnd)
  socket.on('error', () => socket.destroy())
}

/** Every method that node:http knows begins with an upper-case letter; no TLS record does. */
function isUpperCaseLetter(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a
}
