import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import { endOfValue } from './json-syntax.ts'

/** Tokens, as the upstream reported them. */
export interface Tokens {
  readonly input: number
  readonly output: number
}

/** The end of an answer that is one JSON object, where its usage is. */
const tailBytes = 64 * 1024
/** A longer line of a stream is not read. */
const maxLineBytes = 1024 * 1024
/** Of one answer. What is more is wrong, and would add up to numbers that cannot be stored. */
const maxTokens = 1e9
const lineFeed = 0x0a
const mark = '_tokens"'
const usageName = Buffer.from('"usage"')

/** The last bytes of what passes, in linear time, however small its pieces are. */
class LastBytes {
  readonly #most: number
  #room: Buffer = Buffer.alloc(0)
  #size = 0

  /** @param most that are kept at least; at most twice as many */
  constructor(most: number) {
    this.#most = most
  }

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#size)
  }

  add(bytes: Buffer): void {
    const most = this.#most
    const added = bytes.subarray(Math.max(0, bytes.length - most))
    if (this.#size + added.length > 2 * most) {
      this.#room.copyWithin(0, this.#size - Math.min(this.#size, most), this.#size)
      this.#size = Math.min(this.#size, most)
    }
    const needed = this.#size + added.length
    if (needed > this.#room.length) {
      const room = Buffer.allocUnsafe(Math.min(2 * most, 2 * needed))
      this.#room.copy(room, 0, 0, this.#size)
      this.#room = room
    }
    added.copy(this.#room, this.#size)
    this.#size = needed
  }

  clear(): void {
    this.#size = 0
  }
}

/** Finds what an answer says of tokens, while it passes. Keeps nothing else of it. */
export class UsageReader {
  readonly #isStream: boolean
  /** Of the line that has not ended; otherwise the end of the answer. */
  readonly #rest: LastBytes
  #isSkipping = false
  #input: number | undefined
  #output: number | undefined

  /** @param isStream whether it is a stream of server-sent events; otherwise JSON */
  constructor(isStream: boolean) {
    this.#isStream = isStream
    this.#rest = new LastBytes(isStream ? maxLineBytes : tailBytes)
  }

  take(bytes: Buffer): void {
    if (!this.#isStream) {
      this.#rest.add(bytes)
      return
    }
    let start = 0
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
      this.#takeLine(bytes.subarray(start, end))
      start = end + 1
    }
    this.#hold(bytes.subarray(start))
  }

  /** Undefined if it said nothing. */
  result(): Tokens | undefined {
    if (!this.#isStream) this.#note(usageAtEnd(this.#rest.bytes))
    if (this.#input === undefined && this.#output === undefined) return undefined
    return { input: this.#input ?? 0, output: this.#output ?? 0 }
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0 || this.#isSkipping) return
    this.#rest.add(bytes)
    this.#isSkipping = this.#rest.bytes.length > maxLineBytes
  }

  #takeLine(end: Buffer): void {
    const { bytes: begun } = this.#rest
    const line = begun.length === 0 ? end : Buffer.concat([begun, end])
    const isSkipped = this.#isSkipping
    this.#rest.clear()
    this.#isSkipping = false
    if (isSkipped || !line.includes(mark) || !line.subarray(0, 5).equals(dataField)) return
    const event = parsedJson(line.toString('utf8', 5))
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
    // Anthropic counts what comes from its cache beside the input.
    const cached =
      (number('cache_read_input_tokens') ?? 0) + (number('cache_creation_input_tokens') ?? 0)
    if (input !== undefined) this.#input = input + cached
    this.#output = number('completion_tokens') ?? number('output_tokens') ?? this.#output
  }
}

const dataField = Buffer.from('data:')

function usageAtEnd(tail: Buffer): unknown {
  const at = tail.lastIndexOf(usageName)
  if (at < 0) return undefined
  const start = tail.indexOf('{', at)
  const end = start < 0 ? undefined : endOfValue(tail, start)
  return end === undefined ? undefined : parsedJson(tail.toString('utf8', start, end))
}
