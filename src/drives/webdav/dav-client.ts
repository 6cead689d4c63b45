import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { DriveError } from '../drive.ts'
import { refusedCredentials, retryAfterSeconds, statusError, unreachable } from './dav-error.ts'
import type { DavAddress } from './dav-path.ts'

/** To one server; a folder walk and some uploads fit in. */
const maxConnections = 24
const connectMs = 10_000
/** Until an answer begins: of a look, and of what a server may take its time for. */
const lookMs = 60_000
const workMs = 600_000
/** Between two pieces of a body. */
const bodyMs = 60_000
/** How long a server that says it is busy is asked again. */
const patienceMs = 20_000
const longestPauseMs = 4_000
/** After a 401 nothing is asked for so long: servers lock out who tries again and again. */
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
  /** Called each time it is about to be sent; what it throws is told instead. */
  readonly beforeAttempt?: (() => void) | undefined
}

export interface DavResponse {
  readonly status: number
  /** Lower-case names; of repeated headers the first value. */
  header(name: string): string | undefined
  /** To be read to its end, or destroyed. */
  readonly body: Readable
}

/** An answer whose body was read, or thrown away. */
export interface DavAnswer extends Pick<DavResponse, 'status' | 'header'> {
  readonly text: string
}

/** Statuses that say: later. 423 is a lock of somebody (RFC 4918 section 11.3). */
const busyStatuses: ReadonlySet<number> = new Set([423, 425, 429, 503])
/** Something went wrong on the way: what was asked may have been done, or be under way. */
const doubtfulStatuses: ReadonlySet<number> = new Set([502, 504])
/** rclone answers 500 when a file goes while it looks; what answers so again and again is broken. */
const maxMishaps = 3

export interface DavClientOptions extends Pick<DavAddress, 'origin' | 'user' | 'password'> {
  /** Before a request is sent again; each further pause is twice as long, up to 4 seconds. */
  readonly firstPauseMs: number
}

/** The connections to one server. */
export class DavClient {
  readonly #pool: Pool
  readonly #firstPauseMs: number
  readonly #authorization: string
  readonly #closed = new AbortController()
  #refusedUntil = 0

  constructor({ origin, user, password, firstPauseMs }: DavClientOptions) {
    this.#firstPauseMs = firstPauseMs
    const credentials = Buffer.from(`${user}:${password}`).toString('base64')
    this.#authorization = `Basic ${credentials}`
    this.#pool = new Pool(origin, {
      connections: maxConnections,
      connect: { timeout: connectMs },
      headersTimeout: workMs,
      bodyTimeout: bodyMs,
      maxHeaderSize: 64 * 1024,
    })
  }

  /**
   * Sends a request, and again while the server says that it is busy. Any other status is the
   * caller's affair.
   *
   * @throws DriveError `unavailable` when there is no answer, `denied` when the credentials are
   *   refused; the signal's reason
   */
  async send(request: DavRequest): Promise<DavResponse> {
    const giveUpAt = Date.now() + patienceMs
    let pauseMs = this.#firstPauseMs
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(request)
      const isError = outcome instanceof Error
      const askedMs = isError ? 0 : (retryAfterSeconds(outcome) ?? 0) * 1_000
      pauseMs = Math.max(pauseMs, askedMs)
      const isOver =
        Date.now() + pauseMs > giveUpAt || !isWorthAnotherTry(request, outcome, attempt)
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

  /** As `ask`; another status than these is a DriveError. */
  async expect(statuses: readonly number[], request: DavRequest): Promise<DavAnswer> {
    const answer = await this.ask(request)
    if (!statuses.includes(answer.status)) throw statusError(request.method, answer)
    return answer
  }

  async close(): Promise<void> {
    this.#closed.abort(new DriveError('unavailable', 'This drive is being closed.'))
    await this.#pool.destroy()
  }

  async #attempt(request: DavRequest): Promise<DavResponse | DriveError> {
    request.signal?.throwIfAborted()
    this.#closed.signal.throwIfAborted()
    if (Date.now() < this.#refusedUntil) throw refusedCredentials()
    request.beforeAttempt?.()
    try {
      const { statusCode, headers, body } = await this.#pool.request({
        path: request.target,
        // Any token is a method; undici's types know the usual ones.
        method: request.method as 'GET',
        headers: {
          authorization: this.#authorization,
          // A range, or a length, must be that of the file.
          'accept-encoding': 'identity',
          'user-agent': 'Stowage',
          ...request.headers,
        },
        body: request.body ?? null,
        headersTimeout: request.isSlow === true ? workMs : lookMs,
        ...(request.signal && { signal: request.signal }),
      })
      if (statusCode === 401) {
        await drain(body)
        this.#refusedUntil = Date.now() + refusalMs
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

  async #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const signals = signal === undefined ? [] : [signal]
    const either = AbortSignal.any([this.#closed.signal, ...signals])
    try {
      await sleep(ms * (0.75 + Math.random() / 4), undefined, { signal: either })
    } catch {
      either.throwIfAborted()
    }
  }
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

/** Ends an answer of which no more is wanted; its connection goes with it. */
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
