import { isUtf8 } from 'node:buffer'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type JsonField, JsonScanner } from './json-syntax.ts'

/** The model that a body names, and its position. */
export interface ModelName {
  readonly name: string
  /** The range of bytes that another name replaces. */
  readonly start: number
  readonly end: number
  /** Encodes another name in the format of the body. */
  readonly encode: (name: string) => string
}

/** Fields of a JSON body, besides the model, that decide where a call goes and what it may cost. */
const readFields = [
  ...['previous_response_id', 'conversation', 'store', 'stream'],
  ...['prompt_cache_key', 'metadata', 'messages', 'input'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'n', 'best_of'],
  ...['models', 'fallbacks', 'background'],
] as const

export type BodyField = (typeof readFields)[number]

/** Name another object or model of the upstream, or prevent counting, so that every parser must read the same. */
const clearFields = [
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'n', 'best_of'],
  ...['previous_response_id', 'conversation'],
  ...['models', 'fallbacks', 'background'],
] as const

/** Finds the model in a body while it arrives. */
export interface ModelFinder {
  /** Takes the next bytes, in order. @throws ApiError 400 */
  take(bytes: Buffer): void
  /**
   * @param body the bytes that were taken
   * @param isWhole whether the body has ended
   * @throws ApiError 400
   */
  find(body: Buffer, isWhole: boolean): ModelName
  /** Whether the value that a parser builds is not much larger than its text. Absent: it is not JSON. */
  readonly isSimple?: boolean
  /** The range of a field; undefined if the body does not have it. Absent: it is not JSON. */
  rangeOf?(name: BodyField): readonly [start: number, end: number] | undefined
}

/** The error for a body whose model is unclear. */
export function unclearModel(message: string, options?: ErrorOptions): ApiError {
  return unclear('model', message, options)
}

function unclear(field: string, message: string, options?: ErrorOptions): ApiError {
  return new ApiError(400, message, { ...options, field })
}

/** The body with another name, in pieces that share its memory. */
export function withModelName(
  body: Buffer,
  { start, end, encode }: ModelName,
  name: string,
): readonly Buffer[] {
  return [body.subarray(0, start), Buffer.from(encode(name)), body.subarray(end)]
}

const quote = 0x22
/** An object takes a hundred times as much memory as its text, and writing JSON is recursive. */
const maxValues = 100_000
const maxDepth = 100

/**
 * Finds the model in a JSON object. Parsers differ in which of two equal fields they use, and some ignore case (Go's
 * encoding/json), so a second spelling is refused: the upstream must not read a different model than we do.
 */
export class JsonModel implements ModelFinder {
  readonly #scanner = new JsonScanner(['model', ...readFields])

  take(bytes: Buffer): void {
    if (!this.#scanner.feed(bytes)) throw notJson()
  }

  find(body: Buffer): ModelName {
    if (!this.#scanner.isWhole || !isUtf8(body)) throw notJson()
    for (const name of clearFields) this.#only(name)
    const field = this.#only('model')
    if (field === undefined)
      throw unclearModel('The body must be a JSON object with the field model.')
    const text = body.toString('latin1', field.start, field.end)
    const start = field.start + (text.length - text.trimStart().length)
    const end = start + text.trim().length
    if (body[start] !== quote) throw unclearModel('The field model must be a string.')
    const name = String(JSON.parse(body.toString('utf8', start, end)))
    return { name, start, end, encode: (other) => JSON.stringify(other) }
  }

  get isSimple(): boolean {
    return this.#scanner.values <= maxValues && this.#scanner.depth <= maxDepth
  }

  rangeOf(name: BodyField): readonly [start: number, end: number] | undefined {
    const field = this.#scanner.fields(name).find((one) => one.name === name)
    return field === undefined ? undefined : [field.start, field.end]
  }

  /** @throws ApiError 400 if parsers differ in what the field is */
  #only(name: string): JsonField | undefined {
    const [field, another] = this.#scanner.fields(name)
    if (another !== undefined)
      throw unclear(name, `The body contains the field ${name} more than once.`)
    if (field !== undefined && field.name !== name)
      throw unclear(name, `The field ${name} must be spelled exactly as here.`)
    return field
  }
}

function notJson() {
  return unclearModel('The body is not valid JSON.')
}
