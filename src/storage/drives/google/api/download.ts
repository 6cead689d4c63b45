import { driveErrorOf, type RetryPolicy, TransientError } from '../../kit/cloud/retry-policy.ts'
import type { HttpAnswer } from './google-http.ts'

/** Bytes from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface Download {
  /** The number of bytes in `body`, if Drive reports it. */
  readonly length?: number
  /** The size of the whole file, if Drive reports it. */
  readonly size?: number
  /**
   * The bytes. An interrupted download of a revision is resumed; any other rejects with
   * `unavailable`. Ending the iteration early closes the connection.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** Discards a body that is not read. Idempotent. */
  close(): void
}

/**
 * The download of a response with status 200 or 206. Its body rejects with TransientError if it is
 * interrupted.
 *
 * @throws TransientError if these are not the requested bytes.
 */
export function downloadOf(answer: HttpAnswer, range: ByteRange | undefined): Download {
  const lengths = range === undefined ? wholeLengths(answer) : rangeLengths(answer, range)
  const encoding = answer.header('content-encoding') ?? 'identity'
  if (lengths === undefined || encoding !== 'identity') {
    answer.close()
    throw new TransientError('server', `${answer.status} with bytes that were not requested`)
  }
  return {
    ...lengths,
    body: countedBytes(answer, lengths.length),
    close: () => answer.close(),
  }
}

interface Continuation {
  readonly retryPolicy: RetryPolicy
  /** Opens the rest of the download from an offset; undefined if the bytes may have changed. */
  readonly resume: ((offset: number) => Promise<Download>) | undefined
}

/** A download that resumes after an interruption, if possible. */
export function continuedDownload(first: Download, continuation: Continuation): Download {
  const bytes = new ContinuedBytes(first, continuation)
  return { ...first, body: bytes.read(), close: () => bytes.close() }
}

class ContinuedBytes {
  readonly #continuation: Continuation
  readonly #isContinuable: boolean
  #download: Download
  #isClosed = false

  constructor(first: Download, continuation: Continuation) {
    this.#download = first
    this.#continuation = continuation
    this.#isContinuable = continuation.resume !== undefined && first.length !== undefined
  }

  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    const { retryPolicy } = this.#continuation
    for (let count = 0, before = 0; ; before = count) {
      try {
        for await (const chunk of this.#download.body) {
          count += chunk.length
          yield chunk
        }
        return
      } catch (error) {
        if (count > before) retryPolicy.renew()
        this.#download = await this.#next(error, count)
      }
    }
  }

  close(): void {
    this.#isClosed = true
    this.#download.close()
  }

  async #next(error: unknown, count: number): Promise<Download> {
    const { retryPolicy, resume } = this.#continuation
    if (!(error instanceof TransientError)) throw error
    if (resume === undefined || !this.#isContinuable || this.#isClosed) {
      throw driveErrorOf(error, { ...partial, waitMs: readingAgainMs })
    }
    await retryPolicy.pause(error)
    return await resume(count)
  }
}

const partial = { service: 'Google Drive', doing: 'send the complete file' }
/** Google has just responded, so another read may succeed soon. */
const readingAgainMs = 2000

type Lengths = Pick<Download, 'length' | 'size'>

function wholeLengths(answer: HttpAnswer): Lengths | undefined {
  if (answer.status !== 200) return undefined
  const text = answer.header('content-length')
  if (text === undefined) return {}
  const length = Number(text)
  return { length, size: length }
}

/** Drive cuts a range that extends beyond the end of the file (RFC 9110 section 14.1.2). */
function rangeLengths(answer: HttpAnswer, { start, end }: ByteRange): Lengths | undefined {
  const given = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.header('content-range') ?? '')
  if (answer.status !== 206 || given === null) return undefined
  const [first, last, size] = given.slice(1).map(Number)
  if (first === undefined || last === undefined || size === undefined) return undefined
  const isAsked = first === start && last === Math.min(end, size) - 1
  return isAsked ? { length: last - first + 1, size } : undefined
}

/** The bytes, with a check that a connection that ended early does not look like the end of the file. */
async function* countedBytes(
  answer: HttpAnswer,
  length: number | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0
  for await (const chunk of answer.chunks()) {
    count += chunk.length
    yield chunk
  }
  if (length !== undefined && count !== length) {
    throw new TransientError('network', `${count} bytes of ${length}`)
  }
}
