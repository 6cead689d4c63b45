import { once } from 'node:events'
import {
  Agent,
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Scope } from '../support/webdav/server-process.ts'
import { FaultScript } from './fault-script.ts'

/** What the proxy can do to one request and its answer. */
export type ProxyFault =
  /** The proxy gives this answer; the server does not get the request. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** The server executes the request, but the client gets this answer. */
  | { readonly kind: 'answer-after'; readonly status: number }
  /** The server executes the request, then `run` runs, and the client gets this answer; none without a
   * status. */
  | { readonly kind: 'run-after'; readonly run: () => Promise<void>; readonly status?: number }
  /** The client's connection ends; the server does not get the request. */
  | { readonly kind: 'drop-before' }
  /** Both connections end when this many bytes of the body reached the server, or a shorter body. */
  | { readonly kind: 'drop-during'; readonly bytes: number }
  /** The server executes the request, and the client's connection ends without an answer. */
  | { readonly kind: 'drop-after' }
  /** The client's connection ends after this many bytes of the answer's body. */
  | { readonly kind: 'drop-in-answer'; readonly bytes: number }
  /** The request is passed on after this delay. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** `run` runs before the request is passed on. */
  | { readonly kind: 'run'; readonly run: () => Promise<void> }
  /** The request is passed on with these headers replaced. */
  | { readonly kind: 'send'; readonly headers: Readonly<Record<string, string>> }
  /** The request's body is passed on in pieces, with this pause before each. */
  | { readonly kind: 'slow'; readonly pauseMs: number }
  /** One bit of the request's body is flipped, at this offset in bytes. */
  | { readonly kind: 'flip'; readonly at: number }
  /** Only this many bytes of the request's body are passed on, as if they were complete. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** The answer's text is changed. */
  | { readonly kind: 'edit'; readonly edit: (text: string) => string }

/** All faults by name. The fault run tries each. */
export const proxyFaults = {
  'dropped before': { kind: 'drop-before' },
  'dropped at the first byte': { kind: 'drop-during', bytes: 1 },
  'dropped in the body': { kind: 'drop-during', bytes: 70_000 },
  'dropped after': { kind: 'drop-after' },
  'answer cut off': { kind: 'drop-in-answer', bytes: 10 },
  'gateway timeout before': { kind: 'answer', status: 504 },
  'gateway timeout after': { kind: 'answer-after', status: 504 },
  'internal error': { kind: 'answer', status: 500 },
  'bad gateway after': { kind: 'answer-after', status: 502 },
  unavailable: { kind: 'answer', status: 503, headers: { 'retry-after': '0' } },
  'too many requests': { kind: 'answer', status: 429 },
  locked: { kind: 'answer', status: 423 },
  full: { kind: 'answer', status: 507 },
} as const satisfies Record<string, ProxyFault>

/** How long a server may take to notice that a client has disconnected. */
const noticeMs = 2_000

export type ProxyFaultName = keyof typeof proxyFaults

interface ProxiedRequest {
  readonly method: string
  readonly path: string
}

export interface FaultyProxy {
  readonly port: number
  /** The same URL through the proxy: `webdav+http://…`, `http://…`. */
  urlFor(url: string): string
  readonly faults: FaultScript<ProxyFault>
  /** The requests of clients, in order. */
  readonly requests: readonly ProxiedRequest[]
}

/** Starts a proxy for the server at `url`, until `scope` ends. */
export async function startFaultyProxy(
  scope: Pick<Scope, 'after'>,
  url: string,
): Promise<FaultyProxy> {
  const forwarder = new Forwarder(new URL(url).host)
  const server = createServer((request, response) => {
    const { socket } = request
    forwarder.serve(request, response).catch((error: NodeJS.ErrnoException) => {
      // One side has disconnected: the other is disconnected in the same way.
      socket.destroy()
      if (error.code?.startsWith('E') !== true) throw error
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    forwarder.close()
    await closed
  })
  const { port } = server.address() as AddressInfo
  const urlFor = (of: string) => of.replace(new URL(of).host, `127.0.0.1:${port}`)
  return { port, urlFor, faults: forwarder.faults, requests: forwarder.requests }
}

class Forwarder {
  readonly faults = new FaultScript<ProxyFault>()
  readonly requests: ProxiedRequest[] = []
  readonly #server: { readonly host: string; readonly port: string }
  // A connection for each request: an idle one that the server closes would be another fault.
  readonly #agent = new Agent({ keepAlive: false })

  constructor(authority: string) {
    const [host = '', port = ''] = authority.split(':')
    this.#server = { host, port }
  }

  close(): void {
    this.#agent.destroy()
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The request has no socket any more after its body was read.
    const { method = '', url: path = '', socket } = request
    this.requests.push({ method, path })
    const fault = this.faults.take(method, path)
    if (fault?.kind === 'drop-before') return void socket.destroy()
    if (fault?.kind === 'answer') {
      const { status, headers, body = '' } = fault
      response.writeHead(status, { 'content-length': String(body.length), ...headers }).end(body)
      return
    }
    if (fault?.kind === 'delay') await wait(fault.ms)
    if (fault?.kind === 'run') await fault.run()
    const onward = this.#passOn(request, headersOf(fault))
    if (fault?.kind === 'drop-during') {
      await sendSome(request, onward, fault.bytes)
      await hangUp(onward)
      socket.destroy()
      return
    }
    if (fault?.kind === 'slow') Readable.from(slowed(request, fault.pauseMs)).pipe(onward)
    else if (fault?.kind === 'cut') Readable.from(cut(request, fault.bytes)).pipe(onward)
    else if (fault?.kind === 'flip') Readable.from(flipped(request, fault.at)).pipe(onward)
    else request.pipe(onward)
    const [answer] = (await once(onward, 'response')) as [IncomingMessage]
    await giveBack(answer, response, fault)
  }

  /** The same request to the server, without its body. */
  #passOn(request: IncomingMessage, others: Readonly<Record<string, string>>): ClientRequest {
    const { expect, connection, ...own } = request.headers
    const headers = { ...own, ...others }
    const onward = httpRequest({
      ...this.#server,
      ...{ method: request.method, path: request.url, agent: this.#agent, headers },
    })
    // The first error rejects the answer; others may follow.
    onward.on('error', () => undefined)
    request.on('error', () => onward.destroy())
    return onward
  }
}

/** The headers with which the request is passed on. */
function headersOf(fault: ProxyFault | undefined): Readonly<Record<string, string>> {
  if (fault?.kind === 'send') return fault.headers
  return fault?.kind === 'cut' ? { 'content-length': String(fault.bytes) } : {}
}

async function* slowed(body: AsyncIterable<Buffer>, pauseMs: number): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    await wait(pauseMs)
    yield chunk
  }
}

