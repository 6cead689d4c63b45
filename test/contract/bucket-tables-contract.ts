import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/state/open-database.ts'
import { BucketExpiryTable, type ExpiryProgress } from '../../src/state/stores/bucket-expiry.ts'
import { BucketOptionsTable, clearBucketOptions } from '../../src/state/stores/bucket-options.ts'
import { bumpRevision, Revisions } from '../../src/state/stores/revisions.ts'

/** The contract of what is set for buckets, for every database. */
export function describeBucketTables(
  name: string,
  createLocation: () => Promise<DatabaseLocation>,
) {
  describe(`${name} bucket tables`, () => {
    let database: Database
    let other: Database
    before(async () => {
      const location = await createLocation()
      database = await openDatabase(location, { migrate: true })
      other = await openDatabase(location, { migrate: false })
    })
    after(() => Promise.all([database.close(), other.close()]))

    describeOptions(() => [database, other])
    describeExpiry(() => [database, other])
  })
}

function describeOptions(databases: () => [Database, Database]): void {
  const options = () => databases().map((database) => new BucketOptionsTable(database))
  const revision = async () => (await new Revisions(databases()[0]).read()).get('buckets') ?? 0

  test('BucketOptionsTable changes one column, and returns what has changed', async () => {
    const [one, two] = options()
    assert.ok(one && two)
    const before = await revision()
    await one.change('a', { quotaBytes: 9_007_199_254_740_991 })
    await two.change('a', { cors: '[1]', lifecycle: '["nul \\u0000"]' })
    const row = { bucket: 'a', cors: '[1]', lifecycle: '["nul \\u0000"]' }
    assert.deepEqual(await one.changedAfter(before), [
      { ...row, quotaBytes: 9_007_199_254_740_991, isPublic: 0, revision: before + 2 },
    ])
    assert.deepEqual(await one.changedAfter(before + 2), [])
    await one.change('a', { quotaBytes: null })
    assert.equal((await two.changedAfter(before + 2))[0]?.quotaBytes, null)
  })

  test('BucketOptionsTable keeps concurrent changes of different columns', async () => {
    const [one, two] = options()
    assert.ok(one && two)
    const before = await revision()
    await Promise.all([
      one.change('both', { cors: '[1]' }),
      two.change('both', { lifecycle: '[2]' }),
      one.change('both', { quotaBytes: 3 }),
      two.change('both', { isPublic: 1 }),
    ])
    const rows = await one.changedAfter(before)
    const { cors, lifecycle, quotaBytes, isPublic } =
      rows.find(({ bucket }) => bucket === 'both') ?? assert.fail()
    assert.deepEqual([cors, lifecycle, quotaBytes, isPublic], ['[1]', '[2]', 3, 1])
    assert.equal(await revision(), before + 4)
  })

  test('a removed bucket leaves an empty row, which every process sees', async () => {
    const [one] = options()
    assert.ok(one)
    await one.change('gone', { cors: '[1]', quotaBytes: 0, isPublic: 1 })
    const before = await revision()
    await databases()[1].write([bumpRevision('buckets'), clearBucketOptions('gone')])
    assert.deepEqual(await one.changedAfter(before), [
      {
        bucket: 'gone',
        cors: '',
        lifecycle: '',
        quotaBytes: null,
        isPublic: 0,
        revision: before + 1,
      },
    ])
  })
}

function describeExpiry(databases: () => [Database, Database]): void {
  const tables = () => databases().map((database) => new BucketExpiryTable(database))
  const lease = (bucket: string, owner: string, untilMs = 100) => ({ bucket, owner, untilMs })
  const run = { rules: 'r', day: 20_000, beganAtMs: 1_700_000_000_000 }
  const rowOf = async (table: BucketExpiryTable, bucket: string) =>
    (await table.all()).find((row) => row.bucket === bucket) ?? assert.fail()
  const progress: ExpiryProgress = {
    phase: 'objects',
    ...{ position: '"nul \\u0000"', objects: 3, uploads: 2, failures: 1 },
  }

  test('BucketExpiryTable grants a bucket to one of many processes, whether or not it has a row', async () => {
    const [one, two] = tables()
    assert.ok(one && two)
    for (let round = 0; round < 3; round++) {
      const seen = (await one.all()).find(({ bucket }) => bucket === 'taken')
      const asked = round === 2 ? { ...run, day: 20_001 } : run
      const taken: boolean[] = await Promise.all(
        [one, two, one, two].map((table, index) =>
          table.take(lease('taken', `owner ${round} ${index}`), seen, asked),
        ),
      )
      assert.equal(taken.filter(Boolean).length, 1)
    }
  })

  test('BucketExpiryTable stores progress only from the holder of the lease', async () => {
    const [table] = tables()
    assert.ok(table)
    assert.ok(await table.take(lease('kept', 'x'), undefined, run))
    assert.equal(await table.save(lease('kept', 'y', 900), progress, 50), false)
    assert.ok(await table.save(lease('kept', 'x', 900), progress, 50))
    const held = { bucket: 'kept', ...run, ...progress, triedAtMs: 50, problem: '' }
    assert.deepEqual(await rowOf(table, 'kept'), { ...held, leaseOwner: 'x', leaseUntilMs: 900 })
    const end = { nowMs: 60, problem: 'away' }
    assert.ok(await table.release(lease('kept', 'x'), { ...progress, phase: 'uploads' }, end))
    assert.equal(await table.release(lease('kept', 'x'), progress, end), false)
    const ended = { ...held, phase: 'uploads', triedAtMs: 60, problem: 'away' }
    assert.deepEqual(await rowOf(table, 'kept'), { ...ended, leaseOwner: '', leaseUntilMs: 0 })
  })

  test('BucketExpiryTable continues the same run, and begins another from the start', async () => {
    const [table] = tables()
    assert.ok(table)
    assert.ok(await table.take(lease('run', 'x'), undefined, run))
    assert.ok(await table.release(lease('run', 'x'), progress, { nowMs: 60, problem: 'away' }))
    assert.ok(await table.take(lease('run', 'y'), await rowOf(table, 'run'), run))
    const { objects, position } = await rowOf(table, 'run')
    assert.deepEqual([objects, position], [3, progress.position])
    const next = { rules: 'other', day: 20_000, beganAtMs: 5 }
    assert.ok(await table.take(lease('run', 'z'), await rowOf(table, 'run'), next))
    assert.deepEqual(await rowOf(table, 'run'), {
      ...{ bucket: 'run', ...next, phase: 'objects', position: '""', objects: 0, uploads: 0 },
      ...{ failures: 0, triedAtMs: 60, problem: '', leaseOwner: 'z', leaseUntilMs: 100 },
    })
  })
}
