import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Account } from './account.ts'
import type { Call, Reply } from './call.ts'
import { CallBody, DroppedConnection } from './call-body.ts'
import type { CallKind } from './call-kinds.ts'
import { readContent } from './content-store.ts'
import type { Counters } from './counters.ts'
import type { FaultEffect, ReplyFault } from './fault-effects.ts'
import type { Faults } from './faults.ts'
import type { Owner } from './file-record.ts'
import { GoogleError } from './google-error.ts'
import { afterMs, type Link } from './link.ts'
import { RawRefusal } from './raw-refusal.ts'
import { type Route, routeOf } from './routes.ts'

export interface ServerParts {
  readonly account: Account
  readonly faults: Faults
  readonly counters: Counters
  readonly up: Link
  readonly down: Link
  /** Delay of every reply. */
  readonly latencyMs: number
}

/** Serves the calls of Drive and of the token endpoint. */
export class EmulatorServer {
  readonly #parts: ServerParts
  readonly #server: Server
  #isClosed = false

  constructor(parts: ServerParts) {
    this.#parts = parts
    this.#server = createServer((request, response) => void this.#serve(request, response))
    this.#server.requestTimeout = 0
    // Like Google's front ends, keeps idle connections for minutes.
    this.#server.keepAliveTimeout = 240_000
  }

