import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ActivityKind, ActivityTable } from '../../src/dashboard/management/activity-table.ts'
import {
  hourMs,
  minuteMs,
  type TrafficRow,
  TrafficTable,
} from '../../src/dashboard/management/traffic-table.ts'
import {
  deleteBucketThumbnails,
  ThumbnailTable,
} from '../../src/dashboard/thumbnails/thumbnail-table.ts'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { UploadTable } from '../../src/storage/s3/multipart/upload-table.ts'

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

    describeActivity(() => [database, other])
    describeTraffic(() => [database, other])
    describeThumbnails(() => [database, other])
    describeOpenUploads(() => database)
  })
}

const keptOf = (failure: number) => ({ failure, own: 2, change: 3 })
const kinds = ['failure', 'own', 'change'] as const

/** All that is kept of some kinds, newest first. */
async function listed(table: ActivityTable, nowMs: number, some: readonly ActivityKind[] = kinds) {
  return table.page(nowMs, { kinds: some, after: undefined, fromMs: 0, limit: 1_000 })
}

function describeActivity(databases: () => [Database, Database]): void {
  const row = (requestId: string, atMs: number, kind: ActivityKind = 'failure') => ({
    ...{ requestId, atMs, kind, json: '{}' },
  })

  test('ActivityTable keeps only the latest failures of all processes', async () => {
    const tables = databases().map((database) => new ActivityTable(database, keptOf(150)))
    const rows = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        requestId: `request ${String(from + index).padStart(4, '0')}`,
        atMs: Math.floor((from + index) / 10),
        kind: 'failure' as const,
        json: `{"key":"\\u0000 ${from + index}"}`,
      }))
    await Promise.all([
      tables[0]?.add(rows(0, 100)),
      tables[1]?.add(rows(100, 73)),
      tables[0]?.add(rows(173, 1)),
    ])
    assert.ok(tables[0] !== undefined && tables[1] !== undefined)
    assert.deepEqual(await listed(tables[1], 10_000), rows(24, 150).reverse())
    await tables[1].add(rows(1_000, 400))
    assert.deepEqual(await listed(tables[0], 10_000), rows(1_250, 150).reverse())
  })

  test('ActivityTable hides failures noted before it was cleared, unless the clock was set back', async () => {
    const [mine, other] = databases().map((database) => new ActivityTable(database, keptOf(3)))
    assert.ok(mine !== undefined && other !== undefined)
    const ids = async (nowMs: number) =>
      (await listed(other, nowMs)).map(({ requestId }) => requestId)
    await mine.add([row('before', 19_000), row('own', 19_000, 'own')])
    await mine.clear(20_000)
    await mine.clear(20_001)
    await other.add([row('late', 20_000), row('new', 20_002)])
    assert.deepEqual(await ids(30_000), ['new'])
    assert.deepEqual(await ids(10_000), ['new', 'late'])
    await mine.add([row('n2', 20_003), row('n3', 20_004), row('n4', 20_005)])
    assert.deepEqual(await ids(30_000), ['n4', 'n3', 'n2'])
  })

  test('ActivityTable keeps changes when failures are cleared or many, and pages through them', async () => {
    const [table] = databases().map((database) => new ActivityTable(database, keptOf(3)))
    assert.ok(table !== undefined)
    await table.add(['c1', 'c2', 'c3', 'c4'].map((id, index) => row(id, 50_000 + index, 'change')))
    await table.add(Array.from({ length: 20 }, (_, index) => row(`f${index}`, 60_000)))
    await table.add(Array.from({ length: 20 }, (_, index) => row(`o${index}`, 60_000, 'own')))
    assert.equal((await listed(table, 70_000, ['own'])).length, 2)
    await table.clear(65_000)
    const all = await listed(table, 70_000)
    assert.deepEqual(
      all.map(({ requestId }) => requestId),
      ['c4', 'c3', 'c2'],
    )
    const page = { kinds, fromMs: 50_002, limit: 10 }
    const older = await table.page(70_000, { ...page, after: all[0] })
    assert.deepEqual(
      older.map(({ requestId }) => requestId),
      ['c3'],
    )
  })

  test('ActivityTable takes rows of a version that knows only failures', async () => {
    const [database] = databases()
    const table = new ActivityTable(database, keptOf(3))
    await database.write([
      {
        sql: 'INSERT INTO failures (request_id, at_ms, json) VALUES (?, ?, ?)',
        params: ['old', 90_000, '{}'],
      },
    ])
    const [first] = await listed(table, 100_000)
    assert.deepEqual([first?.requestId, first?.kind], ['old', 'failure'])
  })

  test('ActivityTable is cleared by several processes at the same time', async () => {
    const [database] = databases()
    const tables = databases().map((one) => new ActivityTable(one, keptOf(3)))
    for (let round = 0; round < 20; round++) {
      // As before the first clear: no earlier row makes the others wait.
      await database.write([{ sql: 'DELETE FROM failures', params: [] }])
      await Promise.all([...tables, ...tables].map((table) => table.clear(40_000)))
    }
    assert.ok(tables[0] !== undefined && tables[1] !== undefined)
    await tables[0].add([row('late', 40_000)])
    assert.deepEqual(await listed(tables[1], 40_000), [])
  })
}

