import assert from 'node:assert/strict'
import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../../../../../src/platform/state/open-database.ts'
import { SqliteDatabase } from '../../../../../../src/platform/state/sqlite/sqlite-database.ts'
import { openLocalDrive } from '../../../../../../src/storage/drives/local/local-drive.ts'
import { AttributeCache } from '../../../../../../src/storage/drives/local/objects/attribute-cache.ts'
import {
  identityOf,
  lastingPart,
} from '../../../../../../src/storage/drives/local/objects/file-identity.ts'
import {
  DatabaseFileRecords,
  saveStatement,
} from '../../../../../../src/storage/drives/local/objects/file-record-table.ts'
import { SmallWrites } from '../../../../../../src/storage/drives/local/small-writes/small-writes.ts'
import type {
  StoreJob,
  StoreOutcome,
} from '../../../../../../src/storage/drives/local/small-writes/write-jobs.ts'
import { runWriteJobs } from '../../../../../../src/storage/drives/local/small-writes/write-thread.ts'
import { attributesOf, bucket, get, log, put } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

const skip = process.platform !== 'linux'

async function openRecords(t: TestContext, folder: string) {
  const path = `${folder}/state.db`
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  const records = new DatabaseFileRecords(database)
  t.after(() => records.close().finally(() => database.close()))
  return { path, records, database }
}

/** A drive whose calls of `SmallWrites.store` are counted. */
async function openCounting(t: TestContext) {
  const root = tempFolder(t)
  const { records } = await openRecords(t, root)
  const drive = await openLocalDrive({ root: `${root}/drive`, records, log })
  t.after(() => drive.close())
  await drive.prepare([bucket])
  const store = t.mock.method(SmallWrites.prototype, 'store')
  return { drive, store }
}

/** A job that stores an object in one call. */
async function makeJob(t: TestContext) {
  const root = tempFolder(t)
  for (const name of ['bucket', 'locks']) fs.mkdirSync(`${root}/${name}`)
  fs.writeFileSync(`${root}/holder`, 'this process')
  const { path, records } = await openRecords(t, root)
  const job: StoreJob = {
    ...{ kind: 'store', path: `${root}/temporary`, bytes: Buffer.from('bytes') },
    ...{ modifiedAtMs: 1_700_000_000_123.456, isRelaxed: false, links: undefined },
    ...{ folder: `${root}/bucket`, name: 'key', alternative: `${root}/bucket/key.%file` },
    ...{ history: undefined, lock: { holder: `${root}/holder`, path: `${root}/locks/key` } },
    record: { path: 'bucket/key', json: '{}' },
  }
  const run = (changes: Partial<StoreJob> = {}, file = path, syncs = true) =>
    runWriteJobs({
      ...{ jobs: [{ ...job, ...changes }], syncs, records: { file, drive: '' } },
      ...{ hasBirthtime: true, descriptors: '/proc/self/fd/' },
    }).outcomes[0] as StoreOutcome | undefined
  return { root, path, records, run, object: `${root}/bucket/key` }
}

for (const isRelaxed of [false, true]) {
  const how = isRelaxed ? 'without a sync' : 'after the syncs'
  test(`one call stores an object, whose record comes before its name, ${how}`, {
    skip,
  }, async (t) => {
    const { root, path, records, run, object } = await makeJob(t)
    const steps: string[] = []
    const fsync = fs.fsyncSync
    t.mock.method(fs, 'fsyncSync', (fd: number) => {
      steps.push(`sync ${fs.readlinkSync(`/proc/self/fd/${fd}`).slice(root.length)}`)
      fsync(fd)
    })
    const rename = fs.renameSync
    t.mock.method(fs, 'renameSync', (from: string, to: string) => {
      const rows = new DatabaseSync(path).prepare('SELECT json FROM file_records').all()
      steps.push(`rename with ${rows.length} record`)
      rename(from, to)
    })
    const outcome = run({ isRelaxed, links: isRelaxed ? `${root}/replaced` : undefined })
    assert.equal(fs.readFileSync(object, 'utf8'), 'bytes')
    assert.ok((outcome?.recordedMs ?? -1) >= 0)
    assert.equal(await records.find(outcome?.stamp.identity ?? ''), '{}')
    const middle = 'rename with 1 record'
    assert.deepEqual(steps, isRelaxed ? [middle] : ['sync /temporary', middle, 'sync /bucket'])
    assert.deepEqual(fs.readdirSync(`${root}/locks`), [])
  })
}

