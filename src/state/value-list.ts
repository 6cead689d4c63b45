import type { SqlValue } from './database.ts'

/**
 * Lists are bound in these sizes only, so that few different statements exist and each is prepared
 * once. PostgreSQL and SQLite allow far more parameters (65,535 and 32,766).
 */
const sizes = [1, 8, 64, 512] as const

/** One statement's share of a list. */
export interface ValueList {
  /** `(?, ?, …)` */
  readonly sql: string
  /** As many as `sql` has; those behind the last value are null, which `IN` never finds. */
  readonly params: readonly SqlValue[]
}

/** Pure: values → lists for `WHERE column IN ${sql}`, together holding each value once. */
export function valueLists(values: readonly string[]): ValueList[] {
  const lists: ValueList[] = []
  let start = 0
  while (start < values.length) {
    const rest = values.length - start
    const size = sizes.find((candidate) => candidate >= rest) ?? sizes[sizes.length - 1]
    const params = values.slice(start, start + size)
    start += params.length
    lists.push({ sql: placeholders(size), params: pad(params, size) })
  }
  return lists
}

function placeholders(size: number): string {
  return `(${Array.from({ length: size }, () => '?').join(', ')})`
}

function pad(values: readonly string[], size: number): SqlValue[] {
  const missing = Array.from({ length: size - values.length }, () => null)
  return [...values, ...missing]
}
