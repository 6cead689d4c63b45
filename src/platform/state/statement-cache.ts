import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqlValue } from './database.ts'

/** More than there are: statements differ only in a few fixed sizes of their lists. */
const maxStatements = 256

/** Prepared statements of one connection; the least recently used ones are dropped first. */
export class StatementCache {
  readonly #connection: DatabaseSync
  readonly #prepared = new Map<string, PreparedStatement>()

  constructor(connection: DatabaseSync) {
    this.#connection = connection
  }

  /** @throws errors of node:sqlite for SQL that it cannot prepare */
  prepare(sql: string): PreparedStatement {
    const prepared = this.#prepared.get(sql) ?? new PreparedStatement(this.#connection.prepare(sql))
    // A Map iterates in order of insertion, so that a reinserted entry becomes the youngest.
    this.#prepared.delete(sql)
    this.#prepared.set(sql, prepared)
    const [oldest = sql] = this.#prepared.keys()
    if (this.#prepared.size > maxStatements) this.#prepared.delete(oldest)
    return prepared
  }
}

/** A prepared statement. Its methods throw errors of node:sqlite. */
export class PreparedStatement {
  readonly #statement: StatementSync
  readonly #columns: readonly string[]

  constructor(statement: StatementSync) {
    this.#statement = statement
    this.#columns = statement.columns().map(({ name }) => name)
    statement.setReturnArrays(true)
  }

  /** Runs a SELECT or a statement with RETURNING. */
  get returnsRows(): boolean {
    return this.#columns.length > 0
  }

  /** Returns the number of rows inserted, updated or deleted. */
  run(params: readonly SqlValue[]): number {
    return Number(this.#statement.run(...params).changes)
  }

  rows<Row>(params: readonly SqlValue[]): Row[] {
    // The type of `all` ignores setReturnArrays.
    const rows = this.#statement.all(...params) as unknown as SqlValue[][]
    return rows.map((values) => this.#toObject(values) as Row)
  }

  /** Creates plain objects: those of node:sqlite have no prototype, and are slower to create. */
  #toObject(values: readonly SqlValue[]): Record<string, SqlValue> {
    const row: Record<string, SqlValue> = {}
    this.#columns.forEach((column, index) => {
      row[column] = values[index] ?? null
    })
    return row
  }
}
