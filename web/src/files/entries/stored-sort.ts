import { byName, type Sort, type SortField } from './entry-order.ts'

export const sortKey = 'bucketry.sort'

const fields: ReadonlySet<unknown> = new Set<SortField>(['name', 'size', 'modified'])

/** Parses a sort order stored with `JSON.stringify`; falls back to sorting by name. */
export function parseSort(text: string | null | undefined): Sort {
  try {
    const { field, isDescending } = JSON.parse(text ?? '') as Partial<Record<keyof Sort, unknown>>
    if (!fields.has(field)) return byName
    return { field: field as SortField, isDescending: isDescending === true }
  } catch {
    return byName
  }
}
