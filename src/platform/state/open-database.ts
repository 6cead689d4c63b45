import type { Snapshot } from './backup/snapshot.ts'
import type { Database, DatabaseError } from './database.ts'
import {
  applyMigrations,
  assertMigrated,
  type MigrationSession,
  missingIn,
  readMigrations,
} from './migrate.ts'
import { SqliteDatabase } from './sqlite/sqlite-database.ts'
import { openSqliteSession, openSqliteSnapshot } from './sqlite/sqlite-sessions.ts'

export type DatabaseLocation =
  /** The path of the file. The file and its folder are created if missing. */
  | { readonly kind: 'sqlite'; readonly path: string }
  /** `postgres://…` */
  | { readonly kind: 'postgres'; readonly url: string }

export interface OpenDatabaseOptions {
  /**
   * Whether to migrate the database to this version, as the primary process does. Otherwise, a database
   * of another version is refused.
   */
  readonly migrate: boolean
  /** Whether the process does not serve yet: SQLite commits in the calling thread until `Database.beginServing`. */
  readonly isStarting?: boolean
  /** Maximum number of PostgreSQL connections of this process. @default 10 */
  readonly connections?: number
  /** Called with the reason when the server allows fewer connections. */
  readonly onShortage?: (error: DatabaseError) => void
}

const defaultConnections = 10

/** @throws DatabaseError when the database cannot be reached or is not at this version */
export async function openDatabase(
  location: DatabaseLocation,
  options: OpenDatabaseOptions,
): Promise<Database> {
  const migrations = await readMigrations()
  if (options.migrate) await applyMigrations(() => openSession(location), migrations)
  const database = await connect(location, options)
  try {
    await assertMigrated(database, migrations)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * The number of migrations that a start would run. Changes nothing.
 *
 * @throws DatabaseError when the database cannot be reached, or this version cannot work with it
 */
export async function missingMigrations(location: DatabaseLocation): Promise<number> {
  const database = await connect(location)
  try {
    return (await missingIn(database, await readMigrations())).length
  } finally {
    await database.close()
  }
}

/**
 * A view of the entire database at this moment, for a backup.
 *
 * @throws DatabaseError when the database does not exist or cannot be reached
 */
export async function openSnapshot(location: DatabaseLocation): Promise<Snapshot> {
  if (location.kind === 'sqlite') return openSqliteSnapshot(location.path)
  const { openPostgresSnapshot } = await import('./postgres/postgres-sessions.ts')
  return await openPostgresSnapshot(location.url)
}

/** Opens a connection that can migrate. @throws DatabaseError when the database cannot be reached */
export async function openSession(location: DatabaseLocation): Promise<MigrationSession> {
  if (location.kind === 'sqlite') return openSqliteSession(location.path)
  // Imported on demand: SQLite does not need the 40 modules of PostgreSQL's client.
  const { openPostgresSession } = await import('./postgres/postgres-sessions.ts')
  return await openPostgresSession(location.url)
}

async function connect(
  location: DatabaseLocation,
  options: Omit<OpenDatabaseOptions, 'migrate'> = {},
): Promise<Database> {
  if (location.kind === 'sqlite') return new SqliteDatabase(location.path, options.isStarting)
  const { PostgresDatabase } = await import('./postgres/postgres-database.ts')
  const { connections = defaultConnections, onShortage } = options
  return new PostgresDatabase(location.url, { connections, onShortage })
}
