import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { bumpRevision, Revisions } from '../../src/platform/state/revision-table.ts'
import {
  BucketOptionsTable,
  clearBucketOptions,
} from '../../src/storage/buckets/bucket-option-table.ts'
import { LockClockTable } from '../../src/storage/buckets/lock-clock-table.ts'

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

    test('LockClockTable keeps the greatest time of all processes', async () => {
      const [one, two] = [new LockClockTable(database), new LockClockTable(other)]
      assert.equal(await one.read(), undefined)
      const ms = Date.UTC(2026, 0, 1)
      assert.equal(await one.raise(ms), ms)
      assert.equal(await two.raise(ms - 1), ms)
      await Promise.all([one.raise(ms + 2), two.raise(ms + 1)])
      assert.equal(await two.read(), ms + 2)
    })
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
    await databases()[1].write([bumpRevision('buckets'), ...clearBucketOptions('gone')])
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
