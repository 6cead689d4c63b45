import { ApiError, jsonPath } from '../../platform/json-api/api-error.ts'

/**
 * @param keyOf Undefined: the item has no key yet.
 * @param list The name of the list in the body, and `field` that of the key.
 * @throws ApiError 400 at the second of two items with the same key.
 */
export function assertUnique<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | undefined,
  { list, field }: { readonly list: string; readonly field: string },
): void {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const key = keyOf(item)
    if (key === undefined) continue
    if (seen.has(key)) {
      throw new ApiError(400, 'expected unique values; this one is a duplicate', {
        field: jsonPath([list, index, field]),
      })
    }
    seen.add(key)
  }
}
