import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { commitTogether } from '../../../../../src/platform/state/sqlite/group-commit.ts'
import { openSqliteConnection } from '../../../../../src/platform/state/sqlite/sqlite-connection.ts'
import { isFatal, toDatabaseError } from '../../../../../src/platform/state/sqlite/sqlite-errors.ts'
import { StatementCache } from '../../../../../src/platform/state/statement-cache.ts'

const insert = (id: number, size = 1) => ({
  sql: 'INSERT INTO rows (id, text) VALUES (?, ?)',
  params: [id, 'x'.repeat(size)],
})

test('commitTogether keeps the successful calls and returns an outcome for each', (context) => {
  const { writer, ids } = open(context)
  const outcomes = commitTogether(writer, [
    [insert(1), insert(2)],
    [insert(3), insert(1)],
    [insert(4), { sql: 'DELETE FROM rows WHERE id = 99', mustChange: 1 }],
    [insert(5)],
  ])
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['done', 'failed', 'unmet', 'done'],
  )
  assert.deepEqual(ids(), [1, 2, 5])
})

test('commitTogether keeps nothing of a single statement whose rows cannot be read', (context) => {
  const { writer, ids } = open(context)
  const beyondDouble = {
    sql: 'INSERT INTO rows (id, text) VALUES (?, ?) RETURNING 9007199254740993',
    params: [1, 'x'],
  }
  const outcomes = commitTogether(writer, [[beyondDouble], [insert(2)], [insert(2)]])
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['failed', 'done', 'failed'],
  )
  assert.deepEqual(ids(), [2])
})

test('commitTogether keeps nothing of any call when the disk is full', (context) => {
  const { writer, ids } = open(context)
  commitTogether(writer, [[insert(1)]])
  // SQLite reports a file at its maximum size as it reports a full disk.
  writer.connection.exec('PRAGMA max_page_count = 8')
  assert.throws(
    () => commitTogether(writer, [[insert(2)], [insert(3, 100_000)], [insert(4)]]),
    (error) => isFatal(error) && /no disk space/.test(toDatabaseError(error, 'test.db').message),
  )
  assert.deepEqual(ids(), [1])
  writer.connection.exec('PRAGMA max_page_count = 1000')
  commitTogether(writer, [[insert(5)]])
  assert.deepEqual(ids(), [1, 5])
})

test('commitTogether is durable for connections opened afterwards', (context) => {
  const { writer, path } = open(context)
  commitTogether(writer, [[insert(1)]])
  const other = new DatabaseSync(path, { readOnly: true })
  assert.equal(other.prepare('SELECT count(*) AS many FROM rows').get()?.many, 1)
  other.close()
  // 2 means FULL: the log is synced at every commit.
  assert.equal(writer.connection.prepare('PRAGMA synchronous').get()?.synchronous, 2)
})

function open(context: { after(run: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-group-'))
  const path = join(folder, 'test.db')
  const connection = openSqliteConnection(path)
  context.after(() => {
    connection.close()
    rmSync(folder, { recursive: true })
  })
  connection.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)')
  const statements = new StatementCache(connection)
  const writer = { connection, statements, isSynced: true, waitMs: 10_000 }
  const ids = () =>
    connection
      .prepare('SELECT id FROM rows ORDER BY id')
      .all()
      .map(({ id }) => id)
  return { writer, ids, path }
}
