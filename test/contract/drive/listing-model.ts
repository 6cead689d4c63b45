import fc from 'fast-check'
import type { ListQuery } from '../../../src/storage/drives/listed-entry.ts'
import { sortedKeys } from './stored-object.ts'

/** An entry of the model. It has a kind because some objects end with `/`, as folders do. */
export interface ModelEntry {
  readonly kind: 'object' | 'folder'
  readonly key: string
}

/** The promises of ListQuery as simple code. */
export function modelListing(keys: Iterable<string>, query: ListQuery): ModelEntry[] {
  const entries = new Map<string, ModelEntry>()
  for (const key of sortedKeys(keys)) {
    if (!key.startsWith(query.prefix) || !isAfter(key, query.after)) continue
    const end = query.delimiter ? key.indexOf('/', query.prefix.length) : -1
    const entry: ModelEntry =
      end < 0 ? { kind: 'object', key } : { kind: 'folder', key: key.slice(0, end + 1) }
    if (entry.key !== query.after) entries.set(entry.key, entry)
  }
  return [...entries.values()]
}

export function isAfter(key: string, other: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) > 0
}

const long = 'n'.repeat(252)
const segment = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', 'a-', 'a.', 'a0', 'é', '\uffff', '😀', ' ', '~'),
  fc.constantFrom('', '.', '..', '%', '.%', '%25', 'a.%file', '\0', 'a\0'),
  fc.constantFrom(long, `${long}no`, `${long}nop`, `${long}nopq`, `${long}m`, `${long}~`),
)

const listedKey = fc
  .array(segment, { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/'))
  .filter((key) => key !== '')

export const listedKeys = fc.uniqueArray(listedKey, { minLength: 1, maxLength: 14 })

/** Prefixes and markers: keys, beginnings of keys, or unrelated texts. */
export function textNear(keys: readonly string[]): fc.Arbitrary<string> {
  const near = fc.constantFrom(...keys).chain((key) =>
    fc.oneof(
      fc.constantFrom(key, `${key}/`, `${key}\0`, `${key}~`),
      // Cut between code points: prefixes are well-formed.
      fc.nat({ max: key.length }).map((length) => key.slice(0, length).toWellFormed()),
      fc.nat({ max: key.length }).map((at) => key.slice(0, key.indexOf('/', at) + 1)),
    ),
  )
  return fc.oneof(fc.constant(''), near, near, listedKey)
}

export function queriesOver(keys: readonly string[]): fc.Arbitrary<ListQuery> {
  return fc
    .record({ prefix: textNear(keys), after: textNear(keys), isRolledUp: fc.boolean() })
    .map(({ prefix, after, isRolledUp }) => ({
      prefix,
      after,
      ...(isRolledUp && { delimiter: '/' as const }),
    }))
}
