import type { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import { DriveError } from '../../drive-error.ts'
import { Connections, type LimiterName } from '../../kit/cloud/connections.ts'
import type { Reader } from '../../kit/cloud/read-limiter.ts'
import { TransientError } from '../../kit/cloud/retry-policy.ts'

export interface HttpLimits {
  /** Concurrent requests, each with a separate connection. */
  readonly connections: Readonly<Record<LimiterName, number>>
  /** Limit for the wait for a free connection. */
  readonly connectionWaitMs: number
  /** Limit for connecting. */
  readonly connectMs: number
  /** Limit for the head of the response, after the last piece of the request was sent. */
  readonly headersMs: Readonly<Record<LimiterName, number>>
  /** Limit between two pieces of a response body. */
  readonly idleMs: number
  /** Limit for a whole exchange in the limiter `calls`. */
  readonly callMs: number
}

export const defaultLimits: HttpLimits = {
  connections: { calls: 32, uploads: 64, downloads: 128 },
  connectionWaitMs: 15_000,
  connectMs: 10_000,
  // Google assembles a large file before it responds to the last piece.
  headersMs: { calls: 30_000, uploads: 120_000, downloads: 30_000 },
  idleMs: 60_000,
  callMs: 60_000,
}

/** Bytes to send. A stream has a known length and can be sent only once. */
export type HttpBody =
  | string
  | Uint8Array
  | { readonly length: number; readonly chunks: AsyncIterable<Uint8Array> }

export interface GoogleRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: HttpBody | undefined
  readonly limiter: LimiterName
  /** The client that reads the response body, if that may take a long time. */
  readonly reader?: Reader | undefined
  readonly signal?: AbortSignal | undefined
  /** Replaces HttpLimits.callMs in the limiter `calls`. */
  readonly callMs?: number | undefined
}

/** Errors of undici for mistakes of this program or the caller's stream. */
const ownMistakes: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
])
const closedCodes: ReadonlySet<string> = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED'])

/** HTTP/1.1 to Google, with limited connections and waits. Redirects are not followed. */
export class GoogleHttp {
  readonly #limits: HttpLimits
  readonly #connections: Connections

