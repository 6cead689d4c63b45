import {
  type CallOptions,
  type Database,
  type SqlValue,
  type Statement,
  UnmetChange,
} from './database.ts'

/**
 * Runs the statements in one transaction, all or nothing: each of `required` must change one row,
 * `others` any number. False when nothing was changed because another process was faster.
 */
export async function writeAll(
  database: Database,
  required: readonly Statement[],
  others: readonly Statement[] = [],
  options?: CallOptions,
): Promise<boolean> {
  try {
    const checked = required.map((statement) => ({ ...statement, mustChange: 1 }))
    await database.write([...checked, ...others], options)
    return true
  } catch (error) {
    if (error instanceof UnmetChange) return false
    throw error
  }
}

/** Whether the statement changed one row. */
export async function writeOne(
  database: Database,
  sql: string,
  params: readonly SqlValue[],
  others: Pick<Statement, 'signal'> = {},
): Promise<boolean> {
  const [result] = await database.write([{ sql, params, ...others }])
  return result?.changes === 1
}
