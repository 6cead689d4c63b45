import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { openBackupFile, writeBackupFile } from '../../../../../src/app/cli/commands/backup-file.ts'
import type { BackupLine } from '../../../../../src/platform/state/backup/backup-lines.ts'
import { DatabaseError } from '../../../../../src/platform/state/database.ts'

const header: BackupLine = {
  ...{ backup: 'bucketry', format: 1, version: '1.2.3', createdAt: '', migrations: [] },
  settingsFile: null,
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-backup-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

async function* some(): AsyncGenerator<BackupLine> {
  yield header
  yield { table: 'a', columns: ['b'] }
  for (let row = 0; row < 5_000; row++) yield [`é🎉 ${row}`, row, null]
  yield { rows: 5_000 }
}

test('A backup file is private and is read as it was written', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'backup.gz')
  writeFileSync(path, gzipSync(`${JSON.stringify(header)}\n`))
  await writeBackupFile(path, some())
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const opened = await openBackupFile(path)
  assert.deepEqual(
    [opened.header, ...(await Array.fromAsync(opened.lines))],
    await Array.fromAsync(some()),
  )
  assert.deepEqual(readdirSync(folder), ['backup.gz'])
})

test('A backup that fails leaves the earlier one and no other file', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'backup.gz')
  await writeBackupFile(path, some())
  const earlier = readFileSync(path)
  const failing = async function* () {
    yield header
    throw new DatabaseError('the database is gone')
  }
  await assert.rejects(writeBackupFile(path, failing()), /the database is gone/)
  assert.deepEqual(readFileSync(path), earlier)
  assert.deepEqual(readdirSync(folder), ['backup.gz'])
  await assert.rejects(writeBackupFile(join(folder, 'no/backup.gz'), some()), /written \(ENOENT\)/)
})

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`A backup that ${signal} interrupts leaves the earlier one and no other file`, async (t) => {
    const folder = temporaryFolder(t)
    const path = join(folder, 'backup.gz')
    await writeBackupFile(path, some())
    const earlier = readFileSync(path)
    const listeners = process.listenerCount(signal)
    const interrupted = async function* () {
      yield* some()
      process.kill(process.pid, signal)
      // Endless: only the signal ends it.
      for (;;) {
        yield header
        await setImmediate()
      }
    }
    await assert.rejects(writeBackupFile(path, interrupted()), {
      name: 'DatabaseError',
      message: /was interrupted/,
    })
    assert.deepEqual(readFileSync(path), earlier)
    assert.deepEqual(readdirSync(folder), ['backup.gz'])
    assert.equal(process.listenerCount(signal), listeners)
  })
}

test('A backup replaces nothing but backups and empty files', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'bucketry.db')
  writeFileSync(path, 'SQLite format 3')
  const refused = { name: 'DatabaseError', message: /exists and is not a backup of Bucketry/ }
  await assert.rejects(writeBackupFile(path, some()), refused)
  assert.equal(readFileSync(path, 'utf8'), 'SQLite format 3')
  await assert.rejects(writeBackupFile(folder, some()), refused)
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await assert.rejects(writeBackupFile(pipe, some()), refused)
  writeFileSync(path, '')
  await writeBackupFile(path, some())
  assert.deepEqual(readdirSync(folder), ['bucketry.db', 'pipe'])
})

test('A file that is damaged, cut off or something else is refused', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'backup.gz')
  await writeBackupFile(path, some())
  const whole = readFileSync(path)
  const readAll = async (bytes: Uint8Array) => {
    writeFileSync(path, bytes)
    const opened = await openBackupFile(path)
    try {
      return await Array.fromAsync(opened.lines)
    } finally {
      opened.close()
    }
  }
  const refused = { name: 'DatabaseError', message: /is (damaged|not a backup)/ }
  await assert.rejects(readAll(whole.subarray(0, whole.length - 100)), refused)
  await assert.rejects(readAll(Buffer.from('text')), refused)
  await assert.rejects(readAll(Buffer.alloc(0)), refused)
  await assert.rejects(readAll(gzipSync('{"other":1}\n')), refused)
  await assert.rejects(readAll(gzipSync('null\n')), refused)
  await assert.rejects(readAll(gzipSync('{"backup":"bucketry"')), refused)
  const newer = gunzipSync(whole).toString().replace('"format":1', '"format":2')
  await assert.rejects(readAll(gzipSync(newer)), /restore it with that version/)
  await assert.rejects(openBackupFile(join(folder, 'missing')), /can't be read \(ENOENT\)/)
})
