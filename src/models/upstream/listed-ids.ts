import { isText } from '../is-text.ts'

/** Characters. Longer ids are dropped. */
const maxIdLength = 500

/**
 * The model ids of an upstream's answer (docs/contract/model-list.md, "Upstream request"): an
 * array, or an object with the array in data, models or results.
 *
 * @returns undefined if there is no such array.
 */
export function listedIds(answer: unknown): readonly string[] | undefined {
  const list = [answer, field(answer, 'data'), field(answer, 'models'), field(answer, 'results')]
  const elements = list.find((candidate) => Array.isArray(candidate))
  if (elements === undefined) return undefined
  const ids = elements.map((element: unknown) => {
    // Null, empty or missing: use the next field.
    return field(element, 'id') || field(element, 'name') || field(element, 'model')
  })
  // Blank or non-string ids are dropped; duplicates removed.
  return [...new Set(ids.filter(isText).filter(({ length }) => length <= maxIdLength))]
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
}
