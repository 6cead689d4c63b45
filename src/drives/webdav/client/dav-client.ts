import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reader } from '../../cloud/read-limiter.ts'
import { DriveError } from '../../drive.ts'
import { DavConnections, type LimiterName } from './dav-connections.ts'
import {
  type ResponseHead,
  refusedCredentials,
  retryAfterSeconds,
  unreachable,
} from './dav-error.ts'
import type { DavAddress } from './dav-path.ts'

/** How long a request waits for a connection. */
const defaultConnectionWaitMs = 15_000
/** Until an answer begins: of a look, and of what a server may take its time for. */
const lookMs = 60_000
const workMs = 600_000
/** How long a server that says it is busy is asked again. */
const patienceMs = 20_000
const longestPauseMs = 4_000
/** After a 401, no request is sent for this long: servers lock out clients that keep retrying. */
const refusalMs = 30_000
/** Answers to anything but GET and the listing of a folder: what is longer is of no interest. */
const maxTextBytes = 256 * 1024

export interface DavRequest {
  readonly method: string
  /** Path on the server, escaped. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | Readable | undefined
  readonly signal?: AbortSignal | undefined
  /** Whether the answer may take minutes. */
  readonly isSlow?: boolean
  /** Whether it does no harm when it has been done already: then it is repeated when in doubt. */
  readonly isRepeatable?: boolean
  /** Which connections it goes by, where that is another than its method and body suggest. */
  readonly limiter?: LimiterName | undefined
  /** Who reads the answer's body, if that may take long. */
  readonly reader?: Reader | undefined
  /** Called each time it is about to be sent; what it throws is told instead. */
  readonly beforeAttempt?: (() => void) | undefined
}

export interface DavResponse extends ResponseHead {
  /** To be read to its end, or destroyed. */
  readonly body: Readable
}

/** A response whose body was read, up to a limit. */
export interface DavAnswer extends ResponseHead {
  readonly text: string
}

/** Statuses that mean: try later. 423 is another client's lock (RFC 4918 section 11.3). */
const busyStatuses: ReadonlySet<number> = new Set([423, 425, 429, 503])
/** An error in transit: the request may have been executed, or be in progress. */
const doubtfulStatuses: ReadonlySet<number> = new Set([502, 504])
/** rclone answers 500 when a file is deleted while it reads it; repeated 500s are a real error. */
const maxMishaps = 3

export interface DavClientOptions extends Pick<DavAddress, 'origin' | 'user' | 'password'> {
  /** Before a request is sent again; each further pause is twice as long, up to 4 seconds. */
  readonly firstPauseMs: number
  /** How long a request waits for a connection; 15 seconds when absent. */
  readonly connectionWaitMs?: number
}

/** Asks one server, again where that is called for. */
export class DavClient {
  readonly #connections: DavConnections
  readonly #firstPauseMs: number
  readonly #authorization: string
  readonly #closed = new AbortController()
  #refusedUntil = Number.NEGATIVE_INFINITY

  constructor({ origin, user, password, firstPauseMs, connectionWaitMs }: DavClientOptions) {
    this.#firstPauseMs = firstPauseMs
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    this.#authorization = `Basic ${credentials}`
    this.#connections = new DavConnections(origin, connectionWaitMs ?? defaultConnectionWaitMs)
  }

  /**
   * Sends a request, and retries while the server is busy. Any other status is left to the caller.
   *
   * @throws DriveError `unavailable` when there is no answer, `denied` when the credentials are
   *   refused, `busy` when no connection is free; the signal's reason; what `beforeAttempt` throws
   */
  async send(request: DavRequest): Promise<DavResponse> {
    const giveUpAt = performance.now() + patienceMs
    let pauseMs = this.#firstPauseMs
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request)
      const isError = outcome instanceof Error
      const askedMs = isError ? 0 : (retryAfterSeconds(outcome) ?? 0) * 1_000
      pauseMs = Math.max(pauseMs, askedMs)
      const isOver =
        performance.now() + pauseMs > giveUpAt || !isWorthAnotherTry(request, outcome, attempt)
      if (isError && isOver) throw outcome
      if (!isError && isOver) return outcome
      if (!isError) await drain(outcome.body)
      await this.#pause(pauseMs, request.signal)
      pauseMs = Math.min(longestPauseMs, pauseMs * 2)
    }
  }

  /** As `send`, and reads the little that such an answer says. */
  async ask(request: DavRequest): Promise<DavAnswer> {
    const response = await this.send(request)
    const { status } = response
    const header = (name: string) => response.header(name)
    return { status, header, text: await readText(response.body) }
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
    const signal = () => this.#eitherOf(request.signal)
    const place = await this.#connections.enter(limiter, signal, request.reader)
    try {
      request.beforeAttempt?.()
    } catch (error) {
      place.leave()
      throw error
    }
    try {
      const { statusCode, headers, body } = await place.request(this.#optionsOf(request))
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
      // Any token is a method; undici's types know the usual ones.
      method: method as 'GET',
      headers: {
        authorization: this.#authorization,
        // A range, or a length, must be that of the file.
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

  async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const either = this.#eitherOf(signal)
    try {
      await sleep(ms * (0.75 + Math.random() / 4), undefined, { signal: either })
    } catch {
      either.throwIfAborted()
    }
  }
}

/** Bodies that depend on a client's speed have separate connections. */
function limiterOf({ method, body }: DavRequest): LimiterName {
  if (method === 'GET') return 'downloads'
  return body === undefined || body instanceof Uint8Array ? 'calls' : 'uploads'
}

function isWorthAnotherTry(
  { body, isRepeatable = false }: DavRequest,
  outcome: DavResponse | DriveError,
  attempt: number,
): boolean {
  // A stream's bytes are gone once they were sent.
  if (body !== undefined && !(body instanceof Uint8Array)) return false
  if (outcome instanceof DriveError) return isRepeatable
  if (busyStatuses.has(outcome.status)) return true
  if (!isRepeatable) return false
  return doubtfulStatuses.has(outcome.status) || (outcome.status === 500 && attempt < maxMishaps)
}

/** Ends a response that is no longer needed; closes its connection. */
export function abandon(body: Readable): void {
  body.on('error', () => undefined)
  body.destroy()
}

/** Reads a body to its end when that is near, so that the connection can be used again. */
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
    // The status has come: what it says in words is not worth another try.
  }
  return Buffer.concat(chunks).toString()
}
