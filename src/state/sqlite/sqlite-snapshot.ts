import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { batchRows, quotedName, type Row, type Snapshot } from '../backup/snapshot.ts'
import { DatabaseError } from '../database.ts'
import { openSqliteConnection, retryWhileBusy } from './sqlite-connection.ts'
import { toDatabaseError } from './sqlite-errors.ts'

const selectTables = `SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`

/**
 * A read transaction of its own connection (https://sqlite.org/isolation.html). Writers go on; until it
 * is closed, the write-ahead log keeps what they add.
 */
export class SqliteSnapshot implements Snapshot {
  readonly #path: string
  readonly #connection: DatabaseSync

  /** @throws DatabaseError when there is no such file, or it cannot be read */
  constructor(path: string) {
    this.#path = path
    // Opening it would create an empty one.
    if (!existsSync(path)) throw new DatabaseError(`the database ${path} does not exist`)
    this.#connection = openSqliteConnection(path)
    this.#attempt(() => retryWhileBusy(() => this.#connection.exec('BEGIN')))
  }

  async tables(): Promise<readonly string[]> {
    return this.#attempt(() =>
      this.#connection
        .prepare(selectTables)
        .all()
        .map(({ name }) => String(name)),
    )
  }

  async *rows(table: string): AsyncIterable<readonly Row[]> {
    const all = this.#attempt(() =>
      this.#connection.prepare(`SELECT * FROM ${quotedName(table)}`).iterate(),
    ) as IterableIterator<Row>
    for (;;) {
      const batch = this.#attempt(() => nextOf(all, batchRows))
      if (batch.length === 0) return
      yield batch
    }
  }

  async close(): Promise<void> {
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

/** The next values. Not `Iterator.take`, which ends the iterator. */
function nextOf<Value>(values: Iterator<Value>, most: number): Value[] {
  const batch: Value[] = []
  while (batch.length < most) {
    const next = values.next()
    if (next.done === true) break
    batch.push(next.value)
  }
  return batch
}
