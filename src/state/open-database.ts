import type { Database } from './database.ts'
import {
  applyMigrations,
  assertMigrated,
  type MigrationSession,
  readMigrations,
} from './migrate.ts'
import { SqliteDatabase } from './sqlite/sqlite-database.ts'
import { SqliteMigrationSession } from './sqlite/sqlite-migration.ts'

export type DatabaseLocation =
  /** A file; it and its folder are created if missing. */
  | { readonly kind: 'sqlite'; readonly path: string }
  /** `postgres://…` */
  | { readonly kind: 'postgres'; readonly url: string }

export interface OpenDatabaseOptions {
  /**
   * Whether to migrate the database to this version, as the primary process does. Otherwise, a database
   * of another version is refused.
   */
  readonly migrate: boolean
}

/** @throws DatabaseError when the database cannot be reached or is not at this version */
export async function openDatabase(
  location: DatabaseLocation,
  options: OpenDatabaseOptions,
): Promise<Database> {
  const migrations = await readMigrations()
  if (options.migrate) await applyMigrations(await openSession(location), migrations)
  const database = await connect(location)
  try {
    await assertMigrated(database, migrations)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

// PostgreSQL's client is imported on demand: SQLite does not need its 40 modules.
async function openSession(location: DatabaseLocation): Promise<MigrationSession> {
  if (location.kind === 'sqlite') return new SqliteMigrationSession(location.path)
  const { PostgresMigrationSession } = await import('./postgres/postgres-migration.ts')
  return new PostgresMigrationSession(location.url)
}

async function connect(location: DatabaseLocation): Promise<Database> {
  if (location.kind === 'sqlite') return new SqliteDatabase(location.path)
  const { PostgresDatabase } = await import('./postgres/postgres-database.ts')
  return new PostgresDatabase(location.url)
}
