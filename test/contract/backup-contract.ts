import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type BackupHeader,
  type BackupLine,
  backupLines,
} from '../../src/platform/state/backup/backup-lines.ts'
import { restoreLines } from '../../src/platform/state/backup/restore-lines.ts'
import { type Database, DatabaseError } from '../../src/platform/state/database.ts'
import { readMigrations } from '../../src/platform/state/migrate.ts'
import {
  type DatabaseLocation,
  openDatabase,
  openSession,
  openSnapshot,
} from '../../src/platform/state/open-database.ts'

const origin = { version: '0.0.0', createdAt: '2026-01-01T00:00:00.000Z', settingsFile: null }
const insertFolder = 'INSERT INTO own_folders (identity) VALUES (?)'
const insertPart = `INSERT INTO upload_parts (upload_id, number, etag, size, modified_at_ms, checksum)
  VALUES (?, ?, ?, ?, ?, ?)`
const insertThumbnail = 'INSERT INTO thumbnails (bucket, etag, at_ms, picture) VALUES (?, ?, ?, ?)'
const insertFile = `INSERT INTO file_records
  (identity, path_digest, size, modified_at_ms, saved_at_ms, json) VALUES (?, ?, ?, ?, ?, ?)`
const manyRows = 1_234

/** Backup and restore, from each of the databases into each. */
export function describeBackup(
  name: string,
  from: () => Promise<DatabaseLocation>,
  into: () => Promise<DatabaseLocation>,
): void {
  describe(`${name} backup`, () => {
    test('has every row, and restores it exactly', async () => {
      const source = await from()
      await fill(source)
      const backup = await backupOf(source)
      const target = await into()
      assert.equal(await restoreInto(target, backup), backup.lines.filter(Array.isArray).length)
      assert.deepEqual(withoutEnd(await backupOf(target)), withoutEnd(backup))
      const database = await openDatabase(target, { migrate: true })
      const [row] = await database.read<{ json: string; modified: number }>(
        'SELECT json, modified_at_ms AS modified FROM file_records WHERE size = ?',
        [2 ** 52],
      )
      assert.deepEqual(row, { json: '{"a":"é🎉\\u0000"}', modified: 1_700_000_000_000.125 })
      await database.close()
    })

    test('has every table of ours, and no table of other programs', async () => {
      const source = await from()
      await fill(source)
      const before = await backupOf(source)
      const tables = new Set(before.lines.flatMap((line) => ('table' in line ? [line.table] : [])))
      const snapshot = await openSnapshot(source)
      assert.deepEqual(await snapshot.tables(), [...tables, 'migrations'].sort())
      await snapshot.close()
      const database = await openDatabase(source, { migrate: false })
      await database.write([{ sql: 'CREATE TABLE strangers (name TEXT)' }])
      await database.close()
      assert.deepEqual(await backupOf(source), before)
    })

    test('leaves out what browsers make again', async () => {
      const source = await from()
      await fill(source)
      const { lines } = await backupOf(source)
      const tables = lines.filter((line) => 'table' in line && line.table === 'thumbnails')
      assert.deepEqual(tables, [{ table: 'thumbnails', columns: [] }])
      assert.doesNotMatch(JSON.stringify(lines), /cGljdHVyZQ/)
      const target = await into()
      await restoreInto(target, await backupOf(source))
      const database = await openDatabase(target, { migrate: true })
      assert.deepEqual(await database.read('SELECT etag FROM thumbnails'), [])
      await database.close()
    })

    test('is of one moment, while others write', async () => {
      const source = await from()
      await fill(source)
      const before = await backupOf(source)
      const database = await openDatabase(source, { migrate: false })
      const snapshot = await openSnapshot(source)
      const during: BackupLine[] = []
      for await (const line of backupLines(snapshot, origin, await readMigrations())) {
        if (during.length % 100 === 0) await addFolder(database, `late ${during.length}`)
        during.push(line)
      }
      await snapshot.close()
      await database.close()
      assert.deepEqual(during, [before.header, ...before.lines])
      assert.ok((await backupOf(source)).lines.length > before.lines.length)
    })

    test('is not restored into a database that is in use', async () => {
      const source = await from()
      await fill(source)
      const target = await into()
      await fill(target)
      const before = await backupOf(target)
      await assert.rejects(restoreInto(target, await backupOf(source)), /is not empty/)
      assert.deepEqual(await backupOf(target), before)
    })

    test('is not restored when it is cut off or of a newer version, and leaves nothing', async () => {
      const source = await from()
      await fill(source)
      const { header, lines } = await backupOf(source)
      const target = await into()
      await assert.rejects(
        restoreInto(target, { header, lines: lines.slice(0, -1) }),
        /not complete/,
      )
      await assert.rejects(
        restoreInto(target, {
          header,
          lines: lines.toSpliced(lines.findLastIndex(Array.isArray), 1),
        }),
        /not complete/,
      )
      const unknown = { number: header.migrations.length + 1, name: 'future', checksum: 'x' }
      const newer = { ...header, migrations: [...header.migrations, unknown] }
      await assert.rejects(restoreInto(target, { header: newer, lines }), /newer version/)
      const changed = header.migrations.map((one) => ({ ...one, checksum: 'x' }))
      await assert.rejects(
        restoreInto(target, { header: { ...header, migrations: changed }, lines }),
        DatabaseError,
      )
      await restoreInto(target, { header, lines })
    })
  })
}

async function fill(location: DatabaseLocation): Promise<void> {
  const database = await openDatabase(location, { migrate: true })
  const json = '{"a":"é🎉\\u0000"}'
  await database.write([
    { sql: insertFile, params: ['i1', 'p1', 2 ** 52, 1_700_000_000_000.125, 5, json] },
    { sql: insertThumbnail, params: ['b', 'e', 1, 'cGljdHVyZQ=='] },
    { sql: insertPart, params: ['u', 1, 'e', 0, 1, ''] },
    {
      sql: `${insertFolder}${', (?)'.repeat(manyRows - 1)}`,
      params: Array.from({ length: manyRows }, (_, index) => `folder ' " ${index}`),
    },
  ])
  await database.close()
}

async function addFolder(database: Database, identity: string): Promise<void> {
  await database.write([{ sql: insertFolder, params: [identity] }])
}

interface Backup {
  readonly header: BackupHeader
  readonly lines: readonly BackupLine[]
}

async function backupOf(location: DatabaseLocation): Promise<Backup> {
  const snapshot = await openSnapshot(location)
  try {
    const [header, ...lines] = await Array.fromAsync(
      backupLines(snapshot, origin, await readMigrations()),
    )
    return { header: header as BackupHeader, lines }
  } finally {
    await snapshot.close()
  }
}

/** Rows in the order of their text: a database may return them in any order. */
function withoutEnd({ header, lines }: Backup): string[] {
  return [header, ...lines].map((line) => JSON.stringify(line)).sort()
}

async function restoreInto(location: DatabaseLocation, { header, lines }: Backup): Promise<number> {
  const session = await openSession(location)
  const stream = async function* () {
    // Through the text of the file.
    for (const line of lines) yield JSON.parse(JSON.stringify(line)) as BackupLine
  }
  return await restoreLines(session, await readMigrations(), { header, lines: stream() })
}
