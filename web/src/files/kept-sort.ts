import { byName, type Sort, type SortField } from './entry-order.ts'

export const sortKey = 'bucketry.sort'

const fields: ReadonlySet<unknown> = new Set<SortField>(['name', 'size', 'modified'])

/** What `JSON.stringify` kept of a sort order; by name for anything else. */
export function parseSort(text: string | null): Sort {
  try {
    const { field, isDescending } = JSON.parse(text ?? '') as Partial<Record<keyof Sort, unknown>>
    if (!fields.has(field)) return byName
    return { field: field as SortField, isDescending: isDescending === true }
  } catch {
    return byName
  }
}

/** The order that was chosen last in this browser. */
export function readKeptSort(): Sort {
  try {
    return parseSort(localStorage.getItem(sortKey))
  } catch {
    // A browser that keeps nothing.
    return byName
  }
}

export function keepSort(sort: Sort): void {
  try {
    localStorage.setItem(sortKey, JSON.stringify(sort))
  } catch {
    // The same: the order lasts as long as the folder is open.
  }
}
