import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Statements differ only in a few fixed sizes of their lists, so this many are never all in use. */
const maxStatements = 256

export interface PreparedStatement {
  readonly statement: StatementSync
  /** A SELECT or a statement with RETURNING. */
  readonly returnsRows: boolean
}

/** Prepared statements of one connection, the least recently used dropped first. */
export class StatementCache {
  readonly #connection: DatabaseSync
  readonly #prepared = new Map<string, PreparedStatement>()

  constructor(connection: DatabaseSync) {
    this.#connection = connection
  }

  /** Throws what node:sqlite throws for SQL it can't prepare. */
  prepare(sql: string): PreparedStatement {
    const known = this.#prepared.get(sql)
    if (known !== undefined) {
      // A Map iterates in order of insertion: what is inserted anew becomes the youngest.
      this.#prepared.delete(sql)
      this.#prepared.set(sql, known)
      return known
    }
    const statement = this.#connection.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    this.#prepared.set(sql, prepared)
    this.#dropOldest()
    return prepared
  }

  #dropOldest(): void {
    if (this.#prepared.size <= maxStatements) return
    for (const sql of this.#prepared.keys()) {
      this.#prepared.delete(sql)
      return
    }
  }
}
