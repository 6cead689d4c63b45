import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { DatabaseError } from '../../../../../src/platform/state/database.ts'
import { OwnCommits } from '../../../../../src/platform/state/sqlite/group-reply.ts'
import { SqliteWriter } from '../../../../../src/platform/state/sqlite/sqlite-writer.ts'

const dyingThread = new URL('../../../../support/dying-writer-thread.ts', import.meta.url)
const realThread = new URL(
  '../../../../../src/platform/state/sqlite/sqlite-writer-thread.ts',
  import.meta.url,
)

test('SqliteWriter rejects the calls of a thread that dies and starts another one', async () => {
  let started = 0
  const writer = new SqliteWriter(() => {
    started += 1
    return new Worker(dyingThread)
  })
  const together = await Promise.allSettled([
    writer.write([{ sql: 'live' }]),
    writer.write([{ sql: 'die' }]),
  ])
  for (const result of together) {
    assert.equal(result.status, 'rejected')
    if (result.status === 'rejected') assert.ok(result.reason instanceof DatabaseError)
  }
  assert.deepEqual(await writer.write([{ sql: 'live' }]), [])
  assert.equal(started, 2)
  await writer.close()
})

test('SqliteWriter ends its thread after a minute without writes, and starts another one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let started = 0
  const writer = new SqliteWriter(() => {
    started += 1
    return new Worker(dyingThread)
  })
  assert.equal(started, 0)
  for (const pauseMs of [59_999, 59_999, 60_000, 0]) {
    assert.deepEqual(await writer.write([{ sql: 'live' }]), [])
    t.mock.timers.tick(pauseMs)
  }
  assert.equal(started, 2)
  await writer.close()
})

test('SqliteWriter commits without a thread until the process serves', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-writer-'))
  const path = join(folder, 'test.db')
  let started = 0
  const writer = new SqliteWriter(() => {
    started += 1
    return new Worker(realThread, { workerData: { path } })
  }, new OwnCommits(path))
  t.after(async () => {
    await writer.close()
    rmSync(folder, { recursive: true })
  })
  await writer.write([{ sql: 'CREATE TABLE rows (id INTEGER)' }])
  const insert = (table: string) => writer.write([{ sql: `INSERT INTO ${table} VALUES (1)` }])
  const failure = { name: 'DatabaseError', message: /no such table/ }
  await Promise.all([insert('rows'), assert.rejects(insert('others'), failure)])
  assert.equal(started, 0)
  writer.endEarly()
  assert.deepEqual(await insert('rows'), [{ changes: 1, rows: [] }])
  assert.equal(started, 1)
})

test('SqliteWriter leaves it to the thread to wait for another process that holds the file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-writer-'))
  const path = join(folder, 'test.db')
  const other = new DatabaseSync(path)
  const writer = new SqliteWriter(
    () => new Worker(realThread, { workerData: { path } }),
    new OwnCommits(path),
  )
  t.after(async () => {
    await writer.close()
    rmSync(folder, { recursive: true })
  })
  other.exec('BEGIN EXCLUSIVE')
  const written = writer.write([{ sql: 'CREATE TABLE rows (id INTEGER)' }])
  setTimeout(() => other.close(), 100)
  await written
})

test('SqliteWriter writes the calls that waited while the thread died', async () => {
  const writer = new SqliteWriter(() => new Worker(dyingThread))
  await writer.write([{ sql: 'live' }])
  const dying = assert.rejects(writer.write([{ sql: 'die' }]), DatabaseError)
  await new Promise((resolve) => setImmediate(resolve))
  const waiting = writer.write([{ sql: 'live' }])
  await dying
  assert.deepEqual(await waiting, [])
  await writer.close()
})

test('SqliteWriter rejects when its thread cannot open the file, and tries again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-writer-'))
  let path = join(folder)
  const writer = new SqliteWriter(() => new Worker(realThread, { workerData: { path } }))
  const create = { sql: 'CREATE TABLE rows (id INTEGER)' }
  await assert.rejects(writer.write([create]), (error) => {
    assert.ok(error instanceof DatabaseError)
    assert.match(error.message, /can't be opened/)
    return true
  })
  path = join(folder, 'test.db')
  await untilWritten(writer, create.sql)
  await writer.close()
  rmSync(folder, { recursive: true })
})

test('SqliteWriter rejects when the system allows no thread, and tries again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let isAllowed = true
  const writer = new SqliteWriter(() => {
    if (!isAllowed) throw new Error('EAGAIN')
    return new Worker(dyingThread)
  })
  await writer.write([{ sql: 'live' }])
  t.mock.timers.tick(60_000)
  isAllowed = false
  const together = await Promise.allSettled([
    writer.write([{ sql: 'live' }]),
    writer.write([{ sql: 'live' }]),
  ])
  for (const result of together) {
    assert.ok(result.status === 'rejected' && result.reason instanceof DatabaseError)
    assert.match(result.reason.message, /could not start; nothing was written/)
  }
  isAllowed = true
  assert.deepEqual(await writer.write([{ sql: 'live' }]), [])
  await writer.close()
})

test('SqliteWriter refuses more waiting calls than its limit', async () => {
  const writer = new SqliteWriter(() => new Worker(dyingThread))
  const calls = Array.from({ length: 20_001 }, () => writer.write([{ sql: 'live' }]))
  const settled = await Promise.allSettled(calls)
  assert.equal(settled.filter(({ status }) => status === 'rejected').length, 1)
  assert.equal(settled.at(-1)?.status, 'rejected')
  await writer.close()
})

test('SqliteWriter refuses calls once closed, and closes without ever having written', async () => {
  const writer = new SqliteWriter(() => new Worker(dyingThread))
  await writer.close()
  await assert.rejects(writer.write([{ sql: 'live' }]), DatabaseError)
})

/** The old thread may still be ending. */
async function untilWritten(writer: SqliteWriter, sql: string): Promise<void> {
  const giveUpAt = Date.now() + 10_000
  for (;;) {
    try {
      await writer.write([{ sql }])
      return
    } catch (error) {
      if (Date.now() > giveUpAt) throw error
    }
  }
}
