import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/state/open-database.ts'
import { BucketCountTable } from '../../src/state/stores/bucket-counts.ts'
import { DeletionTable, type NewDeletion } from '../../src/state/stores/deletions.ts'
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

    describeCounts(() => [database, other])
    describeDeletions(() => [database, other])
    describeFailures(() => [database, other])
    describeOpenUploads(() => database)
  })
}

function describeCounts(databases: () => [Database, Database]): void {
  const lease = (bucket: string, owner: string, untilMs = 100) => ({ bucket, owner, untilMs })
  const rowOf = async (table: BucketCountTable, bucket: string) =>
    (await table.all()).find((row) => row.bucket === bucket)

  test('BucketCountTable grants a bucket to one of many processes, whether or not it has a row', async () => {
    const [one, two] = databases().map((database) => new BucketCountTable(database))
    assert.ok(one && two)
    for (let round = 0; round < 2; round++) {
      const seen = await rowOf(one, 'taken')
      const taken: boolean[] = await Promise.all(
        [one, two, one, two].map((table, index) =>
          table.take(lease('taken', `owner ${round} ${index}`), seen),
        ),
      )
      assert.equal(taken.filter(Boolean).length, 1)
    }
  })

  test('BucketCountTable stores figures only from the holder of the lease', async () => {
    const table = new BucketCountTable(databases()[0])
    const figures = {
      ...{ objects: 3, bytes: 9_007_199_254_740_991, lastModifiedMs: 1_700_000_000_123 },
      ...{ countedAtMs: 1_000, tookMs: 50 },
    }
    assert.ok(await table.take(lease('kept', 'x'), undefined))
    assert.equal(await table.finish(lease('kept', 'y'), figures), false)
    assert.equal(await table.renew(lease('kept', 'y', 900)), false)
    assert.ok(await table.renew(lease('kept', 'x', 900)))
    assert.equal((await rowOf(table, 'kept'))?.leaseUntilMs, 900)
    assert.ok(await table.finish(lease('kept', 'x'), figures))
    assert.deepEqual(await rowOf(table, 'kept'), {
      ...{ bucket: 'kept', ...figures, triedAtMs: 1_050 },
      ...{ problem: '', leaseOwner: '', leaseUntilMs: 0 },
    })
    assert.equal(await table.finish(lease('kept', 'x'), figures), false)
  })

  test('BucketCountTable keeps the older figures when a count fails or is given up', async () => {
    const table = new BucketCountTable(databases()[0])
    const figures = { objects: 1, bytes: 2, lastModifiedMs: 3, countedAtMs: 4, tookMs: 5 }
    assert.ok(await table.take(lease('failing', 'x'), undefined))
    assert.ok(await table.finish(lease('failing', 'x'), figures))
    assert.ok(await table.take(lease('failing', 'x'), await rowOf(table, 'failing')))
    assert.ok(await table.fail(lease('failing', 'x'), 'no rights', 77))
    const failed = await rowOf(table, 'failing')
    assert.equal(failed?.objects, 1)
    assert.equal(failed?.problem, 'no rights')
    assert.equal(failed?.triedAtMs, 77)
    assert.equal(failed?.leaseOwner, '')
    assert.ok(await table.take(lease('failing', 'x'), failed))
    assert.ok(await table.release(lease('failing', 'x')))
    assert.deepEqual(await rowOf(table, 'failing'), failed)
  })
}