function describeTraffic(databases: () => [Database, Database]): void {
  const minute = (fromMs: number, slowestUs = 5): TrafficRow => ({
    ...{ fromMs, slowestUs, requests: 1, refused: 2, failed: 3 },
    ...{ receivedBytes: 4_000_000_000, sentBytes: 5, driveCalls: 6, driveUs: 7 },
  })

  test('TrafficTable adds up what several processes add, by the minute and the hour', async () => {
    const tables = databases().map((database) => new TrafficTable(database))
    const [table] = tables
    assert.ok(table !== undefined)
    await table.add([])
    const rows = [minute(hourMs), minute(hourMs + minuteMs, 9)]
    // In different orders, which must not block each other.
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        tables[index % 2]?.add(index % 2 === 0 ? rows : rows.toReversed()),
      ),
    )
    const read = await table.read(minuteMs, 0, 10 * hourMs)
    assert.deepEqual(
      read.map(({ fromMs, requests, receivedBytes, slowestUs }) => {
        return { fromMs, requests, receivedBytes, slowestUs }
      }),
      [
        { fromMs: hourMs, requests: 10, receivedBytes: 40_000_000_000, slowestUs: 5 },
        { fromMs: hourMs + minuteMs, requests: 10, receivedBytes: 40_000_000_000, slowestUs: 9 },
      ],
    )
    const [hour, ...others] = await table.read(4 * hourMs, 0, 10 * hourMs)
    assert.deepEqual(others, [])
    assert.deepEqual([hour?.fromMs, hour?.requests, hour?.slowestUs], [0, 20, 9])
    assert.deepEqual(await table.read(minuteMs, 0, hourMs), [])
  })

  test('TrafficTable forgets minutes after a day and hours after a month', async () => {
    const [table] = databases().map((database) => new TrafficTable(database))
    assert.ok(table !== undefined)
    const dayMs = 24 * hourMs
    const nowMs = 100 * dayMs
    await table.add([minute(nowMs - 2 * dayMs), minute(nowMs - 40 * dayMs), minute(nowMs)])
    await table.sweep(nowMs)
    const from = async (stepMs: number) =>
      (await table.read(stepMs, 50 * dayMs, nowMs + 1)).map(({ fromMs }) => fromMs)
    assert.deepEqual(await from(minuteMs), [nowMs])
    assert.deepEqual(await from(hourMs), [nowMs - 2 * dayMs, nowMs])
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

function describeThumbnails(databases: () => [Database, Database]): void {
  const row = (etag: string, atMs: number, bucket = 'photos') => {
    const picture = Uint8Array.from({ length: 30_000 }, (_, index) => index % 251)
    return { bucket, etag, atMs, picture }
  }
  const foundIn = async (table: ThumbnailTable, etags: readonly string[], bucket = 'photos') => {
    const found = await Promise.all(etags.map((etag) => table.find(bucket, etag)))
    return etags.filter((_, index) => found[index] !== undefined)
  }

  test('ThumbnailTable returns the first picture of each bucket and ETag, byte by byte', async () => {
    const [one, other] = databases().map((database) => new ThumbnailTable(database, 100))
    assert.ok(one !== undefined && other !== undefined)
    const long = '~'.repeat(255)
    await one.add(row(long, 9_007_199_254_740_991))
    await other.add({ ...row(long, 5), picture: Uint8Array.of(1) })
    assert.deepEqual(Uint8Array.from((await other.find('photos', long)) ?? []), row('', 0).picture)
    assert.equal(await one.find('other', long), undefined)
    await databases()[0].write([deleteBucketThumbnails('photos')])
    assert.equal(await other.find('photos', long), undefined)
  })

  test('ThumbnailTable keeps the newest ones of all processes', async () => {
    const tables = databases().map((database) => new ThumbnailTable(database, 20))
    const etags = Array.from({ length: 30 }, (_, index) => `e${index}`)
    for (const etag of etags.slice(0, 10)) await tables[0]?.add(row(etag, 1))
    await Promise.all(
      etags.slice(10).map((etag, index) => tables[index % 2]?.add(row(etag, index + 2))),
    )
    const [table] = tables
    assert.ok(table !== undefined)
    assert.deepEqual(await foundIn(table, etags), etags.slice(10))
    await table.add(row('late', 100))
    assert.deepEqual(await foundIn(table, [...etags, 'late']), [...etags.slice(11), 'late'])
  })
}
