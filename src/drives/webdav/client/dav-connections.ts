import { type Dispatcher, Pool } from 'undici'
import { type Reader, ReadLimiter } from '../../cloud/read-limiter.ts'
import { DriveError } from '../../drive.ts'

/** Uploads and downloads last as long as clients are slow; other calls do not wait for them. */
export type LimiterName = 'calls' | 'uploads' | 'downloads'

/** To one server, of one process; opened when they are needed. */
const sizes: Readonly<Record<LimiterName, number>> = { calls: 24, uploads: 24, downloads: 48 }
const connectMs = 10_000
/** Between two pieces of a body. */
const bodyMs = 60_000

/** A place among the connections, to be given back by a request that is sent or by `leave`. */
export interface Place {
  /** Rejects with undici's error. The place is given back when the answer's body has ended. */
  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData>
  leave(): void
}

/** The connections to one server, in limiters that do not wait for each other. */
export class DavConnections {
  readonly #connectionWaitMs: number
  readonly #limiters: Readonly<
    Record<LimiterName, { readonly limiter: ReadLimiter; readonly pool: Pool }>
  >

  /** @param connectionWaitMs how long a request waits for a connection */
  constructor(origin: string, connectionWaitMs: number) {
    this.#connectionWaitMs = connectionWaitMs
    const opened = (name: LimiterName) => ({
      limiter: new ReadLimiter(sizes[name]),
      pool: new Pool(origin, {
        connections: sizes[name],
        connect: { timeout: connectMs },
        bodyTimeout: bodyMs,
        maxHeaderSize: 64 * 1024,
      }),
    })
    this.#limiters = {
      calls: opened('calls'),
      uploads: opened('uploads'),
      downloads: opened('downloads'),
    }
  }

  /** @throws DriveError `busy` when no slot is free for too long; the signal's reason */
  async enter(name: LimiterName, signal: () => AbortSignal, reader?: Reader): Promise<Place> {
    const { limiter, pool } = this.#limiters[name]
    const leave = limiter.enterNow(reader) ?? (await this.#wait(limiter, signal(), reader))
    return {
      leave,
      async request(options) {
        try {
          const response = await pool.request(options)
          // Errors after the last reader left have no one to report to.
          response.body.on('error', () => undefined).on('close', leave)
          return response
        } catch (error) {
          leave()
          throw error
        }
      },
    }
  }

  /** Aborts requests in progress. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#limiters).map(({ pool }) => pool.destroy()))
  }

  async #wait(
    limiter: ReadLimiter,
    signal: AbortSignal,
    reader: Reader | undefined,
  ): Promise<() => void> {
    const limit = AbortSignal.timeout(this.#connectionWaitMs)
    try {
      return await limiter.enter(AbortSignal.any([signal, limit]), reader)
    } catch (cause) {
      signal.throwIfAborted()
      const message = 'Too many concurrent requests to the WebDAV server. Try again.'
      const retryAfterSeconds = Math.ceil(this.#connectionWaitMs / 1000)
      throw new DriveError('busy', message, { cause, retryAfterSeconds })
    }
  }
}
