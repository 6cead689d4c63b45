import { setTimeout as wait } from 'node:timers/promises'
import type { Client, QueryConfig } from 'pg'
import { DatabaseError, type SqlValue } from '../database.ts'
import type { MigrationSession } from '../migrate.ts'
import { numberPlaceholders } from '../placeholders.ts'
import { connectPatiently, endClient, nameOfPostgres } from './postgres-connections.ts'
import { isLockTimeout, toPostgresError } from './postgres-errors.ts'

/** The key of the advisory lock of migrating processes: `buck` in ASCII. */
const lockKey = 0x6275636b

/** Another process may be migrating a large table. */
const statementTimeoutMs = 600_000
/** Longer than the server's limit: without a reply by then, the connection is half open. */
const answerTimeoutMs = statementTimeoutMs + 20_000
/** For statements that take no time on the server. */
const shortAnswerTimeoutMs = 20_000
/** After this time, the server frees the tables and the lock of a process that is suspended or cut off. */
const idleTimeoutMs = 10_000
const shortestPauseMs = 20
const longestPauseMs = 500
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
    const client = await connectPatiently(url, { query_timeout: answerTimeoutMs })
    return new PostgresMigrationSession(nameOfPostgres(url), client)
  }

  async begin(): Promise<void> {
    await this.#attempt(async () => {
      const giveUpAt = performance.now() + statementTimeoutMs
      for (let pauseMs = shortestPauseMs; !(await this.#lock()); pauseMs *= 2) {
        if (performance.now() > giveUpAt) throw lockedTooLong(this.#name)
        await wait(Math.min(pauseMs, longestPauseMs) * (0.5 + Math.random()))
      }
      await this.#client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
    })
  }

  /**
   * Opens the transaction and takes the lock; false if another process migrates. It polls and does not wait in the
   * database: this way, it notices a connection that becomes half open, and leaves a pooler's connection free meanwhile.
   */
  async #lock(): Promise<boolean> {
    const ask = <Row extends object>(text: string) =>
      this.#client.query<Row>({ text, query_timeout: shortAnswerTimeoutMs } as QueryConfig)
    // The role's default isolation level may be higher. Then it would not see what others have migrated.
    await ask(`BEGIN ISOLATION LEVEL READ COMMITTED;
      SET LOCAL statement_timeout = ${statementTimeoutMs};
      SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`)
    // Released when the transaction ends in any way.
    const { rows } = await ask<{ isLocked: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${lockKey}) AS "isLocked"`,
    )
    const isLocked = rows[0]?.isLocked === true
    if (!isLocked) await ask('ROLLBACK')
    return isLocked
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

function lockedTooLong(name: string): DatabaseError {
  const minutes = statementTimeoutMs / 60_000
  return new DatabaseError(
    `another process has been migrating the database ${name} for ${minutes} minutes; try again when it has finished`,
  )
}
