import { ApiError } from '../../platform/json-api/api-error.ts'
import { parsedJson } from '../../platform/text/json-text.ts'
import {
  type CallClient,
  CallStop,
  NoAnswerError,
  type UpstreamCall,
  type UpstreamReply,
} from '../upstream/call-client.ts'
import type { AnswerHeaders } from './failures/asked-wait.ts'
import {
  type Failure,
  failureOfAnswer,
  failureOfEvent,
  failureWithout,
} from './failures/failures.ts'
import type { Tokens } from './reported-usage.ts'
import { empty, isErrorBody, type StreamStart, StreamStartReader } from './stream-start.ts'
import type { TranslatedAnswer } from './translated-stream.ts'

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
  /** If the upstream speaks another API than the client. */
  readonly translated?: TranslatedAnswer
}

/** An error of an upstream, complete. */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: Buffer
}

export type Attempt =
  | { readonly begun: BegunAnswer }
  | {
      readonly failure: Failure
      readonly answer: ErrorAnswer | undefined
      /** What the upstream bills although the answer is of no use. */
      readonly tokens?: Tokens | undefined
    }

export interface AttemptOptions {
  readonly client: Pick<CallClient, 'send'>
  readonly firstByteMs: number
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Whether the call can be sent again. */
  readonly isRepeatable: boolean
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  /** How long the beginning of an answer is held because it may turn out to be an error. */
  readonly patienceMs: number
}

/** The maximum bytes of an error that are forwarded. */
const maxErrorBytes = 1024 * 1024
/** A call on a connection that was closed while idle fails within this time. That says nothing about the upstream. */
const staleMs = 1_000

const closed = failureWithout('failed', 502, 'The upstream closed the connection.')

const noAnswer: Readonly<Record<NoAnswerError['kind'], Failure>> = {
  unreachable: failureWithout('unreachable', 502, 'The upstream cannot be reached.'),
  'connect-timeout': failureWithout('stalled', 504, 'The upstream does not accept connections.'),
  closed,
  stale: closed,
}

const late = failureWithout('late', 504, 'The upstream did not begin its answer in time.')
const page = failureWithout('failed', 502, 'The upstream answered with a page instead of JSON.')
const brokenOff = failureWithout(
  'failed',
  502,
  'The answer of the upstream broke off at its beginning.',
)

/** Built once, because their stacks take time. */
const over = new Error('the call is over')
const tooLate = new Error('the time limit of the call is over')

/**
 * Sends a call once and waits for the beginning of the answer: the first byte, or the first event of a stream.
 *
 * @throws the signal's reason; ApiError of the client's body
 */
export async function attempt(
  call: Omit<UpstreamCall, 'stop'>,
  options: AttemptOptions,
): Promise<Attempt> {
  const { signal, firstByteMs } = options
  const stop = new CallStop()
  const leave = () => stop.stop(signal.reason)
  signal.throwIfAborted()
  signal.addEventListener('abort', leave, { once: true })
  const timer = setTimeout(() => stop.stop(tooLate), firstByteMs)
  const end = () => {
    signal.removeEventListener('abort', leave)
    stop.stop(over)
  }
  try {
    const reply = await send({ ...call, stop }, options, timer)
    const made = await begin(reply, options, end)
    if ('failure' in made) end()
    return made
  } catch (error) {
    end()
    signal.throwIfAborted()
    if (stop.reason === tooLate) return { failure: late, answer: undefined }
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
  const { body: sent } = call
  const body =
    sent === undefined || Buffer.isBuffer(sent)
      ? sent
      : { [Symbol.asyncIterator]: () => timed(sent, timer) }
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

async function begin(
  { status, headers, body }: UpstreamReply,
  { now, patienceMs }: AttemptOptions,
  end: () => void,
): Promise<Attempt> {
  if (status < 200 || status > 299) {
    const text = await beginningOf(body)
    const failure = failureOfAnswer(status, headers, text.toString(), now())
    return { failure: failure ?? brokenOff, answer: { status, headers, body: text } }
  }
  const isPlain = headers['content-encoding'] === undefined
  const type = isPlain ? String(headers['content-type'] ?? '') : ''
  // A login page of a network, or a web server in front of the upstream.
  if (/^text\/html/i.test(type)) return { failure: page, answer: undefined }
  const isStream = /^text\/event-stream/i.test(type)
  const { start, held, rest } = isStream
    ? await beginStream(body, now)
    : await beginBody(body, { now, patienceMs, isJson: /json/i.test(type) })
  if (start === 'begun') return { begun: { status, headers, isStream, held, body: rest, end } }
  const { failure, data } = start
  return { failure, answer: data === '' ? undefined : errorOf(failure, data) }
}

interface Beginning {
  readonly start: Exclude<StreamStart, 'waiting'>
  readonly held: Buffer[]
  readonly rest: AsyncIterator<Buffer>
}

async function beginStream(rest: AsyncIterator<Buffer>, now: () => number): Promise<Beginning> {
  const reader = new StreamStartReader(now)
  let start: StreamStart = 'waiting'
  while (start === 'waiting') {
    const next = await rest.next()
    start = next.done === true ? reader.end() : reader.take(next.value)
  }
  return { start, held: reader.held, rest }
}

/** More of a JSON answer is not held: errors are short. */
const maxJsonHeld = 64 * 1024

/** JSON is held to its end, if it is short: it may be an error with status 200, as OpenRouter sends them. */
async function beginBody(
  iterator: AsyncIterator<Buffer>,
  { now, patienceMs, isJson }: Pick<AttemptOptions, 'now' | 'patienceMs'> & { isJson: boolean },
): Promise<Beginning> {
  const first = await iterator.next()
  if (first.done === true) {
    return { start: { failure: empty, data: '' }, held: [], rest: iterator }
  }
  const held = [first.value]
  const begun = { start: 'begun', held, rest: iterator } as const
  if (!isJson) return begun
  // DeepSeek sends empty lines while a request waits, so that nobody in between ends the connection.
  const patience = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => patience.resolve(undefined), patienceMs)
  try {
    for (let size = first.value.length; size <= maxJsonHeld; ) {
      const pending = iterator.next()
      const next = await Promise.race([pending, patience.promise])
      if (next === undefined) return { ...begun, rest: resumed(pending, iterator) }
      if (next.done === true) return { ...begun, start: startOfJson(Buffer.concat(held), now()) }
      held.push(next.value)
      size += next.value.length
    }
    return begun
  } finally {
    clearTimeout(timer)
  }
}

/** Names that an error with status 200 has one of. */
const errorNames = ['"error"', '"detail"'] as const

function startOfJson(bytes: Buffer, nowMs: number): Beginning['start'] {
  if (!errorNames.some((name) => bytes.includes(name))) return 'begun'
  const data = bytes.toString()
  const body = parsedJson(data)
  return isErrorBody(body) ? { failure: failureOfEvent(body, nowMs), data } : 'begun'
}

/** The rest of an answer whose next piece is already asked for. */
function resumed(
  pending: Promise<IteratorResult<Buffer>>,
  iterator: AsyncIterator<Buffer>,
): AsyncIterator<Buffer> {
  // Its reader comes later.
  pending.catch(() => undefined)
  const first = [pending]
  return { next: () => first.pop() ?? iterator.next() }
}

/** The error that an answer began with, as the HTTP error that the client gets. */
function errorOf({ status }: Failure, data: string): ErrorAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(data) }
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body) {
    pieces.push(piece)
    size += piece.length
    if (size >= maxErrorBytes) break
  }
  return Buffer.concat(pieces).subarray(0, maxErrorBytes)
}
