import {
  type CallOptions,
  type Database,
  type SqlValue,
  type Statement,
  UnmetChange,
} from './database.ts'

/**
 * Lists are bound only in these sizes, so that few different statements exist and each is prepared
 * once. PostgreSQL and SQLite allow far more parameters (65,535 and 32,766).
 */
const sizes = [1, 8, 64, 512] as const
const largest = 512

/** One statement's share of a list. */
export interface ParameterList {
  /** The item's SQL, repeated and separated by commas. */
  readonly sql: string
  /** As many values as `sql` has parameters. Values after the last item are null, which equals nothing. */
  readonly params: readonly SqlValue[]
}

/**
 * Pure: items → lists that together contain each item once, in order.
 *
 * @param itemSql SQL of one item with one `?` for each of its values.
 */
export function parameterLists(
  items: readonly (readonly SqlValue[])[],
  itemSql: string,
): ParameterList[] {
  const lists: ParameterList[] = []
  for (let start = 0; start < items.length; ) {
    const rest = items.length - start
    const size = sizes.find((candidate) => candidate >= rest) ?? largest
    lists.push(listOf(items.slice(start, start + size), size, itemSql))
    start += size
  }
  return lists
}

/** Pure: lists of single values, for `IN (…)`. */
export function valueLists(values: readonly SqlValue[]): ParameterList[] {
  return parameterLists(
    values.map((value) => [value]),
    '?',
  )
}

/**
 * Pure: one statement for each list.
 *
 * @param sqlOf the statement around a list's SQL.
 * @param more the parameters after those of the list.
 */
export function listStatements(
  lists: readonly ParameterList[],
  sqlOf: (list: string) => string,
  more: readonly SqlValue[] = [],
): (Statement & { readonly params: readonly SqlValue[] })[] {
  return lists.map(({ sql, params }) => ({ sql: sqlOf(sql), params: [...params, ...more] }))
}

/** The rows of one SELECT for each list, in their order. Parameters as in `listStatements`. */
export async function readLists<Row>(
  database: Database,
  lists: readonly ParameterList[],
  sqlOf: (list: string) => string,
  more: readonly SqlValue[] = [],
): Promise<Row[]> {
  const rows: Row[] = []
  for (const { sql, params } of listStatements(lists, sqlOf, more)) {
    // As arguments of one `push`, some 100,000 rows would overflow the stack.
    for (const row of await database.read<Row>(sql, params)) rows.push(row)
  }
  return rows
}

function listOf(
  items: readonly (readonly SqlValue[])[],
  size: number,
  itemSql: string,
): ParameterList {
  const sql = Array.from({ length: size }, () => itemSql).join(', ')
  const values = items.flat()
  const missing = (values.length / items.length) * (size - items.length)
  return { sql, params: [...values, ...Array.from({ length: missing }, () => null)] }
}

/**
 * Whether a row can contain the text: PostgreSQL refuses U+0000 (database.ts, SqlValue). Check it for
 * values chosen by a client.
 */
export function isSqlText(text: string): boolean {
  return !text.includes('\0')
}

/** Strings, quoted names and comments, in which a question mark is not a parameter. */
const quotedOrParameter = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g

/** Pure: SQL with `?` → SQL with PostgreSQL's `$1`, `$2`, … */
export function numberPlaceholders(sql: string): string {
  let count = 0
  return sql.replace(quotedOrParameter, (match) => {
    if (match !== '?') return match
    count += 1
    return `$${count}`
  })
}

/** Numbers of rows per INSERT: only a few, so that few different statements exist. */
const insertSizes = [64, 8, 1] as const

/**
 * Pure: statements that insert each row once, in order.
 *
 * @param into `INSERT INTO table (column, …)`.
 */
export function rowInserts(into: string, rows: readonly (readonly SqlValue[])[]): Statement[] {
  const statements: Statement[] = []
  for (let start = 0; start < rows.length; ) {
    const rest = rows.length - start
    const size = insertSizes.find((candidate) => candidate <= rest) ?? 1
    const batch = rows.slice(start, start + size)
    statements.push({
      sql: `${into} VALUES ${batch.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')}`,
      params: batch.flat(),
    })
    start += size
  }
  return statements
}

/**
 * Runs the statements in one transaction, all or nothing: each of `required` must change one row,
 * `others` any number. False if nothing was changed because another process was faster.
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
