import type { Client } from 'pg'
import { batchRows, quotedName, type Row, type Snapshot } from '../backup/snapshot.ts'
import { connectPatiently, endClient, nameOfPostgres } from './postgres-connections.ts'
import { toPostgresError } from './postgres-errors.ts'

/** A backup may take long, and waits for the disk between two reads. The role may have limits. */
const noLimits = `SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0`
/** Waits for a moment that serializable writers agree on, and then never fails. */
const begin = 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE'
const selectTables = `SELECT table_name AS name FROM information_schema.tables
  WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`

/**
 * A transaction that sees the database as of its first statement
 * (https://www.postgresql.org/docs/current/transaction-iso.html).
 */
export class PostgresSnapshot implements Snapshot {
  readonly #name: string
  readonly #client: Client

  private constructor(name: string, client: Client) {
    this.#name = name
    this.#client = client
  }

  /** @throws DatabaseError when the server cannot be reached */
  static async open(url: string): Promise<PostgresSnapshot> {
    const snapshot = new PostgresSnapshot(nameOfPostgres(url), await connectPatiently(url))
    await snapshot.#attempt(() => snapshot.#client.query(`${begin}; ${noLimits}`))
    return snapshot
  }

  async tables(): Promise<readonly string[]> {
    const { rows } = await this.#attempt(() => this.#client.query<{ name: string }>(selectTables))
    return rows.map(({ name }) => name)
  }

  async *rows(table: string): AsyncIterable<readonly Row[]> {
    const query = (sql: string) => this.#attempt(() => this.#client.query<Row>(sql))
    await query(`DECLARE backup NO SCROLL CURSOR FOR SELECT * FROM ${quotedName(table)}`)
    for (;;) {
      const { rows } = await query(`FETCH ${batchRows} FROM backup`)
      if (rows.length === 0) break
      yield rows
    }
    await query('CLOSE backup')
  }

  async close(): Promise<void> {
    await endClient(this.#client)
  }

  async #attempt<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run()
    } catch (error) {
      throw toPostgresError(error, this.#name)
    }
  }
}
