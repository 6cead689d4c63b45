import { isUtf8 } from 'node:buffer'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { JsonScanner } from './json-syntax.ts'

/** The model that a body names, and its position. */
export interface ModelName {
  readonly name: string
  /** The range of bytes that another name replaces. */
  readonly start: number
  readonly end: number
  /** Encodes another name in the format of the body. */
  readonly encode: (name: string) => string
}

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
}

/** The error for a body whose model is unclear. */
export function unclearModel(message: string, options?: ErrorOptions): ApiError {
  return new ApiError(400, message, { ...options, field: 'model' })
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

/**
 * Finds the model in a JSON object. Parsers differ in which of two equal fields they use, and some ignore case (Go's
 * encoding/json), so a second spelling is refused: the upstream must not read a different model than we do.
 */
export class JsonModel implements ModelFinder {
  readonly #scanner = new JsonScanner('model')

  take(bytes: Buffer): void {
    if (!this.#scanner.feed(bytes)) throw notJson()
  }

  find(body: Buffer): ModelName {
    if (!this.#scanner.isWhole || !isUtf8(body)) throw notJson()
    const [field, another] = this.#scanner.found
    if (another !== undefined)
      throw unclearModel('The body contains the field model more than once.')
    if (field?.name !== 'model')
      throw unclearModel('The body must be a JSON object with the field model.')
    const text = body.toString('latin1', field.start, field.end)
    const start = field.start + (text.length - text.trimStart().length)
    const end = start + text.trim().length
    if (body[start] !== quote) throw unclearModel('The field model must be a string.')
    const name = String(JSON.parse(body.toString('utf8', start, end)))
    return { name, start, end, encode: (other) => JSON.stringify(other) }
  }
}

function notJson() {
  return unclearModel('The body is not valid JSON.')
}
