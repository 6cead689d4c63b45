import type { Database } from './database.ts'
import {
  applyMigrations,
  assertMigrated,
  type MigrationSession,
  readMigrations,
} from './migrate.ts'
import { PostgresDatabase } from './postgres/postgres-database.ts'
import { PostgresMigrationSession } from './postgres/postgres-migration.ts'
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
  if (options.migrate) await applyMigrations(openSession(location), migrations)
  const database = connect(location)
  try {
    await assertMigrated(database, migrations)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

function openSession(location: DatabaseLocation): MigrationSession {
  return location.kind === 'sqlite'
    ? new SqliteMigrationSession(location.path)
    : new PostgresMigrationSession(location.url)
}

function connect(location: DatabaseLocation): Database {
  return location.kind === 'sqlite'
    ? new SqliteDatabase(location.path)
    : new PostgresDatabase(location.url)
}
