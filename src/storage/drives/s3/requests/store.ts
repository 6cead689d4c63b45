import http from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import {
  type $Command,
  S3Client,
  type S3ClientConfig,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3'
import type { ChecksumAlgorithm } from '../../../../platform/checksums/checksum.ts'
import { freeMemory } from '../../../../platform/process/buffers.ts'
import { untilAborted, withDeadline } from '../../../../platform/process/time-limit.ts'
import { DriveError } from '../../drive-error.ts'
import { noCredentials, storeError } from './store-errors.ts'
import { trailerHeaders } from './trailer.ts'

/** For all attempts of a call together, not counting the bytes of an object. */
export const callMs = 60_000
/** For a call that makes the store copy, or that sends a whole part. */
export const longCallMs = 10 * 60_000
/** The maximum time without progress, in both directions. */
export const stallMs = 60_000
const connectMs = 10_000
/** For the search for credentials, including the SDK's own retries. */
const credentialsMs = 30_000
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
  /** PEM of the certificate authorities for the store. Absent: those of Node. */
  readonly authorities?: string | undefined
}

interface AnsweredResult {
  readonly response: {
    readonly headers?: Readonly<Record<string, string>>
    readonly areMarkers?: readonly boolean[]
  }
  readonly output: { readonly $metadata: object }
}

interface BuiltRequest {
  readonly request: { readonly headers: Record<string, string> }
  readonly input: { readonly expiresText?: string } & TrailerInput
}

interface TrailerInput {
  readonly trailer?: ChecksumAlgorithm
}

/** Added to a command whose body has a trailer. The SDK's own trailers would copy the body. */
export function withTrailer(trailer: ChecksumAlgorithm | undefined): TrailerInput {
  return trailer === undefined ? {} : { trailer }
}

/** Commands whose replies contain the object's checksum. */
const reads: ReadonlySet<string> = new Set(['GetObjectCommand', 'HeadObjectCommand'])

interface Bounds {
  readonly signal?: AbortSignal | undefined
  /** Ends the request, also while its body is read after the call. */
  readonly ending?: AbortController
  /** Infinite: the caller limits the transfer of the bytes. @default a minute */
  readonly limitMs?: number
}

/**
 * The SDK's client, with a time limit for each call and with DriveErrors. kit/cloud's retries and limiters are not used: the SDK
 * retries by itself, and a store serves as many requests as clients have connections, unlike an account or a small server.
 */
export class Store {
  readonly #client: S3Client
  #calls = 0
  #requests = 0

