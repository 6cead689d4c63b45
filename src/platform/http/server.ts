import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https'
import {
  createServer as createNetServer,
  type ListenOptions,
  Server as NetServer,
  type Socket,
} from 'node:net'
import { longestLagMs as defaultLagMs, minimumRate } from '../process/slow-client.ts'
import { Acceptor } from './acceptor.ts'
import { HttpConnection } from './connection.ts'
import { Exchange, newRequestId, type Outcome } from './exchange.ts'
import { answerRaw, faultOf, type HttpFault, type RenderFault } from './fault.ts'
import { maxHeaderFields } from './incoming.ts'
import { Lingering, type LingeringLimits, shortLingerMs } from './lingering.ts'
import type { HttpHandler, HttpReply, HttpRequest } from './message.ts'

/** PEM texts. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}

/** A reply to input that is not a valid request. */
export interface Refusal {
  readonly fault: HttpFault
  readonly requestId: string
  readonly remoteAddress: string
  readonly reply: HttpReply
}

export interface HttpServerOptions {
  readonly handler: HttpHandler
  readonly renderFault: RenderFault
  /** Called once for every parsed request, even if its target or head was refused. */
  readonly onFinish?: (request: HttpRequest, outcome: Outcome) => void
  /** Called when a client's input was not a request and a reply was sent. */
  readonly onRefuse?: (refusal: Refusal) => void
  /** Present: the server speaks HTTPS. */
  readonly tls?: TlsIdentity
  /** Maximum number of connections that are served at the same time. Default 10,000. */
  readonly maxConnections?: number
  /** A connection that has been idle for less time is not closed to make room. Default one second. */
  readonly minIdleMs?: number
  /** Answers the requests of connections beyond `maxConnections`. Default: `handler`. */
  readonly refuseExtra?: HttpHandler
  /** Called for every connection without a free slot. */
  readonly onFull?: () => void
  /** Called after the connection of a slow client was closed to make room. */
  readonly onSlowClient?: () => void
  /** A client that reads nothing of its reply for this long is disconnected. Default two minutes. */
  readonly idleWriteMs?: number
  /**
   * How far a client may fall behind 16 KiB/s with its reply or its body before it is disconnected to
   * make room. Default 30 seconds.
   */
  readonly longestLagMs?: number
  /** How often the progress of clients is checked. Default five seconds. */
  readonly checkEveryMs?: number
  /** Time limit for a complete header section. Default one minute. */
  readonly headersMs?: number
  /** Time limit for a TLS handshake. Default 20 seconds. */
  readonly handshakeMs?: number
  /** After a client has ended its side, the reply must begin within this time. Default 30 seconds. */
  readonly halfOpenMs?: number
  readonly lingering?: LingeringLimits
}

const defaultConnections = 10_000
const handshakeMs = 20_000
const halfOpenMs = 30_000
const idleWriteMs = 120_000
const headersMs = 60_000
/** How often node:http checks for late header sections. */
const lateHeaderCheckMs = 5_000

/** Connections beyond the limit. Each is refused and closed within `extraMs`. */
const extraConnections = { extra: 64, extraMs: 10_000 } as const
/** How often slow clients are looked for. */
const slowCheckMs = 5_000
/** A client that is about to send its next request has done so after this time. */
const minIdleMs = 1_000
/** How often idle connections are closed while the server stops. */
const closeIdleEveryMs = 250

const limits: ServerOptions = {
  maxHeaderSize: 64 * 1024,
  // An upload may take hours. The reader of a body checks that bytes keep arriving.
  requestTimeout: 0,
  // Longer than the 60 s of common load balancers, which must close first.
  keepAliveTimeout: 65_000,
  // Exchange answers a missing Host with an error document; node:http would send no body.
  requireHostHeader: false,
  // Detects clients that vanish silently while their request runs.
  keepAlive: true,
  keepAliveInitialDelay: 60_000,
  optimizeEmptyRequests: true,
  // Clients may end their side after their request (node:http also sets this).
  ...{ allowHalfOpen: true },
}

