import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { thisProcess } from '../../../../src/platform/process/identity.ts'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import type { Entry } from '../../../../src/storage/drives/listed-entry.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { BucketCounts } from '../../../../src/storage/jobs/bucket-counts.ts'
import { silentLog } from '../../../support/silent-log.ts'
import { openTestDatabase, put, until } from '../../dashboard/management/management-fixture.ts'
import { deadOwner, openJobs, silentOwner } from './jobs-fixture.ts'

const bucket = 'files'
const name = { kind: 'count', id: bucket } as const
const figures = JSON.stringify({
  objects: 0,
  bytes: 0,
  lastModifiedMs: 0,
  countedAtMs: 0,
  tookMs: 0,
})

const object = (index: number): Entry => ({
  ...{ kind: 'object', key: `k${index}`, size: 2, modifiedAtMs: 1_000.7 + index, etag: 'e' },
})

/** A drive whose listing is what `next` gives, page by page. */
function driveOf(next: (page: number, limit: number) => Promise<Entry[]>) {
  let listings = 0
  const drive: Pick<Drive, 'list'> = {
    list() {
      listings += 1
      let page = 0
      return { next: (limit) => next(page++, limit), seek: () => undefined }
    },
  }
  return { drive, listings: () => listings }
}

const objects = (count: number) =>
  driveOf(async (page, limit) =>
    Array.from({ length: Math.max(0, Math.min(limit, count - page * limit)) }, (_, index) =>
      object(page * limit + index),
    ),
  )

async function open(t: TestContext, { drive }: { readonly drive: Pick<Drive, 'list'> }) {
  const clock = { now: 1_000_000_000_000 }
  const warnings: object[] = []
  const log = {
    ...silentLog,
    warn: (fields: object) => void warnings.push(fields),
  }
  const jobs = openJobs(t, await openTestDatabase(t), clock, log)
  const counterOf = (changes: Partial<ConstructorParameters<typeof BucketCounts>[0]> = {}) => {
    const common = { drive, hasVersions: () => false, now: () => clock.now, log }
    const parts = { ...common, jobs: jobs.process(), ...changes }
    const counter = new BucketCounts(parts)
    const close = async () => {
      await Promise.all([parts.jobs.close(), counter.close()])
    }
    t.after(close)
    return { counter, close }
  }
  const { counter, close } = counterOf()
  const look = async () => (await counter.read([bucket])).get(bucket)
  const settled = () => until(async () => (await look())?.isCounting === false)
  const row = () => jobs.table.find(name)
  return { ...jobs, clock, warnings, counter, close, counterOf, look, settled, row }
}

test('a count beyond the largest safe integer returns that integer', async (t) => {
  // Sparse files, whose holes take no room.
  const sparse: Entry = { ...object(1), kind: 'object', size: 2 ** 52 } as Entry
  const { look, settled } = await open(
    t,
    driveOf(async (page) => (page === 0 ? [sparse, sparse, sparse] : [])),
  )
  await look()
  await settled()
  assert.equal((await look())?.figures?.bytes, Number.MAX_SAFE_INTEGER)
})

test('A count adds up every page and stores its time', async (t) => {
  const { look, settled, clock } = await open(t, objects(2_500))
  assert.deepEqual(await look(), { figures: undefined, isCounting: true, problem: undefined })
  await settled()
  const { objects: count, bytes, lastModifiedMs, countedAtMs } = (await look())?.figures ?? {}
  assert.deepEqual(
    { count, bytes, lastModifiedMs, countedAtMs },
    { count: 2_500, bytes: 5_000, lastModifiedMs: 3_499, countedAtMs: clock.now },
  )
})

test('an old count is refreshed on request, and not before', async (t) => {
  const { drive, listings } = objects(1)
  const { look, settled, clock } = await open(t, { drive })
  await settled()
  clock.now += 59_999
  await settled()
  assert.equal(listings(), 1)
  clock.now += 1
  assert.equal((await look())?.isCounting, true)
  await settled()
  assert.equal(listings(), 2)
})

test('A count that took long is cached for longer', async (t) => {
  const { table, take, settled, clock, counterOf } = await open(t, objects(1))
  await settled()
  const run = { ...name, owner: 'x' }
  const slow = JSON.stringify({ ...JSON.parse(figures), countedAtMs: clock.now, tookMs: 60_000 })
  await take(run, clock.now + 1)
  const endedAtMs = clock.now + 60_000
  assert.ok(await table.end(run, { state: 'done', figures: slow, endedAtMs, message: '' }))
  const later = async (ms: number) => {
    const now = clock.now + ms
    const { counter, close } = counterOf({ now: () => now, log: silentLog })
    const seen = (await counter.read([bucket])).get(bucket)
    await close()
    return seen?.isCounting
  }
  assert.equal(await later(10 * 60_000), false)
  assert.equal(await later(12 * 60_000), true)
})

