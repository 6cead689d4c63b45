import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database, SqlValue } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import {
  type PartRow,
  type UploadPhase,
  type UploadRow,
  UploadTable,
} from '../../src/storage/s3/multipart/upload-table.ts'

const newUpload = {
  target: '["b","nul \\u0000"]',
  details: '{}',
  driveState: 's0',
  createdAtMs: 10,
}

/** A new upload; each test has its own. */
async function insert(table: UploadTable, id: string): Promise<UploadRow> {
  await table.insert({ ...newUpload, id, sortKey: '' })
  const upload = await table.find(id)
  assert.deepEqual(upload, {
    ...newUpload,
    id,
    phase: 'open',
    partCount: 0,
    size: 0,
    slotSize: 0,
    completion: '',
    touchedAtMs: 10,
    leaseOwner: '',
    leaseUntilMs: 0,
  })
  return upload
}

const part = (number: number, size = 5): PartRow => ({
  number,
  etag: `etag ${number}`,
  size,
  modifiedAtMs: 20 + number,
  checksum: '',
})

/** Takes the lease and returns the row with it. */
async function hold(table: UploadTable, id: string, owner: string): Promise<UploadRow> {
  const upload = await table.find(id)
  assert.ok(upload)
  assert.ok(await table.takeLease(upload, { owner, untilMs: 100 }))
  return { ...upload, leaseOwner: owner, leaseUntilMs: 100 }
}

