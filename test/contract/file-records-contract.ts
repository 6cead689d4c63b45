import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'

const odd = 'bucket/a\u0000b"\\é🎉?'

import {
  DatabaseFileRecords,
  type FileRecord,
  type FileRecords,
} from '../../src/storage/drives/local/objects/file-record-table.ts'
/** The contract of the local drive's records, for every database. */
export function describeFileRecords(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} file records`, () => {
    let database: Database
    let store: DatabaseFileRecords
    let records: FileRecords
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
      store = new DatabaseFileRecords(database)
      records = store
    })
    after(async () => {
      await store.close()
      await database.close()
    })

    test('lists find nothing in an unused table, then what another process saves', async () => {
      const other = new DatabaseFileRecords(database)
      const { path, size, modifiedAtMs } = record('first', { path: 'bucket/first' })
      const found = async () => [
        [...(await records.findMany(['first'])).keys()],
        [...(await records.findByPaths([{ path, size, modifiedAtMs }])).keys()],
      ]
      assert.deepEqual(await found(), [[], []])
      await other.save(record('first', { path }), [])
      assert.deepEqual(await found(), [['first'], [path]])
      await other.close()
    })

    test('find returns what save saved last, and undefined for what was never saved', async () => {
      await records.save(record('find', { json: '{"etag":"1"}' }), [])
      assert.equal(await records.find('find'), '{"etag":"1"}')
      await records.save(record('find', { json: '{"etag":"2"}' }), [])
      assert.equal(await records.find('find'), '{"etag":"2"}')
      assert.equal(await records.find('found'), undefined)
    })

    test('findMany returns all records, for any number of identities', async () => {
      const many = Array.from({ length: 1_000 }, (_, index) => `many-${index}`)
      await Promise.all(many.map((identity) => records.save(record(identity), [])))
      for (const count of [0, 1, 2, 8, 9, 64, 65, 512, 513, 1_000]) {
        const asked = many.slice(0, count).flatMap((identity) => [identity, `no-${identity}`])
        const found = await records.findMany(asked)
        assert.deepEqual([...found.keys()].sort(), many.slice(0, count).sort())
        for (const [identity, json] of found) assert.equal(json, record(identity).json)
      }
    })

    test('findByPaths returns the newest record of exactly this path, size and time', async () => {
      const here = { path: odd, size: 5, modifiedAtMs: 1_755_555_555_123.25 }
      const find = async (wanted: Partial<typeof here>) =>
        (await records.findByPaths([{ ...here, ...wanted }])).get(wanted.path ?? odd)
      await records.save(record('path-1', { ...here, json: '1' }), [])
      await records.save(record('path-2', { ...here, size: 6, json: '2' }), [])
      assert.equal(await find({}), '1')
      assert.equal(await find({ size: 6 }), '2')
      // File systems store different fractions of a second.
      assert.equal(await find({ modifiedAtMs: Math.floor(here.modifiedAtMs) }), '1')
      assert.equal(await find({ modifiedAtMs: here.modifiedAtMs + 2 }), undefined)
      assert.equal(await find({ size: 7 }), undefined)
      assert.equal(await find({ path: `${odd}x` }), undefined)
      await untilClockTicks()
      await records.save(record('path-0', { ...here, json: '3' }), [])
      assert.equal(await find({}), '3')
    })

    test('findByPaths returns all existing records among 1,000 paths', async () => {
      const paths = Array.from({ length: 1_000 }, (_, index) => ({
        path: `${'long/'.repeat(800)}${index}`,
        size: index,
        modifiedAtMs: index + 0.5,
      }))
      const saved = paths.filter((_, index) => index % 2 === 0)
      await Promise.all(saved.map((path) => records.save(record(`at-${path.size}`, path), [])))
      const found = await records.findByPaths(paths)
      assert.deepEqual(new Set(found.keys()), new Set(saved.map(({ path }) => path)))
      assert.equal(found.get(saved[7]?.path ?? ''), record('at-14').json)
    })

    test('moved gives records other paths, and only the paths', async () => {
      const files = Array.from({ length: 1_000 }, (_, index) => record(`from-${index}`))
      await Promise.all(files.map((file) => records.save(file, [])))
      const there = files.map((file) => ({ ...file, path: `elsewhere/${odd}${file.identity}` }))
      await records.moved([...there.slice(0, 999), { identity: 'unknown', path: 'x' }])
      const found = await records.findByPaths([...files, ...there])
      assert.equal(found.size, 1_000)
      assert.equal(found.get(there[998]?.path ?? ''), files[998]?.json)
      assert.equal(found.get(files[999]?.path ?? ''), files[999]?.json)
      assert.equal(await records.find('from-0'), files[0]?.json)
      assert.equal(await records.find('unknown'), undefined)
    })

    test('saveFolders stores own folders alone', async () => {
      await records.saveFolders(['alone-1', 'alone-2'])
      await records.saveFolders(['alone-1'])
      assert.equal(await records.isOwnFolder('alone-1'), true)
      assert.equal(await records.isOwnFolder('alone-2'), true)
    })

    test('save stores own folders, new or known, until forgetFolder', async () => {
      await records.save(record('folders'), ['f1'])
      await records.save(record('folders'), ['f1', 'f2'])
      assert.equal(await records.isOwnFolder('f1'), true)
      assert.equal(await records.isOwnFolder('f2'), true)
      assert.equal(await records.isOwnFolder('f3'), false)
      records.forgetFolder('f1')
      await until(async () => !(await records.isOwnFolder('f1')))
      assert.equal(await records.isOwnFolder('f2'), true)
    })
  })
}

function record(identity: string, fields: Partial<FileRecord> = {}): FileRecord {
  const json = JSON.stringify({ etag: identity })
  return { identity, path: `bucket/${identity}`, size: 1, modifiedAtMs: 1.5, json, ...fields }
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 10_000
  while (!(await isReached())) {
    assert.ok(Date.now() < giveUpAt, 'waited 10 s')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Records are ordered by milliseconds: waits for the next one. */
async function untilClockTicks(): Promise<void> {
  const start = Date.now()
  await until(async () => Date.now() > start)
}
