import { DatabaseError, type SqlValue } from '../database.ts'
import {
  appliedMigrations,
  type Migration,
  type MigrationSession,
  pendingMigrations,
  runMigrations,
} from '../migrate.ts'
import type { BackupHeader, BackupLine, EndLine, TableLine } from './backup-lines.ts'
import { batchRows, quotedName } from './snapshot.ts'

/** SQLite takes at most 32,766 values in one statement (https://sqlite.org/limits.html). */
const maxValues = 30_000

export interface RestoreSource {
  readonly header: BackupHeader
  readonly lines: AsyncIterable<BackupLine>
  /** Called after every row is in the transaction. If it rejects, nothing is restored. */
  readonly beforeCommit?: () => Promise<void>
}

/**
 * Fills an empty database with the lines of a backup after its header, in one transaction. Closes the
 * session. The database gets the schema of the backup; the next start migrates it.
 *
 * @param migrations the migrations of this version
 * @returns the number of rows
 * @throws DatabaseError when the database is not empty, or the backup is from a newer version or not complete.
 */
export async function restoreLines(
  session: MigrationSession,
  migrations: readonly Migration[],
  { header, lines, beforeCommit }: RestoreSource,
): Promise<number> {
  try {
    await session.begin()
    if ((await appliedMigrations(session)).length > 0) {
      throw new DatabaseError(
        'the database is not empty: restore into a new one, or move the old one away',
      )
    }
    const count = header.migrations.length
    if (count > migrations.length) {
      throw new DatabaseError(
        `the backup is from the newer version ${header.version}: restore it with that version`,
      )
    }
    // Throws when the migrations differ.
    pendingMigrations(migrations, header.migrations)
    await runMigrations(session, migrations.slice(0, count))
    const rows = await insertAll(session, lines)
    await beforeCommit?.()
    await session.commit()
    return rows
  } finally {
    await session.close()
  }
}

async function insertAll(
  session: MigrationSession,
  lines: AsyncIterable<BackupLine>,
): Promise<number> {
  let inserts: TableInserts | undefined
  let end: EndLine | undefined
  let count = 0
  for await (const line of lines) {
    if (isRow(line)) {
      await inserts?.add(line)
      count += 1
    } else if ('table' in line) {
      await inserts?.flush()
      inserts = new TableInserts(session, line)
      // The migrations may have inserted rows.
      await session.run(`DELETE FROM ${quotedName(line.table)}`)
    } else if ('rows' in line) {
      end = line
    }
  }
  await inserts?.flush()
  if (end?.rows !== count) {
    throw new DatabaseError('the backup is not complete: its end is missing')
  }
  return count
}

function isRow(line: BackupLine): line is readonly SqlValue[] {
  return Array.isArray(line)
}

/** Rows of one table, inserted many at a time. */
class TableInserts {
  readonly #session: MigrationSession
  readonly #into: string
  readonly #tuple: string
  readonly #mostRows: number
  #values: SqlValue[] = []
  #rows = 0

  constructor(session: MigrationSession, { table, columns }: TableLine) {
    this.#session = session
    this.#into = `INSERT INTO ${quotedName(table)} (${columns.map(quotedName).join(', ')}) VALUES `
    this.#tuple = `(${columns.map(() => '?').join(', ')})`
    this.#mostRows = Math.min(batchRows, Math.floor(maxValues / columns.length))
  }

  async add(row: readonly SqlValue[]): Promise<void> {
    this.#values.push(...row)
    this.#rows += 1
    if (this.#rows >= this.#mostRows) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#rows === 0) return
    const tuples = Array.from({ length: this.#rows }, () => this.#tuple).join(', ')
    await this.#session.run(this.#into + tuples, this.#values)
    this.#values = []
    this.#rows = 0
  }
}
