import { byName, type Sort, type SortField } from './entry-order.ts'

const sortKey = 'bucketry.sort'

const fields: ReadonlySet<unknown> = new Set<SortField>(['name', 'size', 'modified'])

/** Parses a sort order stored with `JSON.stringify`; falls back to sorting by name. */
export function parseSort(text: string | null): Sort {
  try {
    const { field, isDescending } = JSON.parse(text ?? '') as Partial<Record<keyof Sort, unknown>>
    if (!fields.has(field)) return byName
    return { field: field as SortField, isDescending: isDescending === true }
  } catch {
    return byName
  }
}

/** The order last chosen in this browser. */
export function readStoredSort(): Sort {
  try {
    return parseSort(localStorage.getItem(sortKey))
  } catch {
    // Storage is not available.
    return byName
  }
}

export function storeSort(sort: Sort): void {
  try {
    localStorage.setItem(sortKey, JSON.stringify(sort))
  } catch {
    // Storage is not available: the order lasts as long as the folder is open.
  }
}