/** The contract of the upload table, for every database: every change is conditional. */
export function describeUploadTable(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} upload table`, () => {
    let database: Database
    let table: UploadTable
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
      table = new UploadTable(database)
    })
    after(() => database.close())

    test('UploadTable finds nothing for an id that no database can store', async () => {
      assert.equal(await table.find('nul \0'), undefined)
    })

    test('UploadTable finds drive states by their beginning', async () => {
      const id = 'upload 0'
      assert.equal(await table.hasStates('@'), false)
      await table.insert({ ...newUpload, id, driveState: '@A:s0', sortKey: '' })
      assert.equal(await table.hasStates('@'), true)
      assert.equal(await table.hasStates('A:'), false)
      await table.remove(id, 'open', '')
    })

    test('UploadTable grants the lease to one of many processes', async () => {
      const id = 'upload 1'
      const upload = await insert(table, id)
      const taken = await Promise.all(
        ['x', 'y', 'z'].map((owner) => table.takeLease(upload, { owner, untilMs: 100 })),
      )
      assert.equal(taken.filter(Boolean).length, 1)
    })

    test('UploadTable does not grant the lease for an outdated row', async () => {
      const id = 'upload 2'
      await insert(table, id)
      const seen = await hold(table, id, 'x')
      assert.ok(await table.renewLease(seen, { owner: 'x', untilMs: 200 }))
      const aborted = { id, phase: 'aborted' } as const
      assert.equal(await table.renewLease(aborted, { owner: 'x', untilMs: 400 }), false)
      assert.equal(await table.takeLease(seen, { owner: 'y', untilMs: 300 }), false)
      const renewed = { ...seen, leaseUntilMs: 200 }
      assert.equal(
        await table.takeLease({ ...renewed, partCount: 1 }, { owner: 'y', untilMs: 300 }),
        false,
      )
      assert.ok(await table.takeLease(renewed, { owner: 'y', untilMs: 300 }))
      assert.equal(await table.renewLease(seen, { owner: 'x', untilMs: 400 }), false)
      assert.equal(await table.releaseLease(id, 'x'), false)
      assert.ok(await table.releaseLease(id, 'y'))
    })

    test('UploadTable commits a part only under the lease, and releases it', async () => {
      const id = 'upload 3'
      await insert(table, id)
      const upload = await hold(table, id, 'x')
      assert.equal(await table.commitParts({ upload, owner: 'y' }, [part(1)], 's1'), undefined)
      assert.equal(await table.commitParts({ upload, owner: 'x' }, [part(2)], 's1'), undefined)
      assert.deepEqual(await table.parts(id, 0, 10), [])
      const committed = await table.commitParts({ upload, owner: 'x' }, [part(1)], 's1')
      assert.equal(await table.commitParts({ upload, owner: 'x' }, [part(1)], 's1'), undefined)
      const now = await table.find(id)
      assert.deepEqual(committed, now)
      assert.equal(now?.partCount, 1)
      assert.equal(now?.size, 5)
      assert.equal(now?.driveState, 's1')
      assert.equal(now?.leaseOwner, '')
      assert.equal(now?.touchedAtMs, 21)
      assert.deepEqual(await table.parts(id, 0, 10), [part(1)])
    })

    test('UploadTable replaces the last part and counts its bytes', async () => {
      const id = 'upload 4'
      await insert(table, id)
      await table.commitParts({ upload: await hold(table, id, 'x'), owner: 'x' }, [part(1)], 's1')
      const upload = await hold(table, id, 'x')
      const change = { from: part(1), to: { ...part(1, 2), etag: 'new' }, driveState: 's2' }
      assert.equal(await table.replacePart({ upload, owner: 'y' }, change), undefined)
      const replaced = await table.replacePart({ upload, owner: 'x' }, change)
      assert.ok(replaced)
      assert.deepEqual(replaced, await table.find(id))
      assert.deepEqual(await table.parts(id, 0, 10), [change.to])
      assert.equal((await table.find(id))?.size, 2)
    })

    test('UploadTable accepts no part after the upload is aborted or being completed', async () => {
      const id = 'upload 5'
      await insert(table, id)
      const upload = await hold(table, id, 'x')
      const change = { completion: '{}', nowMs: 30, lease: { owner: 'x', untilMs: 100 } }
      assert.ok(await table.beginCompletion(upload, change))
      assert.equal(await table.beginCompletion(upload, change), false)
      assert.equal(await table.abort(id, 40), false)
      assert.equal(await table.commitParts({ upload, owner: 'x' }, [part(1)], 's1'), undefined)
      assert.ok(await table.reopen(id, 'x', { partCount: 0, size: 0, nowMs: 50 }))
      const again = await hold(table, id, 'x')
      assert.ok(await table.abort(id, 60))
      assert.equal(
        await table.commitParts({ upload: again, owner: 'x' }, [part(1)], 's1'),
        undefined,
      )
    })

    test('UploadTable lists open uploads by sort key and id, within bounds', async () => {
      for (const [id, sortKey] of Object.entries({
        ...{ 'key 1': 'aa', 'key 3': 'ab', 'key 2': 'ab', 'key 4': 'ab00', 'key 5': 'b' },
        'key 6': 'ab',
      }))
        await table.insert({ ...newUpload, id, sortKey })
      assert.ok(await table.abort('key 6', 60))
      const list = async (sortKey: string, id: string, limit: number) =>
        (await table.openByKey({ sortKey, id }, 'ag', limit)).map((row) => row.id)
      assert.deepEqual(await list('a', '', 10), ['key 1', 'key 2', 'key 3', 'key 4'])
      assert.deepEqual(await list('ab', 'key 2', 10), ['key 3', 'key 4'])
      assert.deepEqual(await list('ab0', '', 10), ['key 4'])
      assert.deepEqual(await list('ab', '', 1), ['key 2'])
    })

    test('UploadTable counts open uploads, without those that were aborted', async () => {
      const before = await table.countOpen()
      await insert(table, 'counted 1')
      await insert(table, 'counted 2')
      assert.strictEqual(await table.countOpen(), before + 2)
      assert.ok(await table.abort('counted 1', 60))
      assert.strictEqual(await table.countOpen(), before + 1)
    })

    test('UploadTable adds up the parts of open uploads by bucket', async () => {
      const begin = async (bucket: string, key: string, size: number) => {
        const id = `${bucket} ${key}`
        const target = JSON.stringify([bucket, key])
        await table.insert({ ...newUpload, id, target, sortKey: '' })
        const held = { upload: await hold(table, id, 'x'), owner: 'x' }
        assert.ok(await table.commitParts(held, [part(1, size)], 's1'))
        return id
      }
      const large = 5_000_000_000
      await begin('sums.one-1', 'k', 7)
      await begin('sums.one-1', 'sums.two', large)
      await begin('sums.two', '","sums.one-1', 11)
      const completing = await begin('sums.two', 'completing', 13)
      const change = { completion: '{}', nowMs: 30, lease: { owner: 'y', untilMs: 100 } }
      const seen = await table.find(completing)
      assert.ok(seen && (await table.beginCompletion(seen, change)))
      const before = await table.openBytes()
      assert.deepEqual([before.get('sums.one-1'), before.get('sums.two')], [large + 7, 24])
      assert.ok(await table.finishCompletion(completing, 'y', { completion: '{}', nowMs: 40 }))
      assert.ok(await table.abort('sums.one-1 k', 40))
      const after = await table.openBytes()
      assert.deepEqual([after.get('sums.one-1'), after.get('sums.two')], [large, 11])
    })

    test('UploadTable aborts an upload and takes its lease only if the row is as it was seen', async () => {
      const id = 'upload 8'
      const upload = await insert(table, id)
      const change = { nowMs: 60, lease: { owner: 'y', untilMs: 100 } }
      await table.commitParts({ upload: await hold(table, id, 'x'), owner: 'x' }, [part(1)], 's1')
      assert.equal(await table.abortAndHold(upload, change), false)
      const seen = await table.find(id)
      assert.ok(seen)
      assert.ok(await table.abortAndHold(seen, change))
      assert.equal(await table.abortAndHold(seen, change), false)
      const aborted = { phase: 'aborted', touchedAtMs: 60, leaseOwner: 'y', leaseUntilMs: 100 }
      assert.deepEqual(await table.find(id), { ...seen, ...aborted })
    })

    test('UploadTable keeps a completed upload, and deletes its parts with it', async () => {
      const id = 'upload 6'
      await insert(table, id)
      await table.commitParts({ upload: await hold(table, id, 'x'), owner: 'x' }, [part(1)], 's1')
      const upload = await table.find(id)
      assert.ok(upload)
      const lease = { owner: 'y', untilMs: 100 }
      assert.ok(await table.beginCompletion(upload, { completion: '{"a":1}', nowMs: 30, lease }))
      const published = { completion: 'published', nowMs: 40 }
      assert.equal(await table.finishCompletion(id, 'x', published), false)
      assert.ok(await table.finishCompletion(id, 'y', published))
      const completed = await table.find(id)
      assert.equal(completed?.phase, 'completed')
      assert.equal(completed?.completion, 'published')
      assert.equal(completed?.touchedAtMs, 40)
      assert.ok(await table.remove(id, 'completed', ''))
      assert.deepEqual(await table.parts(id, 0, 10), [])
    })

    test('UploadTable finds each idle upload once, page by page', async () => {
      // Touched at the same moment, as insert does.
      const ids = ['page a', 'page b', 'page c', 'page d', 'page e']
      for (const id of ids) await insert(table, id)
      const found: string[] = []
      let page = await table.idle('open', { untilMs: 10 }, 2)
      for (let after = page.at(-1); after !== undefined; after = page.at(-1)) {
        found.push(...page.map(({ id }) => id))
        page = await table.idle('open', { untilMs: 10, after }, 2)
      }
      assert.deepEqual(
        found.filter((id) => id.startsWith('page')),
        ids,
      )
      assert.equal(new Set(found).size, found.length)
    })

    test('UploadTable reads pages of uploads in the order of an index', async () => {
      const many = await openDatabase(await createLocation(), { migrate: true })
      await many.write([{ sql: insertMany }])
      await many.write([{ sql: 'ANALYZE uploads' }])
      const plans = await plansOfPages(many)
      await many.close()
      assert.match(plans[0] ?? '', /uploads_by_touch/)
      assert.match(plans[1] ?? '', /uploads_by_creation/)
      for (const plan of plans) assert.doesNotMatch(plan, /sort|b-tree/i)
    })

    test('UploadTable finds uploads by phase and age, and removes one only in its phase', async () => {
      const id = 'upload 7'
      await insert(table, id)
      const isIdle = async (phase: UploadPhase, untilMs: number) =>
        (await table.idle(phase, { untilMs }, 1_000)).some((upload) => upload.id === id)
      assert.equal(await isIdle('open', 9), false)
      assert.equal(await isIdle('open', 10), true)
      assert.equal(await isIdle('aborted', 10), false)
      assert.equal((await table.idle('open', { untilMs: 1_000 }, 1)).length, 1)
      assert.equal(await table.remove(id, 'aborted', ''), false)
      assert.ok(await table.abort(id, 60))
      assert.ok(await table.remove(id, 'aborted', ''))
      assert.equal(await table.find(id), undefined)
    })
  })
}

/** In a table of few rows, PostgreSQL reads them all. */
const insertMany = `WITH RECURSIVE numbers (number) AS
    (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 5000)
  INSERT INTO uploads (id, target, details, phase, drive_state, part_count, size, completion,
    created_at_ms, touched_at_ms, lease_owner, lease_until_ms)
  SELECT 'id ' || number, '["b","k"]', '{}', 'open', '', 0, 0, '', number, number, '', 0
  FROM numbers`

/** How the database runs the statements of `idle` and `open`. */
async function plansOfPages(database: Database): Promise<string[]> {
  const statements: { sql: string; params: readonly SqlValue[] }[] = []
  const recorder = new UploadTable({
    read: async (sql: string, params: readonly SqlValue[]) => {
      statements.push({ sql, params })
      return []
    },
  } as unknown as Database)
  const after = { id: 'a', touchedAtMs: 2_500, createdAtMs: 2_500 }
  await recorder.idle('open', { untilMs: 10_000, after }, 100)
  await recorder.open('[', after, 100)
  const explain = database.kind === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'
  const plans: string[] = []
  for (const { sql, params } of statements) {
    const rows = await database.read<Record<string, unknown>>(`${explain} ${sql}`, params)
    plans.push(rows.map((row) => Object.values(row).join(' ')).join('\n'))
  }
  return plans
}