/** Reads to the end, so that the sender can finish. */
async function* cut(body: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes
  for await (const chunk of body) {
    const passed = chunk.subarray(0, left)
    left -= passed.length
    if (passed.length > 0) yield passed
  }
}

async function* flipped(body: AsyncIterable<Buffer>, at: number): AsyncGenerator<Buffer> {
  let position = 0
  for await (const chunk of body) {
    const index = at - position
    if (index >= 0 && index < chunk.length) chunk.writeUInt8(chunk.readUInt8(index) ^ 1, index)
    position += chunk.length
    yield chunk
  }
}

/** Resolves when the server's socket has accepted the bytes. */
async function sendSome(
  request: IncomingMessage,
  onward: ClientRequest,
  maxBytes: number,
): Promise<void> {
  let left = maxBytes
  // A server that refuses may close before it has the body: then the write never ends.
  const closed = new Promise((resolve) => onward.once('close', resolve))
  const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false })
  for await (const chunk of chunks) {
    const passed = chunk.subarray(0, left)
    left -= passed.length
    await Promise.race([new Promise((resolve) => onward.write(passed, resolve)), closed])
    if (left === 0 || onward.destroyed) return
  }
}

/** Ends the connection to the server. Resolves when the server has noticed and closed it, too. */
async function hangUp(onward: ClientRequest): Promise<void> {
  onward.on('response', (answer) => answer.resume())
  const { socket } = onward
  if (socket !== null && !socket.destroyed) {
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.end()
    await Promise.race([closed, wait(noticeMs, undefined, { ref: false })])
  }
  onward.destroy()
}

/** Faults after the server has executed the request. */
const faultsAfter: ReadonlySet<ProxyFault['kind']> = new Set([
  'drop-after',
  'answer-after',
  'run-after',
])

async function giveAnother(
  answer: IncomingMessage,
  response: ServerResponse,
  fault: ProxyFault,
): Promise<void> {
  // The server has executed the request when its answer is complete.
  for await (const _ of answer);
  if (fault.kind === 'run-after') await fault.run()
  const status = 'status' in fault ? fault.status : undefined
  if (status === undefined) response.destroy()
  else response.writeHead(status, { 'content-length': '0' }).end()
}

async function giveBack(
  answer: IncomingMessage,
  response: ServerResponse,
  fault: ProxyFault | undefined,
): Promise<void> {
  if (fault !== undefined && faultsAfter.has(fault.kind)) {
    return await giveAnother(answer, response, fault)
  }
  const { connection, 'keep-alive': _, ...headers } = answer.headers
  if (fault?.kind === 'edit') return await giveEdited(answer, response, fault.edit)
  response.writeHead(answer.statusCode ?? 502, headers)
  let left = fault?.kind === 'drop-in-answer' ? fault.bytes : Number.POSITIVE_INFINITY
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    const passed = chunk.subarray(0, left)
    left -= passed.length
    await new Promise((resolve) => response.write(passed, resolve))
    if (left === 0) break
  }
  if (fault?.kind === 'drop-in-answer') response.destroy()
  else response.end()
}

async function giveEdited(
  answer: IncomingMessage,
  response: ServerResponse,
  edit: (text: string) => string,
): Promise<void> {
  const chunks: Buffer[] = await answer.toArray()
  const type = answer.headers['content-type'] ?? ''
  response.writeHead(answer.statusCode ?? 502, { 'content-type': type })
  response.end(edit(Buffer.concat(chunks).toString()))
}
