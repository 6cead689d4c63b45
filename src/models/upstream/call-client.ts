import type { Readable } from 'node:stream'
import { Agent, buildConnector } from 'undici'
import { ApiError } from '../../platform/json-api/api-error.ts'

export interface CallTimes {
  readonly connectMs: number
  /** The maximum time between bytes of an answer, while they are read. */
  readonly idleMs: number
}

/** A call that is ready to send. */
export interface UpstreamCall {
  readonly url: string
  /** Default: POST. */
  readonly method?: 'GET' | 'DELETE' | undefined
  /** Name, value, name, value … */
  readonly headers: string[]
  /** Read once. undici keeps it until the end of the answer. */
  readonly body: AsyncIterable<Buffer> | undefined
  readonly signal: AbortSignal
}

/** The answer of an upstream. The caller must read its body or destroy it. */
export interface UpstreamReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
}

/** Why there is no answer. */
export type NoAnswer =
  /** The upstream cannot be reached, or its certificate is not trusted. */
  | 'unreachable'
  /** No connection was made in time. */
  | 'connect-timeout'
  /** The connection was closed before an answer. */
  | 'closed'
  /** The same for a reused connection: it may have been closed before the call. */
  | 'stale'

/** Fields and message never contain the key. */
export class NoAnswerError extends Error {
  readonly kind: NoAnswer

  constructor(kind: NoAnswer, options?: ErrorOptions) {
    super(`no answer of an upstream: ${kind}`, options)
    this.name = 'NoAnswerError'
    this.kind = kind
  }
}

const maxHeaderBytes = 64 * 1024
const closedCodes: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/** Sends calls to upstreams, over connections that stay open for the next one. Follows no redirects. */
export class CallClient {
  readonly #agent: Agent
  /** When the connection of an error was made. */
  readonly #connectedAtMs = new WeakMap<object, number>()

  constructor({ connectMs, idleMs }: CallTimes) {
    const connect = buildConnector({ timeout: connectMs, allowH2: false })
    this.#agent = new Agent({
      connect: (options, callback) =>
        connect(options, (...made) => {
          const [, socket] = made
          const atMs = performance.now()
          // Before undici's listener, which passes the error to the call.
          socket?.prependListener('error', (error) => this.#connectedAtMs.set(error, atMs))
          callback(...made)
        }),
      // The caller limits the time to the first byte of the body.
      headersTimeout: 0,
      bodyTimeout: idleMs,
      maxHeaderSize: maxHeaderBytes,
      allowH2: false,
    })
  }

  /** @throws NoAnswerError; ApiError of the body; the signal's reason */
  async send({ url, method, headers, body, signal }: UpstreamCall): Promise<UpstreamReply> {
    const { origin, pathname, search } = new URL(url)
    const startedAtMs = performance.now()
    try {
      const reply = await this.#agent.request({
        ...{ origin, path: pathname + search, method: method ?? 'POST', headers, signal },
        // Not in undici's types, but it accepts any iterable.
        body: (body ?? null) as Buffer & AsyncIterable<Buffer>,
      })
      // The reader reports the error; without a listener it would end the process.
      reply.body.on('error', () => undefined)
      return { status: reply.statusCode, headers: reply.headers, body: reply.body }
    } catch (error) {
      signal.throwIfAborted()
      // Reading the client's body failed.
      if (error instanceof ApiError) throw error
      const connectedAtMs = this.#connectedAtMs.get(error as object)
      // Also after an answer that is not HTTP: undici ends the connection.
      const kind = connectedAtMs === undefined ? kindOf(error) : 'closed'
      const isStale =
        kindOf(error) === 'closed' && connectedAtMs !== undefined && connectedAtMs < startedAtMs
      throw new NoAnswerError(isStale ? 'stale' : kind, { cause: error })
    }
  }

  /** Ends all calls. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

function kindOf(error: unknown): Exclude<NoAnswer, 'stale'> {
  const { code } = error as { readonly code?: unknown }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'connect-timeout'
  return closedCodes.has(code) ? 'closed' : 'unreachable'
}
