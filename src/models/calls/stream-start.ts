import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import { EventStreamReader, type ServerSentEvent } from './event-stream.ts'
import { type Failure, failureOfEvent, failureWithout } from './failures/failures.ts'

/** The maximum number of bytes before the first content. A longer beginning counts as one. */
const maxHeldBytes = 64 * 1024

/** How an answer begins, as far as it is known. */
export type StreamStart =
  | 'waiting'
  | 'begun'
  | {
      readonly failure: Failure
      /** JSON in the form of an error's body, which reports it; empty: there is none. */
      readonly data: string
    }

/**
 * Waits for the first content of a stream. Until then nothing has gone to the client, and an event that reports an error
 * is a failure of the attempt.
 */
export class StreamStartReader {
  readonly #events = new EventStreamReader()
  readonly #now: () => number
  #bytes = 0
  /** What has arrived so far. */
  readonly held: Buffer[] = []

  /** @param now wall clock, milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  take(bytes: Buffer): StreamStart {
    this.held.push(bytes)
    this.#bytes += bytes.length
    for (const event of this.#events.take(bytes)) {
      const start = this.#startOf(event)
      if (start !== 'waiting') return start
    }
    return this.#bytes > maxHeldBytes ? 'begun' : 'waiting'
  }

  /** How an answer begins that has ended. */
  end(): Exclude<StreamStart, 'waiting'> {
    const last = this.#events.end()
    const start = last === undefined ? 'waiting' : this.#startOf(last)
    if (start !== 'waiting') return start
    // Some servers send their errors, or answers without streaming, under text/event-stream.
    const text = Buffer.concat(this.held).toString()
    const body = parsedJson(text)
    if (isErrorBody(body)) return { failure: failureOfEvent(body, this.#now()), data: text }
    if (typeof body === 'object' && body !== null) return 'begun'
    return { failure: last === undefined && this.#bytes === 0 ? empty : ended, data: '' }
  }

  #startOf({ name, data: bytes }: ServerSentEvent): StreamStart {
    const data = bytes.toString()
    if (data === '[DONE]') return { failure: ended, data: '' }
    const event = parsedJson(data)
    if (name === 'error' || isErrorEvent(event)) {
      return { failure: failureOfEvent(event, this.#now()), data: bodyOfError(event) }
    }
    return hasContent(event) ? 'begun' : 'waiting'
  }
}

export const empty = failureWithout('failed', 502, 'The answer of the upstream is empty.')
const ended = failureWithout('failed', 502, 'The upstream ended its stream before any content.')

const endsWithError: ReadonlySet<unknown> = new Set(['error', 'response.failed'])

/** Whether an event of a stream reports an error. */
export function isErrorEvent(event: unknown): boolean {
  const error = fieldOf(event, 'error')
  return (
    (error !== undefined && error !== null && error !== '') ||
    endsWithError.has(fieldOf(event, 'type')) ||
    isErrorBody(event)
  )
}

/** An event that reports an error, as the body of an HTTP error. */
function bodyOfError(event: unknown): string {
  if (typeof event !== 'object' || event === null) return ''
  const failed = fieldOf(fieldOf(event, 'response'), 'error')
  const isBare = fieldOf(event, 'type') === 'error' && fieldOf(event, 'error') === undefined
  return JSON.stringify(failed === undefined && !isBare ? event : { error: failed ?? event })
}

const results = ['choices', 'output', 'content', 'data', 'text'] as const

/** Whether a body with status 200 is an error: it has the form of one, and no result. */
export function isErrorBody(body: unknown): boolean {
  const outer: unknown = Array.isArray(body) ? body[0] : body
  const hasResult = results.some((name) => {
    const { length = 0 } = (fieldOf(outer, name) ?? {}) as { length?: unknown }
    return length !== 0
  })
  // A stored answer of OpenAI's Responses says with status 200 how it failed.
  if (hasResult || fieldOf(outer, 'object') === 'response') return false
  const error = fieldOf(outer, 'error')
  if (error !== undefined && error !== null && error !== '') return true
  if (fieldOf(outer, 'object') === 'error' || fieldOf(outer, 'type') === 'error') return true
  // FastAPI, before vLLM sees the request.
  return fieldOf(outer, 'detail') !== undefined && Object.keys(outer as object).length === 1
}

/** Events that only announce an answer (OpenAI's Responses, Anthropic's Messages). */
const announcements: ReadonlySet<unknown> = new Set([
  ...['response.created', 'response.queued', 'response.in_progress'],
  ...['message_start', 'ping'],
])

/** Whether an event is more than an announcement. Events that are not known are. */
function hasContent(event: unknown): boolean {
  const type = fieldOf(event, 'type')
  if (announcements.has(type)) return false
  if (type === 'content_block_start') return isFilled(fieldOf(event, 'content_block'))
  const choices = fieldOf(event, 'choices')
  if (!Array.isArray(choices)) return true
  return choices.some((choice) => {
    const isFinished = (fieldOf(choice, 'finish_reason') ?? null) !== null
    return isFinished || isFilled(fieldOf(choice, 'delta')) || isFilled(choice)
  })
}

const namesOfForm: ReadonlySet<string> = new Set(['role', 'type', 'index', 'id', 'delta'])

/** Whether a part of an answer has a text, or a tool, and not only its form. */
function isFilled(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  if (fieldOf(part, 'type') === 'tool_use') return true
  return Object.entries(part).some(
    ([name, value]) =>
      !namesOfForm.has(name) &&
      ((typeof value === 'string' && value !== '') ||
        (Array.isArray(value) && value.length > 0) ||
        (typeof value === 'object' && value !== null && Object.keys(value).length > 0)),
  )
}
