import { z } from 'zod'
import { DriveError } from '../../drive-error.ts'
import { type RetryPolicy, TransientError } from '../../kit/cloud/retry-policy.ts'
import { type Call, readJson } from './google-calls.ts'
import { type GoogleContext, getFile } from './google-context.ts'
import { type GoogleFile, googleFileSchema } from './google-file.ts'
import type { HttpAnswer } from './google-http.ts'

/** Every chunk but the last is a multiple of this (developers.google.com/workspace/drive/api/guides/manage-uploads). */
const chunkMultiple = 256 * 1024

export interface SessionChunk {
  /** Where the bytes begin: the number of bytes that the session has. */
  readonly offset: number
  /**
   * A multiple of 256 KiB, except at the end of the file. An array is sent without copying, and
   * repeatedly until the session has all of it. A stream is sent once.
   */
  readonly bytes: readonly Uint8Array[] | AsyncIterable<Uint8Array>
  /** May be 0 if Drive has all bytes and the request only ends the session. */
  readonly length: number
  /** The size of the whole file if this is its end; otherwise undefined. */
  readonly total: number | undefined
  readonly signal?: AbortSignal | undefined
}

export type SessionState =
  /** Drive has the first `persisted` bytes and no others. */
  | { readonly kind: 'open'; readonly persisted: number }
  | { readonly kind: 'done'; readonly file: GoogleFile }
  /** Expired (after a week), cancelled or refused: the upload must restart. */
  | { readonly kind: 'gone' }

const doing = 'accept an upload'

/** A cancelled session returns 499. */
const goneStatuses: readonly number[] = [404, 410, 499]
/** A session that rejects even a status query no longer exists. */
const queryStatuses: readonly number[] = [308, 400, ...goneStatuses]

/** Resumable uploads in progress. Session URLs are secrets: no message contains them. */
export class ResumableSessions {
  readonly #context: GoogleContext
  /** The origin that the access token is sent to. */
  readonly #uploadOrigin: string

  constructor(context: GoogleContext) {
    this.#context = context
    this.#uploadOrigin = new URL(context.endpoints.upload).origin
  }

  /**
   * Sends bytes and returns the session's state. Drive may have stored only a part of them, and a
   * response may be lost after all of them were stored.
   *
   * @throws DriveError; the error of the stream; the signal's reason.
   */
  async send(sessionUrl: string, chunk: SessionChunk): Promise<SessionState> {
    assertWhole(chunk)
    return isArray(chunk.bytes)
      ? await this.#sendAll(sessionUrl, { ...chunk, bytes: chunk.bytes })
      : await this.#sendOnce(sessionUrl, { ...chunk, body: chunk.bytes }, this.#retryPolicy(chunk))
  }

  async query(sessionUrl: string, signal?: AbortSignal): Promise<SessionState> {
    const call = {
      ...this.#call(sessionUrl, { doing, signal }),
      // A short call must not wait for uploads.
      limiter: 'calls' as const,
      headers: contentRange('*'),
      expected: queryStatuses,
    }
    return await this.#context.calls.run(call, (answer) => this.#stateOf(answer, signal))
  }

  async cancel(sessionUrl: string, signal?: AbortSignal): Promise<void> {
    const call: Call = {
      ...this.#call(sessionUrl, { doing: 'cancel an upload', signal }),
      method: 'DELETE',
      limiter: 'calls',
      expected: queryStatuses,
    }
    await this.#context.calls.run(call, (answer) => answer.drain())
  }

