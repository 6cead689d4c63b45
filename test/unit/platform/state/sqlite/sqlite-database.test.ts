import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { walSizeLimitBytes } from '../../../../../src/platform/state/sqlite/sqlite-connection.ts'
import { SqliteDatabase } from '../../../../../src/platform/state/sqlite/sqlite-database.ts'

const blockBytes = 400_000

test('SqliteDatabase truncates its log after the reader that held it has ended', async (context) => {
  const { database, path } = await open(context)
  const reader = new DatabaseSync(path)
  reader.exec('BEGIN; SELECT count(*) FROM blocks')
  for (let id = 0; logSize(path) <= walSizeLimitBytes; id++) await writeBlock(database, id)
  reader.close()
  // The first write copies the log into the file, and the next one restarts the log.
  await writeBlock(database, -1, 1)
  await writeBlock(database, -2, 1)
  assert.ok(logSize(path) <= walSizeLimitBytes)
})

test('SqliteDatabase reads while another process holds the write lock', async (context) => {
  const { database, path } = await open(context)
  await writeBlock(database, 1, 1)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const waiting = writeBlock(database, 2, 1)
  assert.deepEqual(await database.read('SELECT id FROM blocks'), [{ id: 1 }])
  other.exec('COMMIT')
  other.close()
  await waiting
  assert.deepEqual(await database.read('SELECT id FROM blocks ORDER BY id'), [{ id: 1 }, { id: 2 }])
})

test('SqliteDatabase fails its check while its file is deleted or replaced', async (context) => {
  const { database, path } = await open(context)
  renameSync(path, `${path}.away`)
  const expected = { name: 'DatabaseError', message: /deleted or replaced/ }
  await assert.rejects(database.check(), expected)
  writeFileSync(path, '')
  await assert.rejects(database.check(), expected)
  renameSync(`${path}.away`, path)
  await database.check()
})

test('SqliteDatabase refuses writes in a read', async (context) => {
  const { database } = await open(context)
  await assert.rejects(database.read('DELETE FROM blocks'), { name: 'DatabaseError' })
})

test('SqliteDatabase does not block a process that starts while another one writes', async (context) => {
  const { path } = await open(context)
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const database = new SqliteDatabase(path, true)
  context.after(() => database.close())
  const written = writeBlock(database, 1)
  // This turn would not come if the process waited for the lock.
  await new Promise((resolve) => setTimeout(resolve, 1))
  other.close()
  await written
  assert.deepEqual(await database.read('SELECT id FROM blocks'), [{ id: 1 }])
})

async function open(context: { after(run: () => Promise<void>): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-sqlite-'))
  const path = join(folder, 'test.db')
  const database = new SqliteDatabase(path)
  context.after(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  await database.write([{ sql: 'CREATE TABLE blocks (id INTEGER PRIMARY KEY, block TEXT)' }])
  return { database, path }
}

async function writeBlock(database: SqliteDatabase, id: number, size = blockBytes): Promise<void> {
  const sql = 'INSERT INTO blocks (id, block) VALUES (?, ?) ON CONFLICT (id) DO NOTHING'
  await database.write([{ sql, params: [id, 'x'.repeat(size)] }])
}

function logSize(path: string): number {
  return statSync(`${path}-wal`).size
}
