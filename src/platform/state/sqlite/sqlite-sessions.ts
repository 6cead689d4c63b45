import { existsSync } from 'node:fs'
import { batchRows, quotedName, type Row, type Snapshot } from '../backup/snapshot.ts'
import { DatabaseError } from '../database.ts'
import type { MigrationSession } from '../migrate.ts'
import { openSqliteConnection, retryWhileBusy } from './sqlite-connection.ts'
import { toDatabaseError } from './sqlite-errors.ts'

/** Connections for one long task. They block the thread, which is harmless at the start and in a command. */

const selectTables = `SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`

/** Opens a connection for migrating. @throws DatabaseError when the file cannot be opened */
export function openSqliteSession(path: string): MigrationSession {
  const connection = openSqliteConnection(path)
  const attempt = attemptsOn(path)
  return {
    async begin() {
      attempt(() => retryWhileBusy(() => connection.exec('BEGIN IMMEDIATE')))
    },
    async run(sql, params) {
      attempt(() => {
        if (params === undefined) connection.exec(sql)
        else connection.prepare(sql).run(...params)
      })
    },
    rows: async <Row>(sql: string) => attempt(() => connection.prepare(sql).all() as Row[]),
    async commit() {
      attempt(() => connection.exec('COMMIT'))
    },
    async close() {
      // Closing rolls back uncommitted changes.
      connection.close()
    },
  }
}

/**
 * A read transaction on a separate connection (https://sqlite.org/isolation.html). Writers continue; until the
 * transaction is closed, their changes stay in the write-ahead log.
 *
 * @throws DatabaseError when there is no such file, or it cannot be read
 */
export function openSqliteSnapshot(path: string): Snapshot {
  // Opening a missing file would create an empty database.
  if (!existsSync(path)) throw new DatabaseError(`the database ${path} does not exist`)
  const connection = openSqliteConnection(path)
  const attempt = attemptsOn(path)
  attempt(() => retryWhileBusy(() => connection.exec('BEGIN')))
  return {
    async tables() {
      const rows = attempt(() => connection.prepare(selectTables).all())
      return rows.map(({ name }) => String(name))
    },
    async *rows(table) {
      const select = `SELECT * FROM ${quotedName(table)}`
      const all = attempt(() => connection.prepare(select).iterate()) as IterableIterator<Row>
      for (;;) {
        const batch = attempt(() => nextOf(all, batchRows))
        if (batch.length === 0) return
        yield batch
      }
    },
    async close() {
      connection.close()
    },
  }
}

/** Runs work whose errors become those of the database. */
function attemptsOn(path: string): <Result>(run: () => Result) => Result {
  return (run) => {
    try {
      return run()
    } catch (error) {
      throw toDatabaseError(error, path)
    }
  }
}

/** The next values. Unlike `Iterator.take`, does not end the iterator. */
function nextOf<Value>(values: Iterator<Value>, most: number): Value[] {
  const batch: Value[] = []
  while (batch.length < most) {
    const next = values.next()
    if (next.done === true) break
    batch.push(next.value)
  }
  return batch
}
