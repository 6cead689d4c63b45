import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import { EventStreamReader, LastBytes } from './event-stream.ts'
import { endOfValue } from './json-syntax.ts'

/** Tokens, as the upstream reported them. */
export interface Tokens {
  readonly input: number
  readonly output: number
}

/** The usage is near the end of an answer that is one JSON object. */
const tailBytes = 64 * 1024
/** Larger numbers are wrong, and would add up to sums that cannot be stored. */
const maxTokens = 1e9
const mark = '_tokens"'
const usageName = Buffer.from('"usage"')

/** Finds the tokens that an answer reports, while it passes through. Keeps nothing else of it. */
export class UsageReader {
  readonly #events: EventStreamReader | undefined
  readonly #tail = new LastBytes(tailBytes)
  #input: number | undefined
  #output: number | undefined

  /** @param isStream whether the answer is a stream of server-sent events; otherwise it is JSON */
  constructor(isStream: boolean) {
    this.#events = isStream ? new EventStreamReader() : undefined
  }

  take(bytes: Buffer): void {
    if (this.#events === undefined) this.#tail.add(bytes)
    else for (const { data } of this.#events.take(bytes)) this.#takeEvent(data)
  }

  /** Undefined if the answer reported no tokens. */
  result(): Tokens | undefined {
    if (this.#events === undefined) this.#note(usageAtEnd(this.#tail.bytes))
    else this.#takeEvent(this.#events.end()?.data)
    if (this.#input === undefined && this.#output === undefined) return undefined
    return { input: this.#input ?? 0, output: this.#output ?? 0 }
  }

  #takeEvent(data: Buffer | undefined): void {
    if (data?.includes(mark) !== true) return
    const event = parsedJson(data.toString())
    // OpenAI's chunks, Anthropic's message_start, and response.completed of OpenAI's Responses.
    for (const holder of [event, fieldOf(event, 'message'), fieldOf(event, 'response')]) {
      this.#note(fieldOf(holder, 'usage'))
    }
  }

  #note(usage: unknown): void {
    const number = (name: string) => {
      const value = fieldOf(usage, name)
      return typeof value === 'number' && value >= 0 && value <= maxTokens
        ? Math.round(value)
        : undefined
    }
    const input = number('prompt_tokens') ?? number('input_tokens')
    // Anthropic does not include tokens from its cache in the input.
    const cached =
      (number('cache_read_input_tokens') ?? 0) + (number('cache_creation_input_tokens') ?? 0)
    if (input !== undefined) this.#input = input + cached
    this.#output = number('completion_tokens') ?? number('output_tokens') ?? this.#output
  }
}

function usageAtEnd(tail: Buffer): unknown {
  const at = tail.lastIndexOf(usageName)
  if (at < 0) return undefined
  const start = tail.indexOf('{', at)
  const end = start < 0 ? undefined : endOfValue(tail, start)
  return end === undefined ? undefined : parsedJson(tail.toString('utf8', start, end))
}
