import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DatabaseError } from '../../../../../src/platform/state/database.ts'
import { openSqliteConnection } from '../../../../../src/platform/state/sqlite/sqlite-connection.ts'

const folder = mkdtempSync(join(tmpdir(), 'bucketry-connection-'))
after(() => rmSync(folder, { recursive: true }))

test('openSqliteConnection creates the folder, and files that only their owner can read', () => {
  const path = join(folder, 'new', 'folder', 'test.db')
  const connection = openSqliteConnection(path)
  connection.exec('CREATE TABLE rows (id INTEGER)')
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    assert.equal(statSync(file).mode & 0o777, 0o600, file)
  }
  connection.close()
})

test('openSqliteConnection names a file that is not a database', () => {
  const path = join(folder, 'letter.db')
  writeFileSync(path, 'Dear reader, '.repeat(1_000))
  assert.throws(() => openSqliteConnection(path), isDatabaseError(/letter\.db is not an SQLite/))
})

test('openSqliteConnection names a folder that is not writable', () => {
  writeFileSync(join(folder, 'file'), '')
  const inFile = join(folder, 'file', 'test.db')
  assert.throws(
    () => openSqliteConnection(inFile),
    isDatabaseError(/file\/test\.db can't be created/),
  )
  mkdirSync(join(folder, 'directory.db'))
  assert.throws(
    () => openSqliteConnection(join(folder, 'directory.db')),
    isDatabaseError(/directory\.db can't be opened/),
  )
})

function isDatabaseError(expected: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof DatabaseError)
    assert.match(error.message, expected)
    assert.notEqual(error.cause, undefined)
    return true
  }
}