  constructor(options: StoreOptions) {
    this.#client = new S3Client(configOf(options))
    const { middlewareStack } = this.#client
    middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args)
        const { response, output } = result as AnsweredResult
        // The store's clock, because the reply to a PUT has no Last-Modified.
        const atMs = Date.parse(response.headers?.date ?? '')
        Object.assign(output.$metadata, { atMs, areMarkers: response.areMarkers })
        return result
      },
      { step: 'deserialize', name: 'keepDate', priority: 'high' },
    )
    middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const result = await next(args)
          if (commandName === listsVersions) await keepOrder(result.response as VersionsReply)
          return result
        },
      { step: 'deserialize', name: 'keepOrder', priority: 'low' },
    )
    middlewareStack.add(
      (next) => (args) => {
        this.#requests += 1
        return next(args)
      },
      { step: 'finalizeRequest', name: 'countRequests', priority: 'low' },
    )
    middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          const { request, input } = args as BuiltRequest
          // In the SDK, Expires is a date; S3 stores any text.
          if (input.expiresText !== undefined) request.headers.expires = input.expiresText
          if (input.trailer !== undefined) {
            const { 'content-length': size } = request.headers
            Object.assign(request.headers, trailerHeaders(input.trailer, size))
          }
          // With its own parameter, the SDK would also compute the checksum here.
          if (reads.has(commandName)) request.headers['x-amz-checksum-mode'] = 'ENABLED'
          return next(args)
        },
      { step: 'build', name: 'moreHeaders' },
    )
  }

  /** How many requests were repeated. */
  get retries(): number {
    return this.#requests - this.#calls
  }

  /**
   * Sends a request, with all its attempts within a minute.
   *
   * @throws DriveError; the signal's reason
   */
  async send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    command: $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>,
    { signal, ending = new AbortController(), limitMs = callMs }: Bounds = {},
  ): Promise<Output> {
    this.#calls += 1
    const stop = () => ending.abort(signal?.reason)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop)
    const isBounded = limitMs !== Number.POSITIVE_INFINITY
    const late = () => ending.abort(noAnswer(limitMs))
    const timer = isBounded ? setTimeout(late, limitMs) : undefined
    try {
      return await this.#client.send(command, { abortSignal: ending.signal })
    } catch (error) {
      ending.signal.throwIfAborted()
      throw storeError(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  close(): void {
    this.#client.destroy()
  }
}

const listsVersions = 'ListObjectVersionsCommand'

interface VersionsReply {
  readonly statusCode: number
  body: AsyncIterable<Uint8Array> | Uint8Array
  areMarkers?: readonly boolean[]
}

/** The SDK makes two lists of versions and delete markers: their order among each other would be lost. */
async function keepOrder(reply: VersionsReply): Promise<void> {
  if (reply.statusCode !== 200) return
  const chunks = await Array.fromAsync(reply.body as AsyncIterable<Uint8Array>)
  reply.body = Buffer.concat(chunks)
  const tags = String(reply.body).matchAll(/<(Version|DeleteMarker)[\s>]/g)
  reply.areMarkers = Array.from(tags, ([, tag]) => tag === 'DeleteMarker')
}

/** Whether each version in a reply to ListObjectVersions is a delete marker, in the order of the reply. */
export function markersIn({ $metadata }: { readonly $metadata: object }): readonly boolean[] {
  return ($metadata as { readonly areMarkers?: readonly boolean[] }).areMarkers ?? []
}

/** When the store answered, by the store's clock; milliseconds since the epoch. */
export function answeredAtMs({ $metadata }: { readonly $metadata: object }): number {
  const { atMs = Number.NaN } = $metadata as { readonly atMs?: number }
  return Number.isNaN(atMs) ? Math.floor(Date.now() / 1000) * 1000 : atMs
}

/** Whole seconds, as HTTP has them: some stores list fractions. */
export function secondOf(time: Date | undefined): number {
  return Math.floor((time?.getTime() ?? 0) / 1000) * 1000
}

/** An ETag without its quotes. */
export function bareEtag(etag = ''): string {
  return etag.replace(/^(?:W\/)?"(.*)"$/, '$1')
}

/** The error if the store does not answer in time. */
export function noAnswer(limitMs: number): DriveError {
  const message = `The S3 store has not answered within ${limitMs / 1000} seconds.`
  return new DriveError('unavailable', message)
}

const ignore = (): void => undefined
// The SDK's logger writes to the console. Without `info`, it does not copy each input and output.
const logger = { debug: ignore, warn: ignore, error: ignore } as unknown as NonNullable<
  S3ClientConfig['logger']
>

/**
 * The credentials that the SDK finds, renewed before they expire. The SDK's search has no time limit and cannot be
 * restarted, so a new search replaces one that failed.
 */
function foundCredentials(region: string): S3ClientResolvedConfig['credentials'] {
  const newSearch = () => new S3Client({ region, logger }).config.credentials
  const late = () => new Error(`no answer within ${credentialsMs / 1000} seconds`)
  let search = newSearch()
  return async () => {
    const mine = search
    try {
      return await withDeadline(credentialsMs, late, (signal) => untilAborted(mine(), signal))
    } catch (error) {
      // Only the first request that waited for it starts another one.
      if (search === mine) search = newSearch()
      throw noCredentials(error as Error)
    }
  }
}

function configOf(options: StoreOptions): S3ClientConfig {
  const { endpoint, region = 'us-east-1', addressing, authorities } = options
  // A request must not wait for slow readers. The number of client connections bounds how many slow readers there can be.
  const sockets = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY }
  return {
    endpoint,
    region,
    credentials: options.credentials ?? foundCredentials(region),
    logger,
    forcePathStyle: addressing === 'path',
    retryMode: 'standard',
    maxAttempts,
    // Many stores do not have the checksums that the SDK sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A store that ignores it would delay each request.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectMs,
      // Transfers have their own time limits, because a client may be slow.
      socketTimeout: 0,
      httpAgent: new StoreAgent(sockets),
      httpsAgent: new SecureStoreAgent({ ...sockets, ...(authorities && { ca: authorities }) }),
    },
  }
}

type SocketArguments = Parameters<http.Agent['createConnection']>

/** Sockets of `http:`. */
export class StoreAgent extends http.Agent {
  override createConnection(
    ...options: SocketArguments
  ): ReturnType<http.Agent['createConnection']> {
    return freeingReads(super.createConnection(...options))
  }
}

/** Sockets of `https:`. */
export class SecureStoreAgent extends https.Agent {
  override createConnection(
    ...options: SocketArguments
  ): ReturnType<http.Agent['createConnection']> {
    return freeingReads(super.createConnection(...options))
  }
}

/**
 * Frees what a socket read, which the parser of node:http has copied when the listeners return. Otherwise V8 collects
 * garbage about every 50 MiB, which took half of the CPU time of a large GET.
 */
function freeingReads<Socket extends Duplex | null | undefined>(socket: Socket): Socket {
  socket?.on('data', (bytes: Buffer) => queueMicrotask(() => freeMemory(bytes)))
  return socket
}
