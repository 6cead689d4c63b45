import { applyMigrations, readMigrations } from '../../src/platform/state/migrate.ts'
import { openPostgresSession } from '../../src/platform/state/postgres/postgres-sessions.ts'

/** What the next version could add: a table, a column of a table in use, and an index. */
const sql = `
  CREATE TABLE from_the_future (id TEXT NOT NULL PRIMARY KEY);
  ALTER TABLE file_records ADD COLUMN from_the_future TEXT NOT NULL DEFAULT '';
  ALTER TABLE uploads ADD COLUMN from_the_future BIGINT;
  CREATE INDEX from_the_future_by_size ON file_records (size)`

const nextMigration = { number: 9000, name: 'from-the-future', checksum: '', sql }

/** What the start of the next version does to a PostgreSQL database, while others serve. */
export async function migrateAsNext(url: string): Promise<void> {
  const open = () => openPostgresSession(url)
  await applyMigrations(open, [...(await readMigrations()), nextMigration])
}