  /** Resolves with the origin. */
  async listen(port: number): Promise<string> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = new Exchange(request, response, this.#parts)
    try {
      const reply = await exchange.answer()
      if (this.#parts.latencyMs > 0) await afterMs(this.#parts.latencyMs)
      await exchange.send(reply)
    } catch (error) {
      request.socket.destroy()
      // A bug of the emulator must not look like an injected fault: as an unhandled rejection, it
      // ends the test.
      if (!(error instanceof DroppedConnection) && !this.#isClosed) throw error
    }
  }
}

class Exchange {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #parts: ServerParts
  #kind: CallKind | undefined
  #effect: FaultEffect = {}

  constructor(request: IncomingMessage, response: ServerResponse, parts: ServerParts) {
    this.#request = request
    this.#response = response
    this.#parts = parts
  }

  /** @throws DroppedConnection if there must be no reply. */
  async answer(): Promise<Reply> {
    try {
      return await this.#answer()
    } catch (error) {
      if (error instanceof GoogleError) return this.#refusal(error)
      if (!(error instanceof RawRefusal)) throw error
      const headers = { 'content-type': error.contentType }
      return { status: error.status, headers, text: error.text }
    }
  }

  async send(reply: Reply): Promise<void> {
    const { status, headers = {}, json, text, content } = reply
    const response = this.#response
    if (content !== undefined) {
      const length = String(content.end - content.start)
      response.writeHead(status, { ...headers, 'content-length': length })
      await this.#sendPieces(readContent(content.of, content.start, content.end), Number(length))
      return
    }
    const body = Buffer.from(json === undefined ? (text ?? '') : JSON.stringify(json, null, 1))
    const type = json === undefined ? {} : { 'content-type': 'application/json; charset=UTF-8' }
    response.writeHead(status, {
      ...type,
      ...headers,
      // RFC 9110 section 8.6.
      ...(status === 204 ? {} : { 'content-length': String(body.length) }),
    })
    await this.#sendPieces([body], body.length)
  }

  async #answer(): Promise<Reply> {
    const origin = originOf(this.#request)
    const url = new URL(this.#request.url ?? '/', origin)
    if (url.pathname === '/token') return await this.#answerToken()
    if (url.pathname === '/emulator/counters') return this.#answerCounters()
    const route = routeOf(this.#request, url)
    const call = this.#begin(route, { origin, query: url.searchParams })
    await this.#effect.before?.(call)
    this.#parts.account.meter.spend(route.kind)
    const reply = await this.#handle(route, { ...call, caller: this.#callerOf(route) })
    await this.#effect.after?.(call, reply)
    return reply
  }

  async #handle(route: Route, call: Call): Promise<Reply> {
    try {
      return await route.handle(call)
    } catch (error) {
      if (error === this.#effect.body?.cutWith) this.#effect.onCut?.(call)
      throw error
    }
  }

  /** For tests in another process. */
  #answerCounters(): Reply {
    const { counters } = this.#parts
    if (this.#request.method === 'DELETE') counters.reset()
    const { calls, total, units, refusals, bytesIn, bytesOut } = counters
    return { status: 200, json: { calls, total, units, refusals, bytesIn, bytesOut } }
  }

  async #answerToken(): Promise<Reply> {
    const route: Route = { kind: 'token', id: '', handle: () => ({ status: 200 }) }
    const call = this.#begin(route, { origin: '', query: new URLSearchParams() })
    await this.#effect.before?.(call)
    const form = new URLSearchParams((await call.body.whole()).toString('utf8'))
    const isForm = this.#request.headers['content-type']?.startsWith(
      'application/x-www-form-urlencoded',
    )
    if (this.#request.method !== 'POST' || isForm !== true) {
      return { status: 400, json: { error: 'invalid_request' } }
    }
    const [status, json] = this.#parts.account.desk.answer(form)
    const reply = { status, json }
    await this.#effect.after?.(call, reply)
    return reply
  }

  #begin({ kind, id }: Route, { origin, query }: Pick<Call, 'origin' | 'query'>): Call {
    const { account, counters, faults, up } = this.#parts
    this.#kind = kind
    counters.countCall(kind)
    this.#effect = faults.take(kind)
    const body = new CallBody(this.#request, { link: up, counters, fault: this.#effect.body })
    const { method = '', headers } = this.#request
    return { kind, method, id, query, headers, origin, body, caller: 'user', account }
  }

  /** @throws GoogleError 401 */
  #callerOf({ isSession = false }: Route): Owner {
    const { authorization } = this.#request.headers
    // A session's URL needs no token, but a token that is sent must be valid.
    if (isSession && authorization === undefined) return 'user'
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? ''
    const owner = this.#parts.account.desk.ownerOf(token)
    if (owner !== undefined) return owner
    throw new GoogleError('authError', {
      location: 'Authorization',
      locationType: 'header',
      headers: { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' },
    })
  }

  #refusal(error: GoogleError): Reply {
    const isFault = this.#effect.before !== undefined || this.#effect.body !== undefined
    if (this.#kind !== undefined && !isFault) {
      this.#parts.counters.countRefusal(this.#kind, error.reason)
    }
    return { status: error.status, headers: error.headers, json: error.toJson() }
  }

  async #sendPieces(
    pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
    length: number,
  ): Promise<void> {
    const { down, counters } = this.#parts
    const fault = this.#effect.reply ?? {}
    const { cutAfterBytes = length } = fault
    let left = cutAfterBytes === 'half' ? Math.floor(length / 2) : cutAfterBytes
    for await (const piece of pieces) {
      const sent = damaged(piece.subarray(0, left), fault)
      left -= sent.length
      await down.pass(sent.length)
      if (fault.bytesPerSecond !== undefined) {
        await afterMs((sent.length / fault.bytesPerSecond) * 1000)
      }
      counters.countBytes({ bytesOut: sent.length })
      await this.#write(sent)
      if (left <= 0) break
    }
    if (fault.cutAfterBytes !== undefined) throw new DroppedConnection()
    this.#response.end()
    // RFC 9112 section 9.3: the next request on the connection follows the whole body of this one.
    this.#request.removeAllListeners('readable').resume()
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#response.destroyed) throw new DroppedConnection()
    if (this.#response.write(bytes)) return
    await drainOrClose(this.#response)
    if (this.#response.destroyed) throw new DroppedConnection()
  }
}

function drainOrClose(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

function damaged(piece: Buffer, { isDamaged = false }: ReplyFault): Buffer {
  const last = piece.length - 1
  if (!isDamaged || piece[last] === undefined) return piece
  const copy = Buffer.from(piece)
  copy[last] = piece[last] ^ 1
  return copy
}

/** The origin for the client: behind the proxy of rclone's test, it is Google's, over TLS. */
function originOf({ headers }: IncomingMessage): string {
  const host = headers.host ?? '127.0.0.1'
  return `${host.endsWith('.googleapis.com') ? 'https' : 'http'}://${host}`
}