test('a relaxed write links what it replaces under the lasting part of its own identity', {
  skip,
}, async (t) => {
  const { root, run, object } = await makeJob(t)
  fs.writeFileSync(object, 'former')
  const { stamp } = run({ isRelaxed: true, links: `${root}/round` }) ?? {}
  const link = `${root}/round/${lastingPart(stamp?.identity ?? '')}`
  assert.equal(fs.readFileSync(link, 'utf8'), 'former')
  assert.equal(fs.readFileSync(object, 'utf8'), 'bytes')
})

test('without its record, a file is not moved, and left for the main thread', {
  skip,
}, async (t) => {
  const { root, run, object } = await makeJob(t)
  const outcome = run({}, `${root}/bucket`)
  const { recordedMs, moved, isLocked, fd } = outcome ?? {}
  assert.deepEqual([recordedMs, moved, isLocked, fd], [undefined, undefined, false, undefined])
  assert.equal(fs.readFileSync(`${root}/temporary`, 'utf8'), 'bytes')
  assert.equal(fs.existsSync(object), false)
})

test('an error of the disk fails one job, and leaves no lock', { skip }, async (t) => {
  const { root, run, object } = await makeJob(t)
  const lstat = fs.lstatSync
  t.mock.method(fs, 'lstatSync', (path: string, options: fs.StatSyncOptions) => {
    if (path.startsWith(`${root}/locks/`)) throw Object.assign(new Error('EIO'), { code: 'EIO' })
    return lstat(path, options)
  })
  const outcome = run()
  assert.notEqual(outcome?.recordedMs, undefined)
  assert.equal(outcome?.moved, undefined)
  assert.deepEqual(fs.readdirSync(`${root}/locks`), [])
  assert.equal(fs.existsSync(object), false)
})

test('while another connection writes, the thread soon leaves the record to the main thread', {
  skip,
}, async (t) => {
  const { root, path, records, run, object } = await makeJob(t)
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const start = performance.now()
  assert.equal(run()?.recordedMs, undefined)
  assert.ok(performance.now() - start < 2_000)
  assert.equal(fs.existsSync(object), false)
  other.exec('ROLLBACK')
  fs.unlinkSync(`${root}/temporary`)
  const outcome = run()
  assert.equal(await records.find(outcome?.stamp.identity ?? ''), '{}')
})

test('a transaction that could not be ended does not keep other connections from writing', {
  skip,
}, async (t) => {
  const { root, path, run } = await makeJob(t)
  const { exec } = DatabaseSync.prototype
  const broken = t.mock.method(
    DatabaseSync.prototype,
    'exec',
    function (this: DatabaseSync, sql: string) {
      if (['COMMIT', 'ROLLBACK'].includes(sql)) throw new Error('failed')
      exec.call(this, sql)
    },
  )
  assert.equal(run()?.recordedMs, undefined)
  broken.mock.restore()
  const other = new DatabaseSync(path, { timeout: 0 })
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE; ROLLBACK')
  fs.unlinkSync(`${root}/temporary`)
  assert.notEqual(run()?.recordedMs, undefined)
})

test('the database is told how long a record took that the thread has saved', async (t) => {
  const committed = t.mock.method(SqliteDatabase.prototype, 'committed')
  const { records } = await openRecords(t, tempFolder(t))
  records.saved('1:0:1700000000000:1', 0.25)
  assert.deepEqual(committed.mock.calls[0]?.arguments as unknown[], [0.25])
})

test('many writes of one writer start the thread, which stores the objects', {
  skip,
}, async (t) => {
  const { drive, store } = await openCounting(t)
  for (let index = 0; index < 20; index++) await put(drive, `few/${index}`, 'x')
  assert.equal(store.mock.callCount(), 0)
  const untilMs = performance.now() + 20_000
  while (store.mock.callCount() === 0 && performance.now() < untilMs) await put(drive, 'k', 'last')
  await put(drive, 'k', 'last')
  assert.ok(store.mock.callCount() > 0)
  assert.equal((await get(drive, 'k'))?.text, 'last')
})

test('a single writer does not use the thread while syncs are slow', { skip }, async (t) => {
  const { drive, store } = await openCounting(t)
  const both = () => Promise.all([put(drive, 'a', 'x'), put(drive, 'b', 'x')])
  while (store.mock.callCount() === 0) await both()
  t.mock.method(SmallWrites.prototype, 'stores', () => false)
  const seal = t.mock.method(SmallWrites.prototype, 'seal')
  await put(drive, 'a', 'alone')
  assert.equal(seal.mock.callCount(), 0)
  await both()
  assert.ok(seal.mock.callCount() > 0)
})

