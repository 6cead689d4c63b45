import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Database } from '../../src/platform/state/database.ts'
import {
  appliedMigrations,
  readMigrations,
  runMigrations,
} from '../../src/platform/state/migrate.ts'
import {
  type DatabaseLocation,
  openDatabase,
  openSession,
} from '../../src/platform/state/open-database.ts'
import { DatabaseLeases } from '../../src/storage/drives/kit/key-lease-table.ts'
import { KeyLeases } from '../../src/storage/drives/kit/key-leases.ts'
import { BucketCounts } from '../../src/storage/jobs/bucket-counts.ts'
import { expiryRuns } from '../../src/storage/jobs/expiry/expiry.ts'
import { JobRunner } from '../../src/storage/jobs/job-runner.ts'
import { deleteBucketJobs, JobTable, type NewJob } from '../../src/storage/jobs/job-table.ts'
import { silentLog } from '../support/silent-log.ts'

/** The contract of the table of jobs, for every database. */
export function describeJobTable(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} job table`, () => {
    let database: Database
    let other: Database
    before(async () => {
      const location = await createLocation()
      database = await openDatabase(location, { migrate: true })
      other = await openDatabase(location, { migrate: false })
    })
    after(() => Promise.all([database.close(), other.close()]))

    const databases = (): [Database, Database] => [database, other]
    describeBucketJobs(databases)
    describeStartedJobs(databases)
    describeEnds(databases)
    describeUpgrade(createLocation)
  })
}

const limits = { running: 3, ended: 2 }
const ended = { state: 'done', figures: '{"deleted":7}', endedAtMs: 50, message: '' } as const

const deletion = (id: string, beganAtMs = 10): NewJob => ({
  ...{ kind: 'delete', id, target: `["b","nul \\u0000/${id}"]`, beganAtMs },
  ...{ figures: '{"deleted":0}', owner: `owner of ${id}` },
})
const running = { state: 'running', endedAtMs: 0, message: '', isCancelled: 0 } as const

const tablesOf = (databases: readonly Database[]) => databases.map((one) => new JobTable(one))

function describeBucketJobs(databases: () => [Database, Database]): void {
  const count = (id: string, owner: string, changed: Partial<NewJob> = {}): NewJob => {
    return { kind: 'count', id, target: '', figures: '{}', beganAtMs: 1, owner, ...changed }
  }

  test('JobTable gives the row of a bucket to one of many processes, whether or not it has one', async () => {
    const [one, two] = tablesOf(databases())
    assert.ok(one && two)
    for (let round = 0; round < 3; round++) {
      const seen = await one.find({ kind: 'count', id: 'taken' })
      const taken: boolean[] = await Promise.all(
        [one, two, one, two].map((table, index) =>
          table.take(count('taken', `owner ${round} ${index}`), seen),
        ),
      )
      assert.equal(taken.filter(Boolean).length, 1)
    }
  })

  test('JobTable begins a run again as a new one', async () => {
    const [table] = tablesOf(databases())
    assert.ok(table)
    const row = { kind: 'expire', id: 'again' } as const
    await table.take(count('again', 'x', { ...row, target: 'r 1' }), undefined)
    await table.cancel(row)
    const end = { state: 'failed', figures: '{"nul":"\\u0000"}', endedAtMs: 60 } as const
    assert.ok(await table.end({ ...row, owner: 'x' }, { ...end, message: 'away' }))
    const seen = await table.find(row)
    const { figures } = end
    assert.deepEqual(seen, {
      ...{ ...row, target: 'r 1', state: 'failed', figures, beganAtMs: 1, endedAtMs: 60 },
      ...{ message: 'away', isCancelled: 1, owner: 'x' },
    })
    const next = { ...row, target: 'r 2', figures, beganAtMs: 70, owner: 'y' }
    assert.ok(await table.take(next, seen))
    assert.deepEqual(await table.find(row), { ...next, ...running })
  })

  test('JobTable forgets the jobs of a removed bucket, and no deletion', async () => {
    const [database] = databases()
    const table = new JobTable(database)
    await table.take(count('gone', 'x'), undefined)
    await table.take(count('gone', 'x', { kind: 'expire' }), undefined)
    await table.take(count('stays', 'x'), undefined)
    assert.ok(await table.insert(deletion('gone'), limits))
    const folder = (id: string, bucket: string) =>
      count(id, 'x', { kind: 'folder', target: `["${bucket}","a/"]` })
    for (const name of ['gone', 'gone.not']) await table.insert(folder(name, name), limits)
    await database.write([deleteBucketJobs('gone')])
    const folders = await table.all('folder')
    assert.deepEqual(
      folders.map(({ id }) => id),
      ['gone.not'],
    )
    assert.ok(await table.end({ kind: 'folder', id: 'gone.not', owner: 'x' }, ended))
    const kinds = ['count', 'expire', 'delete'] as const
    const found = await Promise.all(kinds.map((kind) => table.find({ kind, id: 'gone' })))
    assert.deepEqual(
      found.map((row) => row?.kind),
      [undefined, undefined, 'delete'],
    )
    assert.ok(await table.find({ kind: 'count', id: 'stays' }))
    assert.ok(await table.end(deletion('gone'), ended))
  })
}

function describeStartedJobs(databases: () => [Database, Database]): void {
  test('JobTable inserts a job in place of one of its name that has ended, and of no running one', async () => {
    const [table] = tablesOf(databases())
    assert.ok(table)
    const job = (owner: string): NewJob => ({ ...deletion('same'), kind: 'folder', owner })
    assert.ok(await table.insert(job('one'), limits))
    await table.cancel(job('one'))
    assert.equal(await table.insert(job('two'), limits), false)
    assert.ok(await table.end(job('one'), ended))
    assert.ok(await table.insert(job('two'), limits))
    assert.deepEqual(await table.find(job('two')), { ...job('two'), ...running })
    assert.equal(await table.end(job('one'), ended), false)
    assert.ok(await table.end(job('two'), ended))
  })

  test('JobTable lets no more run than the limit, however many start at once', async () => {
    const tables = tablesOf(databases())
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const begun = await Promise.all(
      ids.map((id, index) => tables[index % 2]?.insert(deletion(id, 10 + index), limits)),
    )
    assert.equal(begun.filter(Boolean).length, 3)
    const [table] = tables
    assert.ok(table)
    const rows = (await table.all('delete')).filter(({ state }) => state === 'running')
    assert.equal(rows.length, 3)
    for (const row of rows) assert.ok(await table.end(row, ended))
    assert.ok(await table.insert(deletion('g', 20), limits))
    const g = deletion('g', 20)
    assert.deepEqual(await table.find(g), { ...g, ...running })
    // Two ended deletions are kept, and all running ones.
    const latest = await table.all('delete')
    assert.deepEqual([latest.length, latest[0]?.id], [3, 'g'])
    assert.ok(await table.end(g, ended))
  })

  test('JobTable lets one job of a target run, however many start at once', async () => {
    const [one, two] = tablesOf(databases())
    assert.ok(one && two)
    const { target } = deletion('the same')
    const rows = ['h', 'i', 'j', 'k'].map((id) => ({ ...deletion(id), target }))
    const begun = await Promise.all(
      rows.map((row, index) => (index % 2 === 0 ? one : two).insert(row, limits)),
    )
    assert.equal(begun.filter(Boolean).length, 1)
    // A cancelled one does not block another.
    for (const row of rows) await two.cancel(row)
    assert.ok(await one.insert({ ...deletion('l'), target }, limits))
    for (const row of [...rows, deletion('l')]) await one.end(row, ended)
    const states = (await one.all('delete')).map(({ state }) => state)
    assert.ok(!states.includes('running'))
  })

  test('JobTable finds nothing for an id that no database can store', async () => {
    const table = new JobTable(databases()[0])
    const name = { kind: 'delete', id: 'nul \0' } as const
    assert.equal(await table.find(name), undefined)
    assert.equal(await table.cancel(name), false)
  })

  test('JobTable deletes what ended long ago, and nothing that runs', async () => {
    const table = new JobTable(databases()[0])
    assert.ok(await table.insert(deletion('running', 1), limits))
    await table.sweep('delete', 1_000)
    const rows = await table.all('delete')
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['running'],
    )
    assert.ok((await table.all('count')).length > 0)
    assert.ok(await table.end(deletion('running'), ended))
  })
}

function describeEnds(databases: () => [Database, Database]): void {
  test('JobTable passes a cancellation to the process that runs the job', async () => {
    const [mine, theirs] = tablesOf(databases())
    assert.ok(mine && theirs)
    const row = deletion('stopped', 30)
    assert.ok(await mine.insert(row, limits))
    assert.equal(await mine.save(row, '{"deleted":1}'), 'go on')
    assert.equal(await mine.ask(row), 'go on')
    assert.ok(await theirs.cancel(row))
    assert.equal(await mine.ask(row), 'cancelled')
    assert.equal(await mine.save(row, '{"deleted":2}'), 'cancelled')
    assert.equal((await theirs.find(row))?.figures, '{"deleted":2}')
    assert.ok(await mine.end(row, { ...ended, state: 'cancelled' }))
    assert.equal(await theirs.cancel(row), false)
    assert.equal(await theirs.cancel(deletion('nobody')), false)
  })

  test('JobTable stores nothing of a run that has ended, or of which another process has the row', async () => {
    const table = new JobTable(databases()[0])
    const row = deletion('dead', 40)
    assert.ok(await table.insert(row, limits))
    assert.equal(await table.save({ ...row, owner: 'another' }, '{}'), 'lost')
    assert.equal(await table.ask({ ...row, owner: 'another' }), 'lost')
    assert.equal(await table.end({ ...row, owner: 'another' }, ended), false)
    const message = 'its process is gone'
    assert.ok(await table.end(row, { ...ended, state: 'interrupted', message }))
    assert.equal(await table.save(row, '{"deleted":6}'), 'lost')
    assert.equal(await table.ask(row), 'lost')
    assert.equal(await table.end(row, { ...ended, endedAtMs: 99 }), false)
    const found = await table.find(row)
    assert.deepEqual(
      [found?.state, found?.figures, found?.endedAtMs, found?.message],
      ['interrupted', ended.figures, 50, message],
    )
  })
}

/** Before the table of jobs, each kind had its own. */
const lastOldMigration = 18

/** Rows as the version before has written them. */
const oldRows = [
  // Counted; never counted; failed after a count; being counted for the first time.
  `INSERT INTO bucket_counts VALUES ('counted', 3, 9007199254740991, 1700000000123, 1000, 50, 1050, '', '', 0)`,
  `INSERT INTO bucket_counts VALUES ('never', 0, 0, 0, 0, 0, 0, '', '', 0)`,
  `INSERT INTO bucket_counts VALUES ('failed', 1, 2, 3, 4, 5, 77, 'No "rights".', '', 0)`,
  `INSERT INTO bucket_counts VALUES ('counting', 0, 0, 0, 0, 0, 0, '', 'elsewhere/1/1 w', 9000)`,
  `INSERT INTO deletions VALUES ('d1', '["b","p\\u0000/"]', 'done', 7, 10, 50, 'A folder remains.', 0, 'elsewhere/1/1 w', 40)`,
  `INSERT INTO deletions VALUES ('d2', '["b","q/",true]', 'cancelled', 2, 20, 60, '', 1, 'elsewhere/1/1 w', 40)`,
  `INSERT INTO deletions VALUES ('d3', '["b","r/"]', 'running', 5, 30, 0, '', 0, 'elsewhere/1/1 w', 9000)`,
  `INSERT INTO bucket_expiry VALUES ('done', 'digest', 20000, 'done', '"k"', 3, 2, 1, 100, 200, '', '', 0)`,
  `INSERT INTO bucket_expiry VALUES ('stopped', 'digest', 20000, 'objects', '"nul \\u0000 é"', 4, 0, 0, 110, 210, '', '', 0)`,
  `INSERT INTO bucket_expiry VALUES ('away', 'digest', 20000, 'uploads', '"z"', 5, 1, 0, 120, 220, 'The drive is away.', '', 0)`,
  `INSERT INTO bucket_expiry VALUES ('runs', 'digest', 20000, 'objects', '""', 0, 0, 0, 130, 0, '', 'elsewhere/1/1 w', 9000)`,
]

async function openUpgraded(location: DatabaseLocation): Promise<Database> {
  const session = await openSession(location)
  await session.begin()
  await appliedMigrations(session)
  const migrations = await readMigrations()
  await runMigrations(
    session,
    migrations.filter(({ number }) => number <= lastOldMigration),
  )
  for (const sql of oldRows) await session.run(sql)
  await session.commit()
  await session.close()
  return openDatabase(location, { migrate: true })
}

function describeUpgrade(createLocation: () => Promise<DatabaseLocation>): void {
  const now = () => 1_100
  const open = async (t: TestContext) => {
    const database = await openUpgraded(await createLocation())
    const table = new JobTable(database)
    const leases = new KeyLeases({ table: new DatabaseLeases(database, '/jobs'), now })
    const jobs = new JobRunner({ table, leases, now, log: silentLog })
    t.after(() => database.close())
    return { table, jobs }
  }

  test('The upgrade keeps the counts of buckets', async (t) => {
    const { jobs } = await open(t)
    const list = () => assert.fail('the jobs are closed')
    const counts = new BucketCounts({
      ...{ drive: { list }, hasVersions: () => false, jobs, now },
      log: silentLog,
    })
    await jobs.close()
    const read = await counts.read(['counted', 'never', 'failed', 'counting'])
    await counts.close()
    const figures = { lastModifiedMs: 1_700_000_000_123, countedAtMs: 1_000, tookMs: 50 }
    const counted = { objects: 3, bytes: Number.MAX_SAFE_INTEGER, ...figures }
    const failed = { objects: 1, bytes: 2, lastModifiedMs: 3, countedAtMs: 4, tookMs: 5 }
    const unknown = { figures: undefined, isCounting: true, problem: undefined }
    assert.deepEqual(Object.fromEntries(read), {
      counted: { figures: counted, isCounting: false, problem: undefined },
      never: unknown,
      failed: { figures: failed, isCounting: false, problem: 'No "rights".' },
      // It is counted again.
      counting: unknown,
    })
  })

  test('The upgrade keeps deletions of the version before until they are swept', async (t) => {
    const { table } = await open(t)
    const kept = async () => (await table.all('delete')).map(({ id }) => id)
    assert.deepEqual(await kept(), ['d3', 'd2', 'd1'])
    await table.sweep('delete', 1_000)
    // Its process may be of the version before, and still work on it.
    assert.deepEqual(await kept(), ['d3'])
  })

  test('The upgrade keeps expiry runs, and where they were', async (t) => {
    const { jobs, table } = await open(t)
    const runs = await expiryRuns(jobs)
    const none = { isDone: false, problem: undefined, versions: 0, locked: 0 }
    assert.deepEqual(
      runs.toSorted((a, b) => a.beganAtMs - b.beganAtMs),
      [
        {
          ...none,
          bucket: 'done',
          beganAtMs: 100,
          isDone: true,
          objects: 3,
          uploads: 2,
          failures: 1,
        },
        { ...none, bucket: 'stopped', beganAtMs: 110, objects: 4, uploads: 0, failures: 0 },
        {
          ...none,
          ...{ bucket: 'away', beganAtMs: 120, objects: 5, uploads: 1, failures: 0 },
          problem: 'The drive is away.',
        },
        { ...none, bucket: 'runs', beganAtMs: 130, objects: 0, uploads: 0, failures: 0 },
      ],
    )
    const { target, state, figures, endedAtMs } =
      (await table.find({ kind: 'expire', id: 'stopped' })) ?? assert.fail()
    assert.deepEqual([target, state, endedAtMs], ['digest 20000', 'interrupted', 210])
    const done = { objects: 4, uploads: 0, failures: 0 }
    const position = 'nul \0 é'
    assert.deepEqual(JSON.parse(figures), { phase: 'objects', position, ...done })
  })
}
