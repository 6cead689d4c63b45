import { isText } from '../list/is-text.ts'
import { fieldOf } from './json-field.ts'

/** Characters. Longer ids are dropped. */
const maxIdLength = 500

/**
 * The model ids of an upstream's answer (docs/contract/model-list.md, "Upstream request"): an
 * array, or an object with the array in data, models or results.
 *
 * @returns undefined if there is no such array.
 */
export function listedIds(answer: unknown): readonly string[] | undefined {
  const list = [
    answer,
    fieldOf(answer, 'data'),
    fieldOf(answer, 'models'),
    fieldOf(answer, 'results'),
  ]
  const elements = list.find((candidate) => Array.isArray(candidate))
  if (elements === undefined) return undefined
  const ids = elements.map((element: unknown) => {
    // Null, empty or missing: use the next field.
    return fieldOf(element, 'id') || fieldOf(element, 'name') || fieldOf(element, 'model')
  })
  // Blank or non-string ids are dropped; duplicates removed.
  return [...new Set(ids.filter(isText).filter(({ length }) => length <= maxIdLength))]
}
