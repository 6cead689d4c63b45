import type { Readable } from 'node:stream'
import { Pool } from 'undici'
import { retryAfterMs } from '../../../../platform/process/back-off.ts'
import { DriveError } from '../../drive-error.ts'
import type { DriveStatistics } from '../../drive-statistics.ts'
import { Connections, type LimiterName } from '../../kit/cloud/connections.ts'
import type { Reader } from '../../kit/cloud/read-limiter.ts'
import {
  noRetries,
  RetryPolicy,
  type RetryPolicyOptions,
  systemClock,
  TransientError,
} from '../../kit/cloud/retry-policy.ts'
import { type ResponseHead, refusedCredentials, unreachable } from './dav-error.ts'
import type { DavAddress } from './dav-path.ts'

const service = 'the WebDAV server'
/** Connections of one process to one server. */
const connectionLimits = { calls: 24, uploads: 24, downloads: 48 } as const
const defaultConnectionWaitMs = 15_000
const connectMs = 10_000
/** The maximum time between two chunks of a body. */
const bodyMs = 60_000
/** The maximum time until a response begins: for most requests, and for those that may take minutes. */
const lookMs = 60_000
const workMs = 600_000
/** The maximum time for repeating a request. */
const retryForMs = 20_000
const longestPauseMs = 4_000
/** After a 401, no request is sent for this long: servers lock out clients that keep retrying. */
const refusalMs = 30_000
/** The maximum of a body that is read as text; the rest is discarded. */
const maxTextBytes = 256 * 1024

export interface DavRequest {
  readonly method: string
  /** Path on the server, escaped. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | Readable | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether the response may take minutes to begin. */
  readonly isSlow?: boolean
  /** Whether it may be executed twice, so that it is repeated when its outcome is in doubt. */
  readonly isRepeatable?: boolean
  /** Default: by method and body. */
  readonly limiter?: LimiterName | undefined
  /** The client that reads the response's body, if that may take long. */
  readonly reader?: Reader | undefined
  /** Called before each attempt; if it throws, the request is not sent. */
  readonly beforeAttempt?: (() => void) | undefined
}

export interface DavResponse extends ResponseHead {
  /** The caller must read or destroy it. */
  readonly body: Readable
}

/** A response whose body was read, up to a limit. */
export interface DavAnswer extends ResponseHead {
  readonly text: string
}

/** Statuses of a busy server. 423 is another client's lock (RFC 4918 section 11.3). */
const busyStatuses: ReadonlySet<number> = new Set([423, 425, 429, 503])
/** Errors of a proxy: the request may have been executed, or be in progress. */
const doubtfulStatuses: ReadonlySet<number> = new Set([502, 504])
/** rclone answers 500 when a file is deleted while being read; more 500s in a row are a real error. */
const maxMishaps = 3

export interface DavClientOptions extends Pick<DavAddress, 'origin' | 'user' | 'password'> {
  /** The pause before the first retry; later ones double, up to 4 seconds. */
  readonly firstPauseMs: number
  /** How long a request waits for a connection; default 15 seconds. */
  readonly connectionWaitMs?: number
}

/** Sends requests to one server, and retries them. */
export class DavClient {
  readonly #connections: Connections
  readonly #retryPolicy: RetryPolicyOptions
  readonly #retries = noRetries()
  readonly #authorization: string
  readonly #closed = new AbortController()
  #refusedUntil = Number.NEGATIVE_INFINITY