/** Serves one handler over HTTP/1.1 or HTTPS, with limits, timeouts, expectations and a graceful stop. */
export class HttpServer {
  readonly #server: Server
  /** Accepts connections at a further address. */
  #door: NetServer | undefined
  readonly #options: HttpServerOptions
  readonly #acceptor: Acceptor
  readonly #lingering: Lingering
  /** Sockets that were answered without a ServerResponse. */
  readonly #refused = new WeakSet<Socket>()
  readonly #connections = new Map<Socket, HttpConnection>()
  readonly #onFinish: (request: HttpRequest, outcome: Outcome) => void

  constructor(options: HttpServerOptions) {
    this.#options = options
    this.#onFinish = options.onFinish ?? (() => undefined)
    const serverOptions = {
      ...limits,
      headersTimeout: options.headersMs ?? headersMs,
      connectionsCheckingInterval: Math.min(lateHeaderCheckMs, options.headersMs ?? headersMs),
    }
    this.#server =
      options.tls === undefined
        ? createHttpServer(serverOptions)
        : createHttpsServer({ ...serverOptions, ...options.tls })
    this.#lingering = new Lingering(options.lingering)
    this.#acceptor = new Acceptor(this.#server, {
      limits: {
        ...extraConnections,
        connections: options.maxConnections ?? defaultConnections,
        minIdleMs: options.minIdleMs ?? minIdleMs,
        longestStallMs: options.idleWriteMs ?? idleWriteMs,
        checkEveryMs: options.checkEveryMs ?? slowCheckMs,
        longestLagMs: options.longestLagMs ?? defaultLagMs,
        minimumRate,
      },
      handshakeMs: options.handshakeMs ?? handshakeMs,
      onFull: options.onFull ?? (() => undefined),
      onSlowClient: options.onSlowClient ?? (() => undefined),
      onPlainHttp: (socket) => this.#refusePlainHttp(socket),
    })
    // One more than is accepted, because node:http silently drops further fields.
    this.#server.maxHeadersCount = maxHeaderFields + 1
    // Otherwise node:http ends our side when the client ends its own. Undocumented since Node 0.7; if it goes,
    // test/unit/platform/http/half-close.test.ts fails.
    Object.assign(this.#server, { httpAllowHalfOpen: true })
    this.#server.on('request', (incoming, response) => this.#serve(incoming, response, false))
    this.#server.on('checkContinue', (incoming, response) => this.#serve(incoming, response, true))
    // RFC 9110 section 10.1.1 allows ignoring an unknown expectation; some clients send an empty one.
    this.#server.on('checkExpectation', (incoming, response) =>
      this.#serve(incoming, response, false),
    )
    this.#server.on('connect', (_, socket) => this.#refuseTunnel(socket as Socket))
    this.#server.on('clientError', (error, socket) =>
      this.#refuse(faultOf(error), socket as Socket),
    )
  }

  /**
   * Resolves with the port when connections are accepted.
   *
   * @throws the system's error, such as EADDRINUSE or EACCES.
   */
  listen(options: ListenOptions): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(options, () => {
        this.#server.off('error', reject)
        const address = this.#server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
  }

  /**
   * Also accepts connections at another address. Resolves when it does; they count and are served like all others.
   *
   * @throws as `listen`
   */
  listenAlso(options: ListenOptions): Promise<void> {
    const { keepAlive = false, keepAliveInitialDelay = 0 } = limits
    // As node:http opens its own server, whose event `connection` may be emitted for a socket (Node, "http.Server").
    const socketOptions = { allowHalfOpen: true, noDelay: true, keepAlive, keepAliveInitialDelay }
    const door = createNetServer(socketOptions, (socket) => {
      this.#server.emit('connection', socket)
    })
    return new Promise((resolve, reject) => {
      door.once('error', reject)
      door.listen(options, () => {
        door.off('error', reject)
        this.#door = door
        resolve()
      })
    })
  }

  /** Replaces the certificate for new connections. No effect on a plain HTTP server. */
  replaceTls(tls: TlsIdentity): void {
    if (this.#server instanceof HttpsServer) this.#server.setSecureContext(tls)
  }

  /**
   * Stops accepting connections, lets running requests finish for at most `graceMs` and aborts the rest. Resolves when
   * every connection is closed, with whether all requests finished.
   *
   * A connection that was used within the last second still gets a reply to its next request: a proxy may be sending it,
   * and cannot repeat every request elsewhere.
   */
  async stop(graceMs: number): Promise<boolean> {
    let isClean = true
    const timer = setTimeout(() => {
      isClean = false
      this.#acceptor.destroyAll()
    }, graceMs)
    const idle = setInterval(() => this.#acceptor.closeIdle(), closeIdleEveryMs)
    const closed = [this.#server, this.#door].map(closeQuietly)
    for (const connection of this.#connections.values()) connection.closeAfterNext()
    this.#acceptor.closeIdle()
    await Promise.all(closed)
    clearTimeout(timer)
    clearInterval(idle)
    // Ends the timer that checks connections.
    this.#server.close()
    return isClean
  }

  #serve(incoming: IncomingMessage, response: ServerResponse, isAwaitingContinue: boolean): void {
    const connection = this.#connectionOf(incoming.socket)
    const exchange = new Exchange({ incoming, response, connection, isAwaitingContinue })
    const { renderFault, refuseExtra = this.#options.handler } = this.#options
    const handler = connection.isExtra ? refuseExtra : this.#options.handler
    connection.serve(exchange, (next) => next.run(handler, renderFault, this.#onFinish))
  }

  #connectionOf(socket: Socket): HttpConnection {
    const known = this.#connections.get(socket)
    if (known !== undefined) return known
    const connection = new HttpConnection({
      socket,
      isSecure: this.#options.tls !== undefined,
      lingering: this.#lingering,
      slot: this.#acceptor.slotOf(socket),
      halfOpenMs: this.#options.halfOpenMs ?? halfOpenMs,
    })
    if (connection.isExtra || !this.#server.listening) connection.closeAfterExchange()
    this.#connections.set(socket, connection)
    socket.once('close', () => this.#connections.delete(socket))
    return connection
  }

  /** The parser rejected a client's input, or has let go of the connection. */
  #refuse(fault: HttpFault | undefined, socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (this.#refused.has(socket) || connection?.isOver) {
      // The client has its last reply. Further input is discarded until it ends its side.
      if (fault === undefined || socket.readableEnded) socket.destroySoon()
      return
    }
    const isReceiving = connection?.isReceivingBody ?? false
    if (fault === undefined || !socket.writable) {
      socket.destroy()
    } else if (connection !== undefined && !connection.isIdle && !isReceiving) {
      // The client would take this reply for that of the running request, which may have stored an object. So only the
      // running request is answered.
      connection.close()
    } else if (isReceiving && fault === 'cut-off') {
      // The request itself is logged as failed.
      answerRaw(socket, this.#options.renderFault(fault, connection?.running?.id ?? ''))
      socket.destroySoon()
    } else {
      // A handler that waits for the body gets an error when the connection closes.
      this.#answer(fault, socket, { isSoonClosed: isReceiving })
    }
  }

  /** CONNECT: node:http has let go of the socket, listeners for its errors included. */
  #refuseTunnel(socket: Socket): void {
    const connection = this.#connections.get(socket)
    socket.on('error', () => socket.destroy())
    socket.on('end', () => {
      if (connection?.isIdle ?? true) socket.destroySoon()
    })
    socket.resume()
    this.#refuse('unknown-method', socket)
  }

  #refusePlainHttp(socket: Socket): void {
    socket.on('end', () => socket.destroySoon())
    socket.resume()
    this.#answer('http-on-tls-port', socket)
  }

  #answer(fault: HttpFault, socket: Socket, { isSoonClosed = false } = {}): void {
    const requestId = newRequestId()
    const remoteAddress = socket.remoteAddress ?? ''
    const reply = this.#options.renderFault(fault, requestId)
    this.#refused.add(socket)
    answerRaw(socket, reply)
    if (socket.readableEnded) socket.destroySoon()
    else if (isSoonClosed || fault === 'header-timeout') this.#lingering.hold(socket, shortLingerMs)
    else this.#lingering.hold(socket)
    this.#options.onRefuse?.({ fault, requestId, remoteAddress, reply })
  }
}

/** Resolves when all connections have ended. Unlike node:http's `close`, it keeps idle ones, whose next request may be on its way. */
function closeQuietly(server: NetServer | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (server === undefined) resolve()
    else NetServer.prototype.close.call(server, () => resolve())
  })
}