function describeDeletions(databases: () => [Database, Database]): void {
  const limits = { running: 3, ended: 2 }
  const deletion = (id: string, startedAtMs = 10): NewDeletion => ({
    ...{ id, target: `["b","nul \\u0000/${id}"]`, startedAtMs },
    ...{ leaseOwner: `owner of ${id}`, leaseUntilMs: 100 },
  })
  const end = { state: 'done', deleted: 7, endedAtMs: 50, message: '' } as const

  test('DeletionTable lets no more run than the limit, however many start at once', async () => {
    const tables = databases().map((database) => new DeletionTable(database, limits))
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const begun = await Promise.all(
      ids.map((id, index) => tables[index % 2]?.insert(deletion(id, 10 + index))),
    )
    assert.equal(begun.filter(Boolean).length, 3)
    const table = tables[0]
    assert.ok(table)
    const running = await table.running()
    assert.equal(running.length, 3)
    for (const row of running) assert.ok(await table.end(row, end))
    assert.ok(await table.insert(deletion('g', 20)))
    assert.deepEqual(await table.find('g'), {
      ...deletion('g', 20),
      ...{ state: 'running', deleted: 0, endedAtMs: 0, message: '', isCancelled: 0 },
    })
    // Two ended deletions are kept, and all running ones.
    const latest = await table.latest()
    assert.deepEqual([latest.length, latest[0]?.id], [3, 'g'])
    assert.ok(await table.end(deletion('g'), end))
  })

  test('DeletionTable lets one deletion of a target run, however many start at once', async () => {
    const tables = databases().map((database) => new DeletionTable(database, limits))
    const { target } = deletion('the same')
    const rows = ['h', 'i', 'j', 'k'].map((id) => ({ ...deletion(id), target }))
    const begun = await Promise.all(rows.map((row, index) => tables[index % 2]?.insert(row)))
    assert.equal(begun.filter(Boolean).length, 1)
    // A cancelled one does not block another.
    for (const { id } of rows) await tables[1]?.cancel(id)
    assert.ok(await tables[0]?.insert({ ...deletion('l'), target }))
    for (const row of [...rows, deletion('l')]) await tables[0]?.end(row, end)
    assert.deepEqual(await tables[0]?.running(), [])
  })

  test('DeletionTable finds nothing for an id that no database can store', async () => {
    const table = new DeletionTable(databases()[0], limits)
    assert.equal(await table.find('nul \0'), undefined)
    assert.equal(await table.cancel('nul \0'), false)
  })

  test('DeletionTable passes a cancellation to the process that runs the deletion', async () => {
    const [mine, theirs] = databases().map((database) => new DeletionTable(database, limits))
    assert.ok(mine && theirs)
    const row = deletion('stopped', 30)
    assert.ok(await mine.insert(row))
    assert.equal(await mine.progress(row, { deleted: 1, leaseUntilMs: 200 }), 'go on')
    assert.ok(await theirs.cancel('stopped'))
    assert.equal(await mine.progress(row, { deleted: 2, leaseUntilMs: 300 }), 'cancelled')
    assert.equal((await theirs.find('stopped'))?.deleted, 2)
    assert.ok(await mine.end(row, { ...end, state: 'cancelled' }))
    assert.equal(await theirs.cancel('stopped'), false)
    assert.equal(await theirs.cancel('nobody'), false)
  })

  test('DeletionTable interrupts only a deletion that is unchanged since it was read', async () => {
    const table = new DeletionTable(databases()[0], limits)
    const row = deletion('dead', 40)
    assert.ok(await table.insert(row))
    const seen = await table.find('dead')
    assert.ok(seen)
    await table.progress(row, { deleted: 5, leaseUntilMs: 500 })
    const message = 'its process is gone'
    assert.equal(await table.interrupt(seen, { endedAtMs: 60, message }), false)
    const later = await table.find('dead')
    assert.ok(later)
    assert.ok(await table.interrupt(later, { endedAtMs: 60, message }))
    const ended = await table.find('dead')
    assert.deepEqual(
      [ended?.state, ended?.deleted, ended?.endedAtMs, ended?.message],
      ['interrupted', 5, 60, message],
    )
    assert.equal(await table.progress(row, { deleted: 6, leaseUntilMs: 600 }), 'lost')
    assert.equal(await table.end(row, end), false)
  })

  test('DeletionTable deletes what ended long ago, and nothing that runs', async () => {
    const table = new DeletionTable(databases()[0], limits)
    assert.ok(await table.insert(deletion('running', 1)))
    await table.sweep(1_000)
    assert.deepEqual(
      (await table.latest()).map(({ id }) => id),
      ['running'],
    )
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
