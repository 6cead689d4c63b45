import { Agent } from 'node:https'
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { TimeLimitError } from '../../process/time-limit.ts'
import { DriveError } from '../drive.ts'
import { storeError } from './store-errors.ts'

/** For all attempts of a call together, without the bytes of an object. */
const callMs = 60_000
/** For a call that makes the store copy, or takes a whole part. */
export const longCallMs = 10 * 60_000
/** How long a byte may take, in both directions, and the reply to the last one. */
export const stallMs = 60_000
const connectMs = 10_000
/** Connections of a process to the store. Further requests wait. */
const maxSockets = 256
const maxAttempts = 4

export interface StoreOptions {
  readonly endpoint: string
  readonly region?: string | undefined
  /** Absent: as the SDK finds them (environment, shared files, the role of the instance). */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined
  /** `path`: the bucket is in the path; `host`: in the name of the host. */
  readonly addressing: 'path' | 'host'
  /** PEM of the authorities that sign the store's certificate. Absent: those of Node. */
  readonly authorities?: string | undefined
}

interface AnsweredResult {
  readonly response: { readonly headers?: Readonly<Record<string, string>> }
  readonly output: { readonly $metadata: object }
}

/** What every call passes to the SDK. */
export interface CallOptions {
  readonly abortSignal: AbortSignal
}

interface Bounds {
  readonly signal?: AbortSignal | undefined
  /** Infinite: the caller bounds it, because it transfers the bytes of an object. @default a minute */
  readonly limitMs?: number
}

/** The SDK's client, with a bound for the time of each call and errors of this drive. */
export class Store {
  readonly client: S3Client
  #calls = 0
  #requests = 0

  constructor(options: StoreOptions) {
    this.client = new S3Client(configOf(options))
    this.client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args)
        const { response, output } = result as AnsweredResult
        // The store's clock, because the reply to a PUT has no Last-Modified.
        const atMs = Date.parse(response.headers?.date ?? '')
        Object.assign(output.$metadata, { atMs })
        return result
      },
      { step: 'deserialize', name: 'keepDate', priority: 'high' },
    )
    this.client.middlewareStack.add(
      (next) => (args) => {
        this.#requests += 1
        return next(args)
      },
      { step: 'finalizeRequest', name: 'countRequests', priority: 'low' },
    )
  }

  /** Requests that were repeated. */
  get retries(): number {
    return this.#requests - this.#calls
  }

  /**
   * Makes a call of the SDK, with all its attempts within a minute.
   *
   * @throws DriveError; the signal's reason
   */
  async call<Result>(
    work: (options: CallOptions) => Promise<Result>,
    bounds: Bounds = {},
  ): Promise<Result> {
    const { signal, limitMs = callMs } = bounds
    this.#calls += 1
    const late = new AbortController()
    const isBounded = limitMs !== Number.POSITIVE_INFINITY
    const timer = isBounded
      ? setTimeout(() => late.abort(new TimeLimitError(limitMs)), limitMs)
      : undefined
    const abortSignal = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
    try {
      return await work({ abortSignal })
    } catch (error) {
      if (late.signal.aborted) throw noAnswer(limitMs, error)
      throw storeError(error, signal)
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.client.destroy()
  }
}

/** When the store answered, by its own clock; milliseconds since the epoch. */
export function answeredAtMs({ $metadata }: { readonly $metadata: object }): number {
  const { atMs = Number.NaN } = $metadata as { readonly atMs?: number }
  return Number.isNaN(atMs) ? Math.floor(Date.now() / 1000) * 1000 : atMs
}

/** The store has not answered in time. */
export function noAnswer(limitMs: number, cause?: unknown): DriveError {
  const message = `The S3 store has not answered within ${limitMs / 1000} seconds.`
  return new DriveError('unavailable', message, { cause })
}

const ignore = (): void => undefined

function configOf(options: StoreOptions): S3ClientConfig {
  const { endpoint, region, credentials, addressing, authorities } = options
  const sockets = { keepAlive: true, maxSockets }
  return {
    endpoint,
    region: region ?? 'us-east-1',
    ...(credentials !== undefined && { credentials }),
    // The SDK's own writes to the console.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    forcePathStyle: addressing === 'path',
    retryMode: 'adaptive',
    maxAttempts,
    // Many stores do not know the checksums that the SDK sends by itself.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A store that does not know it would delay each request.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectMs,
      // Bytes have bounds of their own: a client may be slow while the store is not.
      socketTimeout: 0,
      httpAgent: sockets,
      httpsAgent: authorities === undefined ? sockets : new Agent({ ...sockets, ca: authorities }),
    },
  }
}