  constructor(limits: HttpLimits) {
    this.#limits = limits
    this.#connections = new Connections({
      service: 'Google Drive',
      sizes: limits.connections,
      waitMs: limits.connectionWaitMs,
      open: (connections, name) =>
        new Agent({
          connections,
          pipelining: 1,
          // A separate connection keeps a long upload from slowing the other calls.
          allowH2: false,
          connect: { timeout: limits.connectMs },
          headersTimeout: limits.headersMs[name],
          bodyTimeout: limits.idleMs,
          // Google keeps idle connections for about four minutes; a new one costs two round trips.
          keepAliveTimeout: 120_000,
        }),
    })
  }

  /**
   * Sends a request and resolves with the head of the response, with any status.
   *
   * @throws TransientError if there is no response; the error of the body's stream; the signal's
   *   reason.
   */
  async send(request: GoogleRequest): Promise<HttpAnswer> {
    const { limiter, signal, reader, callMs } = request
    const connection = await this.#connections.enter(limiter, signal, reader)
    const exchange = new Exchange(request, callMs ?? this.#limits.callMs)
    const headersMs = Math.max(this.#limits.headersMs[limiter], callMs ?? 0)
    try {
      const response = await connection.request(exchange.options(headersMs))
      return new HttpAnswer(response, (error) => exchange.failureOf(error))
    } catch (error) {
      // Has no effect if the request has already released it.
      connection.leave()
      throw exchange.failureOf(error)
    }
  }

  /** Requests that wait for a connection. */
  get waiting(): Readonly<Record<LimiterName, number>> {
    return this.#connections.waiting
  }

  /** Aborts requests in progress. */
  async close(): Promise<void> {
    await this.#connections.close()
  }
}

/** One request in progress, whose error depends on why it ended. */
class Exchange {
  readonly #request: GoogleRequest
  readonly #limit: AbortSignal | undefined
  /** The error of the request body's stream. */
  #sourceFailure: { readonly error: unknown } | undefined

  constructor(request: GoogleRequest, callMs: number) {
    this.#request = request
    this.#limit = request.limiter === 'calls' ? AbortSignal.timeout(callMs) : undefined
  }

  /** Undici accepts async iterables as bodies, although its types do not allow them. */
  options(headersTimeout: number): Dispatcher.RequestOptions {
    const { method, url, headers, body, signal } = this.#request
    const { origin, pathname, search } = new URL(url)
    const signals = [signal, this.#limit].filter((one) => one !== undefined)
    return {
      origin,
      path: `${pathname}${search}`,
      method,
      headers: {
        'user-agent': 'Bucketry',
        // Lengths and ranges count bytes of the file, not of a compressed form of it.
        'accept-encoding': 'identity',
        ...headers,
        ...(isStream(body) ? { 'content-length': String(body.length) } : {}),
      },
      body: isStream(body) ? (this.#watched(body.chunks) as unknown as Readable) : (body ?? null),
      headersTimeout,
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
    }
  }

  failureOf(error: unknown): unknown {
    const { signal } = this.#request
    if (signal?.aborted) return signal.reason
    if (this.#sourceFailure !== undefined) return this.#sourceFailure.error
    if (this.#limit?.aborted)
      return new TransientError('network', 'no complete response in time', { cause: error })
    const code = (error as NodeJS.ErrnoException | undefined)?.code
    if (typeof code !== 'string' || ownMistakes.has(code) || error instanceof TransientError)
      return error
    return closedCodes.has(code)
      ? new DriveError('unavailable', 'The connection to Google Drive was closed.', {
          cause: error,
        })
      : new TransientError('network', code, { cause: error })
  }

  async *#watched(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* chunks
    } catch (error) {
      this.#sourceFailure = { error }
      throw error
    }
  }
}

type StreamBody = Extract<HttpBody, { chunks: unknown }>

/** Whether the body can be sent only once. */
export function isStream(body: HttpBody | undefined): body is StreamBody {
  return typeof body === 'object' && 'chunks' in body
}

/** Longer bodies are not read to keep a connection. */
const drainedBytes = 64 * 1024

/** A response whose body is unread. The receiver reads it to the end or closes it. */
export class HttpAnswer {
  readonly status: number
  readonly #headers: Dispatcher.ResponseData['headers']
  readonly #body: Dispatcher.ResponseData['body']
  readonly #failureOf: (error: unknown) => unknown

  /** @param failureOf converts errors of the body. */
  constructor(response: Dispatcher.ResponseData, failureOf: (error: unknown) => unknown) {
    this.status = response.statusCode
    this.#headers = response.headers
    this.#body = response.body
    this.#failureOf = failureOf
  }

  /** @param name in lower case. */
  header(name: string): string | undefined {
    const value = this.#headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  /** The body as it arrives. Ending the iteration early closes the connection. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of this.#body) yield chunk as Uint8Array
    } catch (error) {
      throw this.#failureOf(error)
    } finally {
      this.close()
    }
  }

  /** @throws TransientError if the body is longer. */
  async text(maxBytes: number): Promise<string> {
    const text = await this.beginning(maxBytes + 1)
    if (text.length <= maxBytes) return text.toString('utf8')
    throw new TransientError('server', `a response of more than ${maxBytes} bytes`)
  }

  /** At most this many bytes; the rest is discarded. */
  async beginning(maxBytes: number): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of this.chunks()) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= maxBytes) break
    }
    return Buffer.concat(chunks, length).subarray(0, maxBytes)
  }

  /** Discards the body, so that the connection can be reused. Never rejects. */
  async drain(): Promise<void> {
    await this.beginning(drainedBytes).catch(() => undefined)
  }

  /** Discards the unread rest. Idempotent. */
  close(): void {
    this.#body.destroy()
  }
}
