import { DriveError } from '../../drive.ts'
import type { HttpAnswer } from './http-answer.ts'
import { driveErrorOf, Trouble } from './trouble.ts'

/** Bytes from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface Download {
  readonly status: 200 | 206
  /** Bytes that will come; absent where Drive does not say. */
  readonly length?: number
  /** Bytes of the whole file; absent where Drive does not say. */
  readonly size?: number
  /**
   * The bytes. Rejects with `unavailable` when they break off. Ending the iteration early closes
   * the connection.
   */
  readonly body: AsyncIterable<Uint8Array>
  /** Drops a body that is not read. Idempotent. */
  close(): void
}

const readingAgain = 2000

/**
 * The download that an answer with status 200 or 206 begins.
 *
 * @throws Trouble when it is not what was asked for.
 */
export function downloadOf(
  answer: HttpAnswer,
  range: ByteRange | undefined,
  signal: AbortSignal | undefined,
): Download {
  const facts = range === undefined ? wholeFacts(answer) : rangeFacts(answer, range)
  const encoding = answer.header('content-encoding') ?? 'identity'
  if (facts === undefined || encoding !== 'identity') {
    answer.close()
    throw new Trouble('server', `${answer.status} with bytes that were not asked for`)
  }
  return {
    status: answer.status === 206 ? 206 : 200,
    ...facts,
    body: countedBytes(answer, facts.length, signal),
    close: () => answer.close(),
  }
}

type Facts = Pick<Download, 'length' | 'size'>

function wholeFacts(answer: HttpAnswer): Facts | undefined {
  if (answer.status !== 200) return undefined
  const text = answer.header('content-length')
  if (text === undefined) return {}
  const length = Number(text)
  return { length, size: length }
}

/** Drive cuts a range that goes beyond the end, as RFC 9110 section 14.1.2 says. */
function rangeFacts(answer: HttpAnswer, { start, end }: ByteRange): Facts | undefined {
  const given = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.header('content-range') ?? '')
  if (answer.status !== 206 || given === null) return undefined
  const [first, last, size] = given.slice(1).map(Number)
  if (first === undefined || last === undefined || size === undefined) return undefined
  const isAsked = first === start && last === Math.min(end, size) - 1
  return isAsked ? { length: last - first + 1, size } : undefined
}

/** A connection that ends early, at whatever layer, must not look like the end of the file. */
async function* countedBytes(
  answer: HttpAnswer,
  length: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  let count = 0
  try {
    for await (const chunk of answer.chunks()) {
      count += chunk.length
      yield chunk
    }
  } catch (error) {
    throw error instanceof Trouble ? driveErrorOf(error, 'send a whole file', readingAgain) : error
  }
  signal?.throwIfAborted()
  if (length !== undefined && count !== length) {
    throw new DriveError('unavailable', `Google Drive sent ${count} bytes of ${length}. Try again.`)
  }
}
