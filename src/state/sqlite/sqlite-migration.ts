import type { DatabaseSync } from 'node:sqlite'
import type { SqlValue } from '../database.ts'
import type { MigrationSession } from '../migrate.ts'
import { openSqliteConnection, retryWhileBusy } from './sqlite-connection.ts'
import { toDatabaseError } from './sqlite-errors.ts'

/**
 * A connection for migrating. It blocks the thread, which is harmless at the start, before requests are
 * served.
 */
export class SqliteMigrationSession implements MigrationSession {
  readonly #path: string
  readonly #connection: DatabaseSync

  /** @throws DatabaseError when the file cannot be opened */
  constructor(path: string) {
    this.#path = path
    this.#connection = openSqliteConnection(path)
  }

  async begin(): Promise<void> {
    this.#attempt(() => retryWhileBusy(() => this.#connection.exec('BEGIN IMMEDIATE')))
  }

  async run(sql: string, params?: readonly SqlValue[]): Promise<void> {
    this.#attempt(() => {
      if (params === undefined) this.#connection.exec(sql)
      else this.#connection.prepare(sql).run(...params)
    })
  }

  async rows<Row>(sql: string): Promise<Row[]> {
    return this.#attempt(() => this.#connection.prepare(sql).all() as Row[])
  }

  async commit(): Promise<void> {
    this.#attempt(() => this.#connection.exec('COMMIT'))
  }

  async close(): Promise<void> {
    // Closing rolls back uncommitted changes.
    this.#connection.close()
  }

  #attempt<Result>(run: () => Result): Result {
    try {
      return run()
    } catch (error) {
      throw toDatabaseError(error, this.#path)
    }
  }
}
