import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { DatabaseError } from '../../../../src/platform/state/database.ts'
import {
  type Migration,
  pendingMigrations,
  readMigrations,
} from '../../../../src/platform/state/migrate.ts'

const first = migration(1, 'first')
const second = migration(2, 'second')
const third = migration(3, 'third')

test('pendingMigrations returns the unapplied migrations in order', () => {
  assert.deepEqual(pendingMigrations([first, second, third], []), [first, second, third])
  assert.deepEqual(pendingMigrations([first, second, third], [first]), [second, third])
  assert.deepEqual(pendingMigrations([first, second], [first, second]), [])
})

test('pendingMigrations goes on with what a newer version has added', () => {
  assert.deepEqual(pendingMigrations([first, second], [first, second, third]), [])
})

test('pendingMigrations refuses what a newer version has broken, and says what to do', () => {
  const breaking = migration(4, 'breaking-keys')
  assert.throws(
    () => pendingMigrations([first, second], [first, second, third, breaking]),
    (error) =>
      error instanceof DatabaseError &&
      /newer version.*0004-breaking-keys.*run the newer version/.test(error.message),
  )
})

/** Changes that an older version of the program does not notice. */
const additions =
  /^(?:CREATE (?:TABLE|INDEX) \w+ [\s\S]*|ALTER TABLE \w+ ADD COLUMN \w+ \w+ NOT NULL DEFAULT \S+|DROP INDEX \w+|INSERT INTO \w+ [\s\S]*)$/

test('Migrations only add, or say in their name that they break older versions', async () => {
  for (const { name, sql } of await readMigrations()) {
    if (name.startsWith('breaking-')) continue
    const statements = sql
      .replaceAll(/--.*$/gm, '')
      .split(';')
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '')
    for (const statement of statements) assert.match(statement, additions, name)
  }
})

test('pendingMigrations refuses a migration that was changed after it was applied', () => {
  const changed = { ...second, checksum: 'other' }
  assert.throws(() => pendingMigrations([first, changed], [first, second]), DatabaseError)
})

test('pendingMigrations refuses a database that skipped one', () => {
  assert.throws(() => pendingMigrations([first, second, third], [first, third]), DatabaseError)
})

test('readMigrations finds the files of this version, numbered without gaps', async () => {
  const migrations = await readMigrations()
  assert.ok(migrations.length >= 1)
  assert.deepEqual(
    migrations.map(({ number }) => number),
    migrations.map((_, index) => index + 1),
  )
})

test('readMigrations computes the same checksum for all line endings', async () => {
  const [unix, windows] = await Promise.all([
    readOne('0001-a.sql', 'SELECT 1;\nSELECT 2;\n'),
    readOne('0001-a.sql', 'SELECT 1;\r\nSELECT 2;\r\n'),
  ])
  assert.equal(unix?.checksum, windows?.checksum)
  assert.deepEqual([unix?.number, unix?.name], [1, 'a'])
})

test('readMigrations refuses a file whose name has no number', async () => {
  await assert.rejects(readOne('initial.sql', ''), DatabaseError)
})

function migration(number: number, name: string): Migration {
  return { number, name, checksum: `checksum of ${name}`, sql: '' }
}

async function readOne(fileName: string, sql: string): Promise<Migration | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-migrations-'))
  try {
    await writeFile(join(folder, fileName), sql)
    const [only] = await readMigrations(folder)
    return only
  } finally {
    await rm(folder, { recursive: true })
  }
}