  constructor({ origin, user, password, firstPauseMs, connectionWaitMs }: DavClientOptions) {
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    this.#authorization = `Basic ${credentials}`
    this.#connections = new Connections({
      service,
      sizes: connectionLimits,
      waitMs: connectionWaitMs ?? defaultConnectionWaitMs,
      open: (connections) =>
        new Pool(origin, {
          connections,
          connect: { timeout: connectMs },
          bodyTimeout: bodyMs,
          maxHeaderSize: 64 * 1024,
        }),
    })
    // Closing ends all pauses.
    const wait = (ms: number, signal?: AbortSignal) => systemClock.wait(ms, this.#eitherOf(signal))
    const backOff = { firstMs: firstPauseMs, longestMs: longestPauseMs }
    const clock = { ...systemClock, wait }
    this.#retryPolicy = { service, clock, retryForMs, backOff, counts: this.#retries }
  }

  /**
   * Sends a request, and retries while the server is busy. The caller checks the status.
   *
   * @throws DriveError `unavailable` when there is no answer, `denied` when the credentials are
   *   refused, `busy` when no connection is free; the signal's reason; what `beforeAttempt` throws
   */
  async send(request: DavRequest): Promise<DavResponse> {
    const { method, signal } = request
    const retries = new RetryPolicy(this.#retryPolicy, { doing: method, signal })
    for (;;) {
      const outcome = await this.#attempt(request)
      const isTransient = isWorthRetry(request, outcome, retries.failures + 1)
      const retry = isTransient ? retries.fail(transientErrorOf(outcome)) : undefined
      if (retry === undefined || retry.isOver) {
        if (outcome instanceof DriveError) throw outcome
        return outcome
      }
      if (!(outcome instanceof DriveError)) await drain(outcome.body)
      await retries.wait(retry.waitMs)
    }
  }

  /** As `send`, and reads the short body. */
  async ask(request: DavRequest): Promise<DavAnswer> {
    const response = await this.send(request)
    const { status } = response
    const header = (name: string) => response.header(name)
    return { status, header, text: await readText(response.body) }
  }

  statistics(): DriveStatistics {
    return { queues: this.#connections.waiting, retries: { ...this.#retries } }
  }

  async close(): Promise<void> {
    this.#closed.abort(new DriveError('unavailable', 'This drive is being closed.'))
    await this.#connections.close()
  }

  async #attempt(request: DavRequest): Promise<DavResponse | DriveError> {
    request.signal?.throwIfAborted()
    this.#closed.signal.throwIfAborted()
    if (performance.now() < this.#refusedUntil) throw refusedCredentials()
    const limiter = request.limiter ?? limiterOf(request)
    // Closing aborts the requests in progress, which frees their connections, so a waiter wakes up here.
    const connection = await this.#connections.enter(limiter, request.signal, request.reader)
    try {
      this.#closed.signal.throwIfAborted()
      request.beforeAttempt?.()
    } catch (error) {
      connection.leave()
      throw error
    }
    try {
      const { statusCode, headers, body } = await connection.request(this.#optionsOf(request))
      if (statusCode === 401) {
        await drain(body)
        this.#refusedUntil = performance.now() + refusalMs
        throw refusedCredentials()
      }
      const header = (name: string) => {
        const value = headers[name]
        return Array.isArray(value) ? value[0] : value
      }
      return { status: statusCode, header, body }
    } catch (error) {
      if (error instanceof DriveError) throw error
      request.signal?.throwIfAborted()
      this.#closed.signal.throwIfAborted()
      return unreachable(error)
    }
  }

  #optionsOf({ target, method, headers, body, isSlow, signal }: DavRequest) {
    return {
      path: target,
      // undici accepts any method, but its types have only the usual ones.
      method: method as 'GET',
      headers: {
        authorization: this.#authorization,
        // Ranges and lengths must count the file's own bytes.
        'accept-encoding': 'identity',
        'user-agent': 'Bucketry',
        ...headers,
      },
      body: body ?? null,
      headersTimeout: isSlow === true ? workMs : lookMs,
      ...(signal && { signal }),
    }
  }

  #eitherOf(signal: AbortSignal | undefined): AbortSignal {
    const closed = this.#closed.signal
    return signal === undefined ? closed : AbortSignal.any([closed, signal])
  }
}

/** Transfers that depend on a client's speed use separate connections. */
function limiterOf({ method, body }: DavRequest): LimiterName {
  if (method === 'GET') return 'downloads'
  return body === undefined || body instanceof Uint8Array ? 'calls' : 'uploads'
}

function isWorthRetry(
  { body, isRepeatable = false }: DavRequest,
  outcome: DavResponse | DriveError,
  attempt: number,
): boolean {
  // A stream can be sent only once.
  if (body !== undefined && !(body instanceof Uint8Array)) return false
  if (outcome instanceof DriveError) return isRepeatable
  if (busyStatuses.has(outcome.status)) return true
  if (!isRepeatable) return false
  return doubtfulStatuses.has(outcome.status) || (outcome.status === 500 && attempt < maxMishaps)
}

function transientErrorOf(outcome: DavResponse | DriveError): TransientError {
  if (outcome instanceof DriveError) return new TransientError('network', outcome.message)
  const reason = busyStatuses.has(outcome.status) ? 'rate' : 'server'
  const after = retryAfterMs(outcome.header('retry-after'), Date.now())
  return new TransientError(reason, String(outcome.status), { retryAfterMs: after })
}

/** Discards a response and closes its connection. */
export function abandon(body: Readable): void {
  body.on('error', () => undefined)
  body.destroy()
}

/** Reads the rest of a short body, so that the connection can be used again. */
export async function drain(body: Readable): Promise<void> {
  await readText(body)
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      // Leaving the loop destroys the stream.
      if (size > maxTextBytes) break
      chunks.push(chunk)
    }
  } catch {
    // The status is known; a missing body is not worth a retry.
  }
  return Buffer.concat(chunks).toString()
}
