import { isUtf8 } from 'node:buffer'
import { JsonScanner } from './json-syntax.ts'
import { type ModelFinder, type ModelName, unclearModel } from './model-name.ts'

const quote = 0x22

/**
 * Finds the model in a JSON object. Parsers differ in which of two fields with one name counts, and some ignore case
 * (Go's encoding/json), so a second spelling is refused: the upstream must not see another model than we do.
 */
export class JsonModel implements ModelFinder {
  readonly #scanner = new JsonScanner('model')

  take(bytes: Buffer): void {
    if (!this.#scanner.feed(bytes)) throw notJson()
  }

  find(body: Buffer): ModelName {
    if (!this.#scanner.isWhole || !isUtf8(body)) throw notJson()
    const [field, another] = this.#scanner.found
    if (another !== undefined) throw unclearModel('The body has the field model more than once.')
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
