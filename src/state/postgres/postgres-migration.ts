import type { Client } from 'pg'
import { DatabaseError, type SqlValue } from '../database.ts'
import type { MigrationSession } from '../migrate.ts'
import { numberPlaceholders } from '../placeholders.ts'
import { connectPatiently, nameOfPostgres } from './postgres-connections.ts'
import { isLockTimeout, toPostgresError } from './postgres-errors.ts'

/** The key of the advisory lock of migrating processes: `buck` in ASCII. */
const lockKey = 0x6275636b

/** Another process may be migrating a large table. */
const statementTimeoutMs = 600_000
/** Behind a migration that waits for a table, all requests for the table wait. */
const lockTimeoutMs = 2_000

/** A connection for migrating. */
export class PostgresMigrationSession implements MigrationSession {
  readonly #name: string
  readonly #client: Client

  private constructor(name: string, client: Client) {
    this.#name = name
    this.#client = client
  }

  /** @throws DatabaseError when the server cannot be reached */
  static async open(url: string): Promise<PostgresMigrationSession> {
    return new PostgresMigrationSession(nameOfPostgres(url), await connectPatiently(url))
  }

  async begin(): Promise<void> {
    await this.#attempt(async () => {
      await this.#client.query(`BEGIN; SET LOCAL statement_timeout = ${statementTimeoutMs}`)
      // Released when the transaction ends in any way.
      await this.#client.query('SELECT pg_advisory_xact_lock($1)', [lockKey])
      await this.#client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
    })
  }

  async run(sql: string, params?: readonly SqlValue[]): Promise<void> {
    // Without values, the driver uses the simple protocol, which accepts several statements.
    if (params === undefined) await this.#attempt(() => this.#client.query(sql))
    else await this.#attempt(() => this.#client.query(numberPlaceholders(sql), [...params]))
  }

  async rows<Row>(sql: string): Promise<Row[]> {
    const { rows } = await this.#attempt(() => this.#client.query(sql))
    return rows
  }

  async commit(): Promise<void> {
    await this.#attempt(() => this.#client.query('COMMIT'))
  }

  isLocked(error: unknown): boolean {
    return error instanceof DatabaseError && isLockTimeout(error.cause)
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  async #attempt<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      throw toPostgresError(error, this.#name)
    }
  }
}
