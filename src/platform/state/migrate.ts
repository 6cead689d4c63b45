import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { packageFolder } from '../process/package-folder.ts'
import { type Database, DatabaseError, type SqlValue } from './database.ts'

const migrationsFolder = join(packageFolder, 'src/platform/state/migrations')
const fileNamePattern = /^(\d{4})-([a-z0-9-]+)\.sql$/

/**
 * One file of src/platform/state/migrations, `NNNN-name.sql`: portable SQL, never changed once released. A migration
 * must only add, because older versions of the program continue to run with it. A migration that does more is named
 * `NNNN-breaking-name.sql`, and older versions refuse it.
 */
export interface Migration {
  readonly number: number
  readonly name: string
  /** SHA-256 of the SQL, hex. */
  readonly checksum: string
  readonly sql: string
}

export type AppliedMigration = Pick<Migration, 'number' | 'name' | 'checksum'>

/** A connection to a database that is about to be migrated. */
export interface MigrationSession {
  /** Opens the transaction, which only one migrating process can have at a time. */
  begin(): Promise<void>
  /** Runs one statement, or several if there are no parameters. */
  run(sql: string, params?: readonly SqlValue[]): Promise<void>
  rows<Row>(sql: string): Promise<Row[]>
  commit(): Promise<void>
  /**
   * Whether the error means that another program is using a table that the migration changes. All requests for
   * the table queue behind a waiting migration, so it must not wait for long.
   */
  isLocked?(error: unknown): boolean
  /** Closes the connection; uncommitted changes are undone. */
  close(): Promise<void>
}

/** The prefix of a migration that older versions of the program can't work with. */
const breakingPrefix = 'breaking-'

const createTable = `CREATE TABLE IF NOT EXISTS migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at_ms BIGINT NOT NULL
)`
const selectApplied = 'SELECT number, name, checksum FROM migrations ORDER BY number'
const insertApplied =
  'INSERT INTO migrations (number, name, checksum, applied_at_ms) VALUES (?, ?, ?, ?)'

/** The migrations of this version, by number. */
export async function readMigrations(folder = migrationsFolder): Promise<Migration[]> {
  const fileNames = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(fileNames.map((fileName) => readMigration(folder, fileName)))
}

/** The names of the tables that these migrations create. */
export function tablesOf(migrations: readonly Migration[]): ReadonlySet<string> {
  const statements = migrations.flatMap(({ sql }) => [...sql.matchAll(/^CREATE TABLE (\w+)/gm)])
  return new Set(statements.map(([, name = '']) => name))
}

/** Attempts to lock a table that others are using, with pauses for their requests. */
const lockAttempts = 20
const lockPauseMs = 1_000

/**
 * Migrates the database to this version in one transaction. Has no effect if the database is already at
 * this version. Several processes may call it at once, while others serve.
 *
 * @throws DatabaseError when a newer version has made a breaking change, the database has other migrations, or another
 *   program keeps a table locked.
 */
export async function applyMigrations(
  open: () => Promise<MigrationSession>,
  migrations: readonly Migration[],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const session = await open()
    try {
      await session.begin()
      const applied = await appliedMigrations(session)
      await runMigrations(session, pendingMigrations(migrations, applied))
      await session.commit()
      return
    } catch (error) {
      if (attempt === lockAttempts || !session.isLocked?.(error)) throw error
    } finally {
      await session.close()
    }
    await wait(lockPauseMs)
  }
}

/** The applied migrations; none if the database is empty. Reads them in the session's transaction. */
export async function appliedMigrations(session: MigrationSession): Promise<AppliedMigration[]> {
  await session.run(createTable)
  return await session.rows<AppliedMigration>(selectApplied)
}

/** Runs migrations in the transaction of the session. */
export async function runMigrations(
  session: MigrationSession,
  migrations: readonly Migration[],
): Promise<void> {
  for (const { number, name, checksum, sql } of migrations) {
    await session.run(sql)
    await session.run(insertApplied, [number, name, checksum, Date.now()])
  }
}

/** The migrations that a start would run. @throws DatabaseError as pendingMigrations does. */
export async function missingIn(
  database: Database,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  return pendingMigrations(migrations, await database.read<AppliedMigration>(selectApplied))
}

/** @throws DatabaseError when the database is not at this version. */
export async function assertMigrated(
  database: Database,
  migrations: readonly Migration[],
): Promise<void> {
  const [next] = await missingIn(database, migrations)
  if (next !== undefined) {
    throw new DatabaseError(
      `the database lacks migration ${label(next)}; start the server once to add it`,
    )
  }
}

/**
 * Pure: the migrations that are not in `applied`, in order.
 *
 * @throws DatabaseError when the two lists differ, or a newer version has applied a breaking migration.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  for (const [index, done] of applied.entries()) {
    const ours = migrations[index]
    if (ours === undefined) {
      if (!done.name.startsWith(breakingPrefix)) continue
      throw new DatabaseError(
        `a newer version has changed the database (migration ${label(done)}) in a way that this version ` +
          'cannot use: run the newer version, or restore a backup from before the upgrade',
      )
    }
    if (ours.number !== done.number || ours.checksum !== done.checksum) {
      throw new DatabaseError(
        `the database was created by another version: its migration ${label(done)} ` +
          `is not the ${label(ours)} of this one`,
      )
    }
  }
  return migrations.slice(applied.length)
}

async function readMigration(folder: string, fileName: string): Promise<Migration> {
  const [, digits, name] = fileNamePattern.exec(fileName) ?? []
  if (digits === undefined || name === undefined) {
    throw new DatabaseError(`expected a migration named NNNN-name.sql, got ${fileName}`)
  }
  // A checkout on Windows may have changed the line endings.
  const sql = (await readFile(join(folder, fileName), 'utf8')).replaceAll('\r\n', '\n')
  const checksum = createHash('sha256').update(sql).digest('hex')
  return { number: Number(digits), name, checksum, sql }
}

function label({ number, name }: AppliedMigration): string {
  return `${String(number).padStart(4, '0')}-${name}`
}