test('a record that the thread has saved is not deleted for a former file', async (t) => {
  const { records, database } = await openRecords(t, tempFolder(t))
  const cache = new AttributeCache(records, log)
  const identity = '1:0:1700000000000:1'
  const record = { identity, path: 'bucket/key', size: 1, modifiedAtMs: 1_700_000_000_000 }
  cache.forget(identity)
  await database.write([saveStatement('', { ...record, json: '{}' }, 0)])
  cache.saved(identity, attributesOf('x'), 1)
  const now = performance.now()
  t.mock.method(performance, 'now', () => now + 3_600_000)
  await records.close()
  assert.equal(await records.find(identity), '{}')
})

test('a file that the caller has to sync is neither recorded nor moved', { skip }, async (t) => {
  const { path, records, run, object } = await makeJob(t)
  const outcome = run({}, path, false)
  assert.equal(outcome?.recordedMs, undefined)
  assert.equal(fs.fstatSync(outcome?.fd ?? -1).size, 5)
  fs.closeSync(outcome?.fd ?? -1)
  assert.equal(await records.find(outcome?.stamp.identity ?? ''), undefined)
  assert.equal(fs.existsSync(object), false)
})

test('nothing is written if the folder is missing', { skip }, async (t) => {
  const { root, run } = await makeJob(t)
  fs.rmdirSync(`${root}/bucket`)
  assert.equal(run(), undefined)
  assert.equal(fs.existsSync(`${root}/temporary`), false)
})

/** A drive whose records are in SQLite, and whose thread has started. */
async function openWithStore(t: TestContext) {
  const root = tempFolder(t)
  const { records } = await openRecords(t, tempFolder(t))
  const drive = await openLocalDrive({ root, records, log })
  t.after(() => drive.close())
  await drive.prepare([bucket])
  t.mock.method(SmallWrites.prototype, 'stores', () => true)
  const store = t.mock.method(SmallWrites.prototype, 'store')
  while (store.mock.callCount() === 0) {
    await Promise.all([put(drive, 'warm/1', 'x'), put(drive, 'warm/2', 'x')])
  }
  return { drive, root, store }
}

test('concurrent writes in one call each leave the last version, with its attributes', {
  skip,
}, async (t) => {
  const { drive, root } = await openWithStore(t)
  const writer = async (number: number) => {
    for (let index = 0; index < 30; index++) {
      await put(drive, `own/${number}`, `${number} ${index}`)
      await put(drive, `shared/${index % 3}`, `${number} ${index} shared`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)))
  for (let number = 0; number < 8; number++) {
    const object = await get(drive, `own/${number}`)
    assert.deepEqual(object, { text: `${number} 29`, etag: attributesOf(`${number} 29`).etag })
  }
  for (const index of [0, 1, 2]) {
    const object = await get(drive, `shared/${index}`)
    assert.equal(object?.etag, attributesOf(object?.text ?? '').etag)
  }
  assert.deepEqual(fs.readdirSync(`${root}/.bucketry/locks`), [])
})

test('when the thread ends in the call, its lock, its file and its record are removed', {
  skip,
}, async (t) => {
  const { drive, root, store } = await openWithStore(t)
  const forget = t.mock.method(AttributeCache.prototype, 'forget')
  let identity = ''
  store.mock.mockImplementationOnce(async ({ path, lock }) => {
    fs.writeFileSync(path, 'some of the')
    identity = identityOf(fs.statSync(path), true)
    fs.linkSync(lock.holder, lock.path)
    throw Object.assign(new Error('The thread ended.'), { code: 'EIO' })
  })
  await assert.rejects(put(drive, 'k', 'x'), { kind: 'unavailable', message: /Send the request/ })
  const paths = fs.readdirSync(`${root}/.bucketry`, { recursive: true }) as string[]
  assert.deepEqual(
    paths.filter((path) => /^tmp\/[^/]+\/\d+$|^locks\/./.test(path)),
    [],
  )
  // A test need not know whether the file system keeps birth times.
  const inode = (text: unknown) => String(text).split(':')[0]
  assert.deepEqual(
    forget.mock.calls.map((call) => inode(call.arguments[0])),
    [inode(identity)],
  )
  await put(drive, 'k', 'again')
  assert.equal((await get(drive, 'k'))?.text, 'again')
})