  /** Sends the rest of the chunk until the session has all of it. */
  async #sendAll(sessionUrl: string, chunk: ArrayChunk): Promise<SessionState> {
    const retryPolicy = this.#retryPolicy(chunk)
    const end = chunk.offset + chunk.length
    let stored = chunk.offset
    for (;;) {
      const skipped = stored - chunk.offset
      const rest = {
        ...chunk,
        offset: stored,
        length: chunk.length - skipped,
        body: piecesFrom(chunk.bytes, skipped),
      }
      const state = await this.#sendOnce(sessionUrl, rest, retryPolicy)
      if (state.kind !== 'open' || state.persisted < chunk.offset) return state
      // An earlier request, believed dead, has delivered more than this chunk.
      if (state.persisted > end) return state
      if (state.persisted >= end && chunk.total === undefined) return state
      if (state.persisted > stored) retryPolicy.renew()
      else await retryPolicy.pause(new TransientError('server', 'it stores none of the bytes sent'))
      stored = Math.min(state.persisted, end)
    }
  }

  /** Sends the bytes once. If that fails, the session is queried instead. */
  async #sendOnce(
    sessionUrl: string,
    bytes: PutBytes,
    retryPolicy: RetryPolicy,
  ): Promise<SessionState> {
    try {
      return await this.#put(sessionUrl, bytes, retryPolicy)
    } catch (error) {
      if (!(error instanceof TransientError)) throw error
      await retryPolicy.pause(error)
      return await this.query(sessionUrl, bytes.signal)
    }
  }

  async #put(
    sessionUrl: string,
    { offset, length, total, body, signal }: PutBytes,
    retryPolicy: RetryPolicy,
  ): Promise<SessionState> {
    const range = length === 0 ? '*' : `${offset}-${offset + length - 1}`
    const answer = await this.#context.calls.once(
      {
        ...this.#call(sessionUrl, { doing, signal }),
        headers: contentRange(range, total),
        ...(length === 0 ? {} : { body: { length, chunks: body } }),
      },
      retryPolicy,
    )
    return await this.#stateOf(answer, signal)
  }

  #retryPolicy({ signal }: Pick<SessionChunk, 'signal'>): RetryPolicy {
    return this.#context.calls.retryPolicy({ doing, signal, isUpload: true })
  }

  #call(sessionUrl: string, { doing, signal }: Pick<Call, 'doing' | 'signal'>): Call {
    return {
      doing,
      method: 'PUT',
      url: sessionUrl,
      cost: 'other',
      limiter: 'uploads',
      // A URL on another host is itself the secret and needs no token.
      isAuthorized: URL.parse(sessionUrl)?.origin === this.#uploadOrigin,
      isSession: true,
      isUpload: true,
      signal,
      expected: [308, ...goneStatuses],
    }
  }

  async #stateOf(answer: HttpAnswer, signal: AbortSignal | undefined): Promise<SessionState> {
    const { status } = answer
    if (status !== 200 && status !== 201) await answer.drain()
    if (status === 308) return { kind: 'open', persisted: persistedBytes(answer.header('range')) }
    if (status >= 400) return { kind: 'gone' }
    return { kind: 'done', file: await this.#fileOf(answer, signal) }
  }

  /** The session's `fields` parameter selects this response; without it the file is looked up. */
  async #fileOf(answer: HttpAnswer, signal: AbortSignal | undefined): Promise<GoogleFile> {
    const { id, file } = await readJson(answer, finishedSchema)
    return file ?? (await getFile(this.#context, id, { signal }))
  }
}

type ArrayChunk = SessionChunk & { readonly bytes: readonly Uint8Array[] }

interface PutBytes extends Omit<SessionChunk, 'bytes'> {
  readonly body: AsyncIterable<Uint8Array>
}

const finishedSchema = z
  .looseObject({ id: z.string().min(1) })
  .transform((answer) => ({ id: answer.id, file: googleFileSchema.safeParse(answer).data }))

/** `Range: bytes=0-N` means that N+1 bytes are stored; without it none are. */
function persistedBytes(range: string | undefined): number {
  if (range === undefined) return 0
  const last = /^bytes=0-(\d{1,15})$/.exec(range.trim())?.[1]
  if (last === undefined) throw new TransientError('server', 'an invalid range')
  return Number(last) + 1
}

function contentRange(range: string, total?: number): Record<string, string> {
  return { 'content-range': `bytes ${range}/${total ?? '*'}` }
}

function isArray(bytes: SessionChunk['bytes']): bytes is readonly Uint8Array[] {
  return Array.isArray(bytes)
}

/** Drive's own message for such a chunk would be unhelpful. */
function assertWhole({ offset, length, total }: SessionChunk): void {
  const isEnd = total !== undefined
  if (isEnd ? offset + length !== total : length === 0 || length % chunkMultiple !== 0) {
    throw new RangeError(
      `a chunk of ${length} bytes at ${offset}: expected a multiple of ${chunkMultiple}, or the end of the file`,
    )
  }
}

/** The URL of a new session. @throws DriveError if the response has none. */
export async function sessionUrlOf(answer: HttpAnswer): Promise<string> {
  const location = answer.header('location')
  await answer.drain()
  if (location === undefined || !URL.canParse(location)) {
    throw new DriveError('unavailable', 'Google Drive started an upload without returning its URL.')
  }
  return location
}

/**
 * The size of the pieces written to the socket. During one write of many MiB, no progress is
 * visible, and a slow connection would look like a dead one.
 */
const pieceBytes = 1024 * 1024

/** The bytes of `chunks` from `start` on, in pieces and without copying. */
export async function* piecesFrom(
  chunks: readonly Uint8Array[],
  start: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let skip = start
  for (const chunk of chunks) {
    for (let at = Math.min(skip, chunk.length); at < chunk.length; at += pieceBytes) {
      yield chunk.subarray(at, at + pieceBytes)
    }
    skip = Math.max(0, skip - chunk.length)
  }
}
