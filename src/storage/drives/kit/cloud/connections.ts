import type { Dispatcher } from 'undici'
import { DriveError } from '../../drive-error.ts'
import { type Reader, ReadLimiter } from './read-limiter.ts'

/** Uploads and downloads of slow clients take long; short calls do not wait for them. */
export type LimiterName = 'calls' | 'uploads' | 'downloads'

export interface ConnectionsOptions {
  /** For people, such as `Google Drive`. */
  readonly service: string
  /** Concurrent requests, each with a separate connection. */
  readonly sizes: Readonly<Record<LimiterName, number>>
  /** How long a request waits for a connection. */
  readonly waitMs: number
  readonly open: (connections: number, name: LimiterName) => Dispatcher
}

/** A reserved connection: used for one request, or released with `leave`. */
export interface Connection {
  /** Rejects with undici's error. The connection is released when the response's body has ended. */
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
  leave(): void
}

interface Pool {
  readonly limiter: ReadLimiter
  readonly dispatcher: Dispatcher
}

/** The connections of one process to one service, in limiters that do not wait for each other. */
export class Connections {
  readonly #options: ConnectionsOptions
  readonly #pools: Readonly<Record<LimiterName, Pool>>

  constructor(options: ConnectionsOptions) {
    const { sizes, open } = options
    const pool = (name: LimiterName): Pool => ({
      limiter: new ReadLimiter(sizes[name]),
      dispatcher: open(sizes[name], name),
    })
    this.#options = options
    this.#pools = { calls: pool('calls'), uploads: pool('uploads'), downloads: pool('downloads') }
  }

  /**
   * @param reader the client that reads the response's body, if that may take long
   * @throws DriveError `busy` if no connection becomes free in time; the signal's reason
   */
  async enter(
    name: LimiterName,
    signal: AbortSignal | undefined,
    reader?: Reader,
  ): Promise<Connection> {
    signal?.throwIfAborted()
    const { limiter, dispatcher } = this.#pools[name]
    const leave = limiter.enterNow(reader) ?? (await this.#wait(limiter, signal, reader))
    return {
      leave,
      async request(options) {
        try {
          const response = await dispatcher.request(options)
          // Prevents an uncaught error when nothing reads the body any more.
          response.body.on('error', () => undefined).on('close', leave)
          return response
        } catch (error) {
          leave()
          throw error
        }
      },
    }
  }

  /** Requests that wait for a connection. */
  get waiting(): Readonly<Record<LimiterName, number>> {
    const { calls, uploads, downloads } = this.#pools
    return {
      calls: calls.limiter.waiting,
      uploads: uploads.limiter.waiting,
      downloads: downloads.limiter.waiting,
    }
  }

  /** Aborts requests in progress. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map(({ dispatcher }) => dispatcher.destroy()))
  }

  async #wait(
    limiter: ReadLimiter,
    signal: AbortSignal | undefined,
    reader: Reader | undefined,
  ): Promise<() => void> {
    const { service, waitMs } = this.#options
    const limit = AbortSignal.timeout(waitMs)
    const either = signal === undefined ? limit : AbortSignal.any([signal, limit])
    try {
      return await limiter.enter(either, reader)
    } catch (cause) {
      signal?.throwIfAborted()
      const message = `Too many concurrent requests to ${service}. Try again.`
      throw new DriveError('busy', message, { cause, retryAfterSeconds: Math.ceil(waitMs / 1000) })
    }
  }
}
