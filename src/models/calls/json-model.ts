import { fieldsOfJson } from './json-syntax.ts'
import { type ModelName, unclearModel } from './model-name.ts'

const quote = 0x22

/**
 * Finds the model in a JSON object. Parsers differ in which of two fields with one name counts, and some ignore case
 * (Go's encoding/json), so a second spelling is refused: the upstream must not see another model than we do.
 *
 * @throws ApiError 400
 */
export function modelOfJson(body: Buffer): ModelName {
  const fields = fieldsOfJson(body, 'model')
  if (fields === undefined) throw unclearModel('The body is not valid JSON.')
  const [field, another] = fields
  if (another !== undefined) throw unclearModel('The body has the field model more than once.')
  if (field?.name !== 'model')
    throw unclearModel('The body must be a JSON object with the field model.')
  const { start, end } = field
  if (body[start] !== quote) throw unclearModel('The field model must be a string.')
  const name = String(JSON.parse(body.toString('utf8', start, end)))
  return { name, start, end, encode: (other) => JSON.stringify(other) }
}
