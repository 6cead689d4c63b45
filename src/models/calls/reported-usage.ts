import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import { EventStreamReader, LastBytes, type ServerSentEvent } from './event-stream.ts'
import { endOfValue } from './json-syntax.ts'
import { isErrorEvent } from './stream-start.ts'

/** Tokens, as the upstream reported them. */
export interface Tokens {
  /** Including those from and to the prompt cache. */
  readonly input: number
  readonly output: number
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
  /** What the upstream says that the call costs, in millionths of a US dollar. */
  readonly costMicros?: number | undefined
}

/** The usage is near the end of an answer that is one JSON object. */
const tailBytes = 64 * 1024
/** Larger numbers are wrong, and would add up to sums that cannot be stored. */
const maxTokens = 1e9
const mark = '_tokens"'
const usageName = Buffer.from('"usage"')

/**
 * The texts of an event: in `delta` of OpenAI's chunks and Anthropic's events, which is a text in OpenAI's Responses, and
 * in the choices of completions. The names in between are not counted.
 */
const texts =
  /"(?:content|text|delta|reasoning|reasoning_content|refusal|thinking|partial_json|arguments|input)":\s*"([^"\\]*(?:\\.[^"\\]*)*)/g

/** The last event of a stream. Inside a text, quotes are escaped. */
const lastEvent =
  /"finish_reason":\s*"|"type":\s*"(?:message_stop|response\.(?:completed|incomplete|cancelled))"/
const errorField = /"error":\s*[^\sn]|"type":\s*"response\.failed"|"object":\s*"error"/

/** Finds the tokens that an answer reports, while it passes through. Keeps nothing else of it. */
export class UsageReader {
  readonly #events: EventStreamReader | undefined
  readonly #tail = new LastBytes(tailBytes)
  /** Bytes of the texts of a stream, of which tokens are estimated that nobody reports. */
  contentBytes = 0
  /** Whether a stream had its last event, and no error. */
  hasEnded = false
  #hasFailed = false
  readonly #found: { -readonly [Name in keyof Tokens]?: number } = {}

  /** @param isStream whether the answer is a stream of server-sent events; otherwise it is JSON */
  constructor(isStream: boolean) {
    this.#events = isStream ? new EventStreamReader() : undefined
  }

  take(bytes: Buffer): void {
    if (this.#events === undefined) this.#tail.add(bytes)
    else for (const event of this.#events.take(bytes)) this.#takeEvent(event)
  }

  /** Undefined if the answer reported no tokens. */
  result(): Tokens | undefined {
    if (this.#events === undefined) this.#note(usageAtEnd(this.#tail.bytes))
    else {
      const last = this.#events.end()
      if (last !== undefined) this.#takeEvent(last)
    }
    const { input = 0, output = 0, ...more } = this.#found
    return Object.keys(this.#found).length === 0 ? undefined : { input, output, ...more }
  }

  #takeEvent({ name, data }: ServerSentEvent): void {
    const text = data.toString('latin1')
    if (text === '[DONE]' || lastEvent.test(text)) this.hasEnded = !this.#hasFailed
    this.contentBytes += contentBytesOf(text)
    const isError = name === 'error' || errorField.test(text)
    if (!isError && !text.includes(mark)) return
    const event = parsedJson(data.toString())
    if (isError && (name === 'error' || isErrorEvent(event))) {
      this.#hasFailed = true
      this.hasEnded = false
    }
    // OpenAI's chunks, Anthropic's message_start, and response.completed of OpenAI's Responses.
    for (const holder of [event, fieldOf(event, 'message'), fieldOf(event, 'response')]) {
      this.#note(fieldOf(holder, 'usage'))
    }
  }

  #note(usage: unknown): void {
    const number = (name: string, holder = usage) => countOf(fieldOf(holder, name))
    const details =
      fieldOf(usage, 'prompt_tokens_details') ?? fieldOf(usage, 'input_tokens_details')
    const input = number('prompt_tokens') ?? number('input_tokens')
    // Anthropic does not include tokens from its cache in the input.
    const [read, written] = [
      number('cache_read_input_tokens'),
      number('cache_creation_input_tokens'),
    ]
    const found = {
      input: input === undefined ? undefined : input + (read ?? 0) + (written ?? 0),
      output: number('completion_tokens') ?? number('output_tokens'),
      cacheRead: read ?? number('cached_tokens', details),
      cacheWrite: written ?? number('cache_write_tokens', details),
      costMicros: costIn(usage),
    }
    // Events of a stream report different parts.
    const present = Object.entries(found).filter(([, value]) => value !== undefined)
    Object.assign(this.#found, Object.fromEntries(present))
  }
}

function contentBytesOf(event: string): number {
  const at = Math.max(event.indexOf('"delta"'), event.indexOf('"choices"'))
  if (at < 0) return 0
  let bytes = 0
  texts.lastIndex = at
  for (let found = texts.exec(event); found !== null; found = texts.exec(event)) {
    bytes += found[1]?.length ?? 0
  }
  return bytes
}

function countOf(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && value >= 0 && value <= maxTokens
  return isCount ? Math.round(value) : undefined
}

/**
 * OpenRouter reports US dollars (https://openrouter.ai/docs/use-cases/usage-accounting), Perplexity an object with their
 * total, and xAI ticks, of which a dollar has 10^10 (https://docs.x.ai/developers/cost-tracking).
 */
function costIn(usage: unknown): number | undefined {
  const cost = fieldOf(usage, 'cost')
  const dollars = fieldOf(cost, 'total_cost') ?? cost
  const ticks = fieldOf(usage, 'cost_in_usd_ticks')
  if (typeof ticks === 'number') return countOf(ticks / 1e4)
  return typeof dollars === 'number' ? countOf(dollars * 1e6) : undefined
}

function usageAtEnd(tail: Buffer): unknown {
  const at = tail.lastIndexOf(usageName)
  if (at < 0) return undefined
  const start = tail.indexOf('{', at)
  const end = start < 0 ? undefined : endOfValue(tail, start)
  return end === undefined ? undefined : parsedJson(tail.toString('utf8', start, end))
}
