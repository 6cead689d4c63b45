import type { Readable } from 'node:stream'
import { ApiError } from '../../platform/json-api/api-error.ts'
import {
  type CallClient,
  NoAnswerError,
  type UpstreamCall,
  type UpstreamReply,
} from '../upstream/call-client.ts'
import { type StreamStart, StreamStartReader } from './event-stream.ts'
import { type AnswerHeaders, type Failure, failureOfAnswer } from './failures.ts'

/** An answer whose beginning has arrived: it can be sent to the client. */
export interface BegunAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly isStream: boolean
  /** What has arrived of the body. */
  readonly held: Buffer[]
  /** What follows. */
  readonly body: AsyncIterator<Buffer>
  /** Frees the connection. */
  end(): void
}

/** An error of an upstream, complete. */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Buffer
}

export type Attempt =
  | { readonly begun: BegunAnswer }
  | { readonly failure: Failure; readonly answer: ErrorAnswer | undefined }

export interface AttemptOptions {
  readonly client: Pick<CallClient, 'send'>
  readonly firstByteMs: number
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Whether the call can be sent again. */
  readonly isRepeatable: boolean
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
}

/** The maximum bytes of an error that are forwarded. */
const maxErrorBytes = 1024 * 1024
/** A call on a connection that was closed while idle fails within this time. That says nothing about the upstream. */
const staleMs = 1_000

const closed: Failure = {
  ...{ scope: 'moment', status: 502 },
  reason: 'The upstream closed the connection.',
}

const noAnswer = {
  unreachable: { scope: 'connection', status: 502, reason: 'The upstream cannot be reached.' },
  'connect-timeout': {
    scope: 'moment',
    status: 504,
    reason: 'The upstream does not accept connections.',
  },
  closed,
  stale: closed,
} as const satisfies Record<NoAnswerError['kind'], Failure>

const late: Failure = {
  ...{ scope: 'moment', status: 504 },
  reason: 'The upstream did not begin its answer in time.',
}
const empty: Failure = {
  scope: 'moment',
  status: 502,
  reason: 'The answer of the upstream is empty.',
}
const brokenOff: Failure = {
  ...{ scope: 'moment', status: 502 },
  reason: 'The answer of the upstream broke off at its beginning.',
}

/**
 * Sends a call once and waits for the beginning of the answer: the first byte, or the first event of a stream.
 *
 * @throws the signal's reason; ApiError of the client's body
 */
export async function attempt(
  call: Omit<UpstreamCall, 'signal'>,
  options: AttemptOptions,
): Promise<Attempt> {
  const { signal, firstByteMs } = options
  const stop = new AbortController()
  const leave = () => stop.abort(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', leave, { once: true })
  const timer = setTimeout(() => stop.abort(late), firstByteMs)
  const end = () => {
    signal.removeEventListener('abort', leave)
    stop.abort()
  }
  try {
    const reply = await send({ ...call, signal: stop.signal }, options, timer)
    const made = await begin(reply, options.now(), end)
    if ('failure' in made) end()
    return made
  } catch (error) {
    end()
    signal.throwIfAborted()
    if (stop.signal.reason === late) return { failure: late, answer: undefined }
    // The client's body failed, not the upstream.
    if (error instanceof ApiError) throw error
    if (error instanceof NoAnswerError) return { failure: noAnswer[error.kind], answer: undefined }
    return { failure: brokenOff, answer: undefined }
  } finally {
    clearTimeout(timer)
  }
}

async function send(
  call: UpstreamCall,
  { client, isRepeatable }: AttemptOptions,
  timer: NodeJS.Timeout,
): Promise<UpstreamReply> {
  const startedAtMs = performance.now()
  // undici keeps the body until the answer ends, so it must not be the generator, which could hold bytes.
  const body = { [Symbol.asyncIterator]: () => timed(call.body, timer) }
  const sendOnce = () => client.send({ ...call, body })
  try {
    return await sendOnce()
  } catch (error) {
    const isStale = error instanceof NoAnswerError && error.kind === 'stale'
    const isQuick = performance.now() - startedAtMs < staleMs
    if (!isRepeatable || !isStale || !isQuick) throw error
    return await sendOnce()
  }
}

/** Restarts the time limit of the answer with each piece of the body that the upstream accepts. */
async function* timed(body: AsyncIterable<Buffer>, timer: NodeJS.Timeout): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    yield piece
    timer.refresh()
  }
}

async function begin(reply: UpstreamReply, nowMs: number, end: () => void): Promise<Attempt> {
  const { status, headers, body } = reply
  if (status < 200 || status > 299) {
    const text = await beginningOf(body)
    const failure = failureOfAnswer(status, headers, text.toString(), nowMs)
    return { failure: failure ?? brokenOff, answer: { status, headers, body: text } }
  }
  const isPlain = headers['content-encoding'] === undefined
  const isStream = isPlain && /^text\/event-stream/i.test(String(headers['content-type'] ?? ''))
  const iterator: AsyncIterator<Buffer> = body[Symbol.asyncIterator]()
  const reader = new StreamStartReader()
  let start: StreamStart = 'waiting'
  while (start === 'waiting') {
    const next = await iterator.next()
    if (next.done === true) return { failure: empty, answer: undefined }
    const begun = reader.take(next.value)
    start = isStream ? begun : 'begun'
  }
  if (start === 'begun') {
    return { begun: { status, headers, isStream, held: reader.held, body: iterator, end } }
  }
  const { failure, data } = start
  return { failure, answer: data === '' ? undefined : errorOf(failure, data) }
}

/** The error that a stream began with, as the HTTP error that the client gets. */
function errorOf({ status }: Failure, data: string): ErrorAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(data) }
}

async function beginningOf(body: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    pieces.push(piece)
    size += piece.length
    if (size >= maxErrorBytes) break
  }
  return Buffer.concat(pieces).subarray(0, maxErrorBytes)
}
