import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/state/open-database.ts'
import { FailureTable } from '../../src/state/stores/failures.ts'
import { UploadTable } from '../../src/state/stores/uploads.ts'

/** The contract of the dashboard's tables, for every database. */
export function describeConsoleTables(
  name: string,
  createLocation: () => Promise<DatabaseLocation>,
) {
  describe(`${name} console tables`, () => {
    let database: Database
    let other: Database
    before(async () => {
      const location = await createLocation()
      database = await openDatabase(location, { migrate: true })
      other = await openDatabase(location, { migrate: false })
    })
    after(() => Promise.all([database.close(), other.close()]))

    describeFailures(() => [database, other])
    describeOpenUploads(() => database)
  })
}

function describeFailures(databases: () => [Database, Database]): void {
  test('FailureTable keeps only the latest failures of all processes', async () => {
    const tables = databases().map((database) => new FailureTable(database, 150))
    const rows = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        requestId: `request ${String(from + index).padStart(4, '0')}`,
        atMs: Math.floor((from + index) / 10),
        json: `{"key":"\\u0000 ${from + index}"}`,
      }))
    await Promise.all([
      tables[0]?.add(rows(0, 100)),
      tables[1]?.add(rows(100, 73)),
      tables[0]?.add(rows(173, 1)),
    ])
    assert.deepEqual(await tables[1]?.latest(10_000), rows(24, 150).reverse())
    await tables[1]?.add(rows(1_000, 400))
    assert.deepEqual(await tables[0]?.latest(10_000), rows(1_250, 150).reverse())
  })

  test('FailureTable hides failures noted before it was cleared, unless the clock was set back', async () => {
    const [mine, other] = databases().map((database) => new FailureTable(database, 3))
    assert.ok(mine !== undefined && other !== undefined)
    const row = (requestId: string, atMs: number) => ({ requestId, atMs, json: '{}' })
    const ids = async (nowMs: number) =>
      (await other.latest(nowMs)).map(({ requestId }) => requestId)
    await mine.add([row('before', 19_000)])
    await mine.clear(20_000)
    await mine.clear(20_001)
    await other.add([row('late', 20_000), row('new', 20_002)])
    assert.deepEqual(await ids(30_000), ['new'])
    assert.deepEqual(await ids(10_000), ['new', 'late'])
    await mine.add([row('n2', 20_003), row('n3', 20_004), row('n4', 20_005)])
    assert.deepEqual(await ids(30_000), ['n4', 'n3', 'n2'])
  })

  test('FailureTable is cleared by several processes at the same time', async () => {
    const [database] = databases()
    const tables = databases().map((one) => new FailureTable(one, 3))
    for (let round = 0; round < 20; round++) {
      // As before the first clear: no earlier row makes the others wait.
      await database.write([{ sql: 'DELETE FROM failures', params: [] }])
      await Promise.all([...tables, ...tables].map((table) => table.clear(40_000)))
    }
    const late = { requestId: 'late', atMs: 40_000, json: '{}' }
    await tables[0]?.add([late])
    assert.deepEqual(await tables[1]?.latest(40_000), [])
  })
}

function describeOpenUploads(database: () => Database): void {
  test('UploadTable lists the open uploads of a bucket, newest first, page by page', async () => {
    const table = new UploadTable(database())
    const ids = ['open a', 'open b', 'open c', 'open d']
    for (const [index, id] of ids.entries()) {
      const target = JSON.stringify([index === 1 ? 'other' : 'b', `k\0${index}`])
      // Two at the same moment.
      const createdAtMs = 1_000 + Math.floor(index / 2)
      await table.insert({ id, target, details: '{}', driveState: '', createdAtMs, sortKey: '' })
    }
    await table.abort('open a', 2_000)
    const listed = async (start: string, limit = 10) => {
      const found: string[] = []
      for (;;) {
        const last = found.at(-1)
        const after = last === undefined ? undefined : await table.find(last)
        const page = await table.open(start, after, limit)
        if (page.length === 0) return found
        found.push(...page.map(({ id }) => id))
      }
    }
    assert.deepEqual(await listed('["b",'), ['open d', 'open c'])
    assert.deepEqual(await listed('["b",', 1), ['open d', 'open c'])
    assert.deepEqual(await listed('["other",'), ['open b'])
    assert.deepEqual(await listed('[', 2), ['open d', 'open c', 'open b'])
    assert.deepEqual(await listed('["%",'), [])
  })
}
