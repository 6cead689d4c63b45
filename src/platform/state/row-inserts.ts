import type { SqlValue, Statement } from './database.ts'

/** Rows of one INSERT: few sizes, so that few different statements exist. */
const sizes = [64, 8, 1] as const

/**
 * Pure: statements that insert each row once, in order.
 *
 * @param into `INSERT INTO table (column, …)`.
 */
export function rowInserts(into: string, rows: readonly (readonly SqlValue[])[]): Statement[] {
  const statements: Statement[] = []
  for (let start = 0; start < rows.length; ) {
    const rest = rows.length - start
    const size = sizes.find((candidate) => candidate <= rest) ?? 1
    const batch = rows.slice(start, start + size)
    statements.push({
      sql: `${into} VALUES ${batch.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')}`,
      params: batch.flat(),
    })
    start += size
  }
  return statements
}