test('a requested recount runs after the current count', async (t) => {
  const { drive, listings } = objects(1)
  const { counter, settled, clock } = await open(t, { drive })
  await settled()
  clock.now += 1
  counter.count(bucket)
  counter.count(bucket)
  await settled()
  assert.equal(listings(), 2)
})

test('A bucket that cannot be listed reports why, keeps its figures and is retried later', async (t) => {
  let isBroken = false
  const { drive, listings } = driveOf(async (page) => {
    if (isBroken) throw new DriveError('denied', 'The folder may not be read.')
    return page === 0 ? [object(0)] : []
  })
  const { look, settled, clock, warnings } = await open(t, { drive })
  await settled()
  isBroken = true
  clock.now += 60_000
  await settled()
  const seen = await look()
  assert.equal(seen?.problem, 'The folder may not be read.')
  assert.equal(seen?.figures?.objects, 1)
  assert.equal(warnings.length, 1)
  await settled()
  assert.equal(listings(), 2)
  isBroken = false
  clock.now += 60_000
  await settled()
  assert.equal((await look())?.problem, undefined)
})

test('one process counts a bucket and the others see it', async (t) => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const { drive, listings } = driveOf(async (page) => {
    await held
    return page === 0 ? [object(0)] : []
  })
  const { look, settled, row, counterOf } = await open(t, { drive })
  await look()
  await until(async () => (await row())?.state === 'running' && listings() === 1)
  const { counter: other } = counterOf()
  assert.equal((await other.read([bucket])).get(bucket)?.isCounting, true)
  other.count(bucket)
  await until(async () => (await row())?.owner.startsWith(thisProcess) === true)
  release()
  await settled()
  await until(async () => (await other.read([bucket])).get(bucket)?.isCounting === false)
  assert.equal(listings(), 1)
})

test('The lease of a process that died is taken over', async (t) => {
  const { take, look, settled, clock } = await open(t, objects(3))
  await take({ ...name, owner: deadOwner, figures }, clock.now + 60_000)
  await settled()
  assert.equal((await look())?.figures?.objects, 3)
})

test('a count without its lease stops and saves nothing', async (t) => {
  const pages: string[] = []
  const drive: Pick<Drive, 'list'> = {
    list: (listed) => ({
      seek: () => undefined,
      async next() {
        pages.push(listed)
        if (listed === bucket && pages.length === 2) {
          // Suspended for a while, during which another process took over.
          clock.now += 120_000
          await take({ ...name, owner: silentOwner, figures }, clock.now + 60_000)
        }
        return listed === bucket && pages.length < 5 ? [object(pages.length)] : []
      },
    }),
  }
  const { table, take, counter, clock, row } = await open(t, { drive })
  await counter.read([bucket, 'second'])
  // Buckets are counted in turn: then the first is over.
  await until(async () => (await table.find({ ...name, id: 'second' }))?.state === 'done')
  assert.deepEqual(pages, [bucket, bucket, 'second'])
  const other = await row()
  assert.deepEqual([other?.figures, other?.owner], [figures, silentOwner])
})

test('close abandons a hanging listing and releases its lease', async (t) => {
  const { drive, listings } = driveOf(() => new Promise(() => undefined))
  const { look, lease, row, counter, close } = await open(t, { drive })
  await look()
  await until(() => listings() === 1)
  await close()
  assert.deepEqual([(await row())?.state, await lease(name)], ['interrupted', undefined])
  assert.equal((await look())?.problem, undefined)
  await counter.read([bucket])
  assert.equal(listings(), 1)
})

test('former versions are counted separately, and delete markers not at all', async (t) => {
  const drive = openMemoryDrive({ versioningOf: () => ({ changes: [0] }) })
  await drive.prepare([bucket])
  for (const body of ['1', '12', '123']) await put(drive, 'k', body)
  await put(drive, 'gone', '1234')
  await drive.remove(bucket, 'gone')
  const { counterOf, row } = await open(t, { drive })
  const { counter } = counterOf({ hasVersions: (name) => name === bucket })
  const look = async () => (await counter.read([bucket])).get(bucket)
  await until(async () => (await look())?.isCounting === false)
  const found = (await look())?.figures
  assert.deepEqual([found?.objects, found?.bytes], [1, 3])
  assert.deepEqual(found?.formerVersions, { count: 3, bytes: 7 })
  assert.match((await row())?.figures ?? '', /formerVersions/)
})

test('a bucket that never had versions has no figures of former versions', async (t) => {
  const { settled, look } = await open(t, objects(3))
  await look()
  await settled()
  assert.ok(!('formerVersions' in ((await look())?.figures ?? {})))
})
