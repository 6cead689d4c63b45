import { setTimeout as wait } from 'node:timers/promises'
import type { Client, QueryConfig } from 'pg'
import { batchRows, quotedName, type Row, type Snapshot } from '../backup/snapshot.ts'
import { DatabaseError } from '../database.ts'
import type { MigrationSession } from '../migrate.ts'
import { numberPlaceholders } from '../statements.ts'
import { connectPatiently, endClient, nameOfPostgres } from './postgres-connections.ts'
import { isLockTimeout, toPostgresError } from './postgres-errors.ts'

/** Connections for one long task. */

/** The key of the advisory lock of migrating processes: `buck` in ASCII. */
const lockKey = 0x6275636b

/** Long, because another process may be migrating a large table. */
const statementTimeoutMs = 600_000
/** Longer than the server's limit: if there is no reply by then, the connection is half open. */
const answerTimeoutMs = statementTimeoutMs + 20_000
/** Time limit for statements that take hardly any time on the server. */
const shortAnswerTimeoutMs = 20_000
/** After this time, the server releases the tables and the lock of a suspended or disconnected process. */
const idleTimeoutMs = 10_000
const shortestPauseMs = 20
const longestPauseMs = 500
/** Short, because all requests for a table queue behind a migration that waits for it. */
const lockTimeoutMs = 2_000

/** Opens a connection for migrating. @throws DatabaseError when the server cannot be reached */
export async function openPostgresSession(url: string): Promise<MigrationSession> {
  const client = await connectPatiently(url, { query_timeout: answerTimeoutMs })
  const attempt = attemptsOn(url)
  return {
    begin: () => attempt(() => beginMigration(client, url)),
    async run(sql, params) {
      // Without values, the driver uses the simple protocol, which accepts several statements.
      if (params === undefined) await attempt(() => client.query(sql))
      else await attempt(() => client.query(numberPlaceholders(sql), [...params]))
    },
    async rows(sql) {
      const { rows } = await attempt(() => client.query(sql))
      return rows
    },
    async commit() {
      await attempt(() => client.query('COMMIT'))
    },
    isLocked: (error) => error instanceof DatabaseError && isLockTimeout(error.cause),
    close: () => endClient(client),
  }
}

async function beginMigration(client: Client, url: string): Promise<void> {
  const giveUpAt = performance.now() + statementTimeoutMs
  for (let pauseMs = shortestPauseMs; !(await lock(client)); pauseMs *= 2) {
    if (performance.now() > giveUpAt) throw lockedTooLong(nameOfPostgres(url))
    await wait(Math.min(pauseMs, longestPauseMs) * (0.5 + Math.random()))
  }
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
}

/**
 * Opens the transaction and takes the lock; false if another process is migrating. The caller polls instead of waiting
 * in the database, so that it notices a half-open connection and leaves a pooler's connection free between attempts.
 */
async function lock(client: Client): Promise<boolean> {
  const ask = <Row extends object>(text: string) =>
    client.query<Row>({ text, query_timeout: shortAnswerTimeoutMs } as QueryConfig)
  // The role's default isolation level may be higher, and would hide the migrations of other processes.
  await ask(`BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL statement_timeout = ${statementTimeoutMs};
    SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`)
  // The lock is released when the transaction ends, in whatever way.
  const { rows } = await ask<{ isLocked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${lockKey}) AS "isLocked"`,
  )
  const isLocked = rows[0]?.isLocked === true
  if (!isLocked) await ask('ROLLBACK')
  return isLocked
}

function lockedTooLong(name: string): DatabaseError {
  const minutes = statementTimeoutMs / 60_000
  return new DatabaseError(
    `another process has been migrating the database ${name} for ${minutes} minutes; try again when it has finished`,
  )
}

/** No limits, whatever the role has: a backup may take long, and waits for the disk between reads. */
const noLimits = `SET LOCAL statement_timeout = 0;
  SET LOCAL idle_in_transaction_session_timeout = 0`
/** Waits for a snapshot that is consistent with serializable writers; reads then never fail. */
const beginSnapshot = 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE'
const selectTables = `SELECT table_name AS name FROM information_schema.tables
  WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name`

/**
 * A transaction that sees the database as of its first statement
 * (https://www.postgresql.org/docs/current/transaction-iso.html).
 *
 * @throws DatabaseError when the server cannot be reached
 */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const client = await connectPatiently(url)
  const attempt = attemptsOn(url)
  await attempt(() => client.query(`${beginSnapshot}; ${noLimits}`))
  return {
    async tables() {
      const { rows } = await attempt(() => client.query<{ name: string }>(selectTables))
      return rows.map(({ name }) => name)
    },
    async *rows(table) {
      const query = (sql: string) => attempt(() => client.query<Row>(sql))
      await query(`DECLARE backup NO SCROLL CURSOR FOR SELECT * FROM ${quotedName(table)}`)
      for (;;) {
        const { rows } = await query(`FETCH ${batchRows} FROM backup`)
        if (rows.length === 0) break
        yield rows
      }
      await query('CLOSE backup')
    },
    close: () => endClient(client),
  }
}

/** Runs work whose errors become those of the database. */
function attemptsOn(url: string): <Result>(run: () => Promise<Result>) => Promise<Result> {
  return async (run) => {
    try {
      return await run()
    } catch (error) {
      throw toPostgresError(error, nameOfPostgres(url))
    }
  }
}
