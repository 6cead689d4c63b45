import type { DatabaseSync } from 'node:sqlite'
import type { SqlValue, Statement, WriteResult } from '../database.ts'
import { StatementCache } from '../statement-cache.ts'
import { lockWaitMs, openSqliteConnection, retryWhileBusy } from './sqlite-connection.ts'
import { isFatal } from './sqlite-errors.ts'

/** The outcome of one call of a group. */
export type CallOutcome =
  | { readonly kind: 'done'; readonly results: readonly WriteResult[] }
  /** The given statement of the call did not change the required number of rows. */
  | { readonly kind: 'unmet'; readonly statementIndex: number }
  | { readonly kind: 'failed'; readonly error: unknown }

export interface WriterConnection {
  readonly connection: DatabaseSync
  readonly statements: StatementCache
  /** Whether SQLite syncs each commit. True for a new connection (`openSqliteConnection`). */
  isSynced: boolean
  /** The maximum wait for another connection that writes, milliseconds. */
  readonly waitMs: number
}

/** @throws DatabaseError with a user-facing message */
export function openWriter(path: string, waitMs = lockWaitMs): WriterConnection {
  const connection = openSqliteConnection(path, waitMs)
  return { connection, statements: new StatementCache(connection), isSynced: true, waitMs }
}

/**
 * Runs the calls in their order in one transaction with one sync to disk. Each call is all or nothing: a
 * failed call changes nothing and does not affect the others.
 *
 * Throws node:sqlite's error when the transaction as a whole failed; no changes of any call are then
 * kept. Blocks while another connection writes, at most for `WriterConnection.waitMs`.
 *
 * @param isRelaxed whether all of them are (CallOptions)
 */
export function commitTogether(
  writer: WriterConnection,
  calls: readonly (readonly Statement[])[],
  isRelaxed = false,
): CallOutcome[] {
  const { connection } = writer
  if (isRelaxed === writer.isSynced) {
    // A commit with NORMAL stays in the memory of the system. One with FULL also syncs those before it.
    connection.exec(`PRAGMA synchronous = ${isRelaxed ? 'NORMAL' : 'FULL'}`)
    writer.isSynced = !isRelaxed
  }
  // IMMEDIATE takes the write lock at the beginning, so that no later statement can fail for lack of it.
  retryWhileBusy(() => connection.exec('BEGIN IMMEDIATE'), writer.waitMs)
  try {
    const outcomes = calls.map((statements) => runCall(writer, statements))
    connection.exec('COMMIT')
    return outcomes
  } catch (error) {
    // Some errors roll back by themselves (https://sqlite.org/lang_transaction.html section 3.1).
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

function runCall(writer: WriterConnection, statements: readonly Statement[]): CallOutcome {
  const { connection } = writer
  const outcome = runAlone(writer, statements)
  if (outcome !== undefined) return outcome
  connection.exec('SAVEPOINT call')
  try {
    const outcome = runStatements(writer, statements)
    if (outcome.kind !== 'done') connection.exec('ROLLBACK TO call')
    connection.exec('RELEASE call')
    return outcome
  } catch (error) {
    if (isFatal(error) || !connection.isTransaction) throw error
    connection.exec('ROLLBACK TO call')
    connection.exec('RELEASE call')
    return { kind: 'failed', error }
  }
}

/**
 * SQLite undoes a single statement that fails (https://sqlite.org/lang_conflict.html, ABORT; no
 * statement here uses FAIL), so it needs no savepoint. Undefined for other calls, and for a statement
 * that returns rows: reading them may fail outside SQLite.
 */
function runAlone(
  writer: WriterConnection,
  statements: readonly Statement[],
): CallOutcome | undefined {
  const [statement] = statements
  if (statement === undefined || statements.length > 1) return undefined
  if (statement.mustChange !== undefined) return undefined
  try {
    if (writer.statements.prepare(statement.sql).returnsRows) return undefined
    return runStatements(writer, statements)
  } catch (error) {
    if (isFatal(error) || !writer.connection.isTransaction) throw error
    return { kind: 'failed', error }
  }
}

function runStatements(writer: WriterConnection, statements: readonly Statement[]): CallOutcome {
  const results: WriteResult[] = []
  for (const [statementIndex, statement] of statements.entries()) {
    const result = runStatement(writer, statement)
    if (statement.mustChange !== undefined && result.changes !== statement.mustChange) {
      return { kind: 'unmet', statementIndex }
    }
    results.push(result)
  }
  return { kind: 'done', results }
}

function runStatement(writer: WriterConnection, { sql, params = [] }: Statement): WriteResult {
  const prepared = writer.statements.prepare(sql)
  if (!prepared.returnsRows) return { changes: prepared.run(params), rows: [] }
  // RETURNING returns one row for each changed row.
  const rows = prepared.rows<Record<string, SqlValue>>(params)
  return { changes: rows.length, rows }
}
