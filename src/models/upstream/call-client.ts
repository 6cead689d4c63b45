import type { Readable } from 'node:stream'
import { Agent, buildConnector } from 'undici'
import { ApiError } from '../../platform/json-api/api-error.ts'

export interface CallTimes {
  readonly connectMs: number
  /** Between bytes of an answer, while they are read. */
  readonly idleMs: number
}

/** A call that is ready to send. */
export interface UpstreamCall {
  readonly url: string
  /** Name, value, name, value … */
  readonly headers: string[]
  /** Nothing of it is read again once it was sent, but undici keeps it until the end of the answer. */
  readonly body: AsyncIterable<Buffer>
  readonly signal: AbortSignal
}

/** What an upstream answers. The caller must read its body or destroy it. */
export interface UpstreamReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Readable
}

/** Why there is no answer. */
export type NoAnswer =
  /** The upstream cannot be reached, or its certificate is not trusted. */
  | 'unreachable'
  /** No connection within its time. */
  | 'connect-timeout'
  /** The connection ended before an answer. */
  | 'closed'
  /** The same, of a connection that was made before the call: it had been idle, and may have ended before it, too. */
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
  /** When the connection was made that ended with an error. */
  readonly #connectedAtMs = new WeakMap<object, number>()

  constructor({ connectMs, idleMs }: CallTimes) {
    const connect = buildConnector({ timeout: connectMs, allowH2: false })
    this.#agent = new Agent({
      connect: (options, callback) =>
        connect(options, (...made) => {
          const [, socket] = made
          const atMs = performance.now()
          // In front of undici's listener, which gives the error to the call.
          socket?.prependListener('error', (error) => this.#connectedAtMs.set(error, atMs))
          callback(...made)
        }),
      // The caller has one time limit up to the first byte of the body.
      headersTimeout: 0,
      bodyTimeout: idleMs,
      maxHeaderSize: maxHeaderBytes,
      allowH2: false,
    })
  }

  /** @throws NoAnswerError; ApiError of the body; the signal's reason */
  async send({ url, headers, body, signal }: UpstreamCall): Promise<UpstreamReply> {
    const { origin, pathname, search } = new URL(url)
    const startedAtMs = performance.now()
    try {
      const reply = await this.#agent.request({
        ...{ origin, path: pathname + search, method: 'POST', headers, signal },
        // None of undici's types, but it takes every iterable.
        body: body as Buffer & AsyncIterable<Buffer>,
      })
      // Reported where it is read; without a listener it would end the process.
      reply.body.on('error', () => undefined)
      return { status: reply.statusCode, headers: reply.headers, body: reply.body }
    } catch (error) {
      signal.throwIfAborted()
      // What reading the client's body throws.
      if (error instanceof ApiError) throw error
      const kind = kindOf(error)
      const connectedAtMs = this.#connectedAtMs.get(error as object) ?? Number.POSITIVE_INFINITY
      const isStale = kind === 'closed' && connectedAtMs < startedAtMs
      throw new NoAnswerError(isStale ? 'stale' : kind, { cause: error })
    }
  }

  /** Ends what runs. */
  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

function kindOf(error: unknown): Exclude<NoAnswer, 'stale'> {
  const { code } = error as { readonly code?: unknown }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'connect-timeout'
  return closedCodes.has(code) ? 'closed' : 'unreachable'
}
