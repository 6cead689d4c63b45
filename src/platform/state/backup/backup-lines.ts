import type { SqlValue } from '../database.ts'
import { type AppliedMigration, type Migration, tablesOf } from '../migrate.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * A backup is JSON lines: the header, then for each table a line with its columns and a line with the
 * values of each row, then the end. Both databases can be restored from it.
 */
export interface BackupHeader {
  readonly backup: 'bucketry'
  /** Version of the format. A reader refuses other versions. */
  readonly format: typeof backupFormat
  /** Version of the program that wrote the backup. */
  readonly version: string
  readonly createdAt: string
  readonly migrations: readonly AppliedMigration[]
  /** The text of the generated settings file; null: the settings come from elsewhere. */
  readonly settingsFile: string | null
}

export interface TableLine {
  readonly table: string
  /** Empty for a table without rows. */
  readonly columns: readonly string[]
}

/** The last line. A file without it is not complete. */
export interface EndLine {
  readonly rows: number
}

export type BackupLine = BackupHeader | TableLine | readonly SqlValue[] | EndLine

export const backupFormat = 1
const migrationsTable = 'migrations'
/** Tables without rows in a backup: missing rows are created again, and a backup of them would be hundreds of MB. */
const leftOut: ReadonlySet<string> = new Set(['thumbnails'])

/**
 * The lines of a backup, without line breaks. Leaves out tables of other programs in the same database.
 *
 * @param known the migrations of this program
 */
export async function* backupLines(
  snapshot: Snapshot,
  header: Pick<BackupHeader, 'version' | 'createdAt' | 'settingsFile'>,
  known: readonly Migration[],
): AsyncGenerator<BackupLine> {
  const migrations = await migrationsIn(snapshot)
  yield { backup: 'bucketry', format: backupFormat, ...header, migrations }
  const ours = tablesOf(known)
  // A newer version of the program may have added tables that this version does not know.
  const hasUnknown = migrations.length > known.length
  let count = 0
  for (const table of await snapshot.tables()) {
    if (table === migrationsTable || !(hasUnknown || ours.has(table))) continue
    const lines = leftOut.has(table) ? [{ table, columns: [] }] : tableLines(snapshot, table)
    for await (const line of lines) {
      yield line
      if (Array.isArray(line)) count += 1
    }
  }
  yield { rows: count }
}

async function migrationsIn(snapshot: Snapshot): Promise<AppliedMigration[]> {
  const migrations: AppliedMigration[] = []
  for await (const rows of snapshot.rows(migrationsTable)) {
    for (const { number, name, checksum } of rows) {
      migrations.push({ number: Number(number), name: String(name), checksum: String(checksum) })
    }
  }
  return migrations.sort((a, b) => a.number - b.number)
}

async function* tableLines(snapshot: Snapshot, table: string): AsyncGenerator<BackupLine> {
  let columns: readonly string[] | undefined
  for await (const rows of snapshot.rows(table)) {
    if (columns === undefined) {
      columns = Object.keys(rows[0] ?? {})
      yield { table, columns }
    }
    for (const row of rows) yield columns.map((column) => row[column] ?? null)
  }
  if (columns === undefined) yield { table, columns: [] }
}
