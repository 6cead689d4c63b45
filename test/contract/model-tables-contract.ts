import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ModelKeyTable } from '../../src/models/keys/model-key-table.ts'
import { ModelUsageTable, type UsageRow } from '../../src/models/usage/usage-table.ts'
import type { Database } from '../../src/platform/state/database.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { Revisions } from '../../src/platform/state/revision-table.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The contract of the keys and the usage of calls of models, for every database. */
export function describeModelTables(name: string, createLocation: () => Promise<DatabaseLocation>) {
  describe(`${name} model tables`, () => {
    let database: Database
    before(async () => {
      database = await openDatabase(await createLocation(), { migrate: true })
    })
    after(() => database.close())

    describeKeys(() => database)
    describeUsage(() => database)
  })
}

function describeKeys(database: () => Database): void {
  const row = (keyId: string) => ({
    keyId,
    secretHash: 'h',
    json: '{"a":"é"}',
    createdAtMs: 1,
    expiresAtMs: 9_007_199_254_740_991,
  })

  test('ModelKeyTable keeps keys up to a number, and every change raises the revision', async () => {
    const table = new ModelKeyTable(database())
    const revision = async () => (await new Revisions(database()).read()).get('model-keys') ?? 0
    const before = await revision()
    assert.equal(await table.add(row('a'), 2), true)
    assert.equal(await table.add(row('a'), 2), false)
    assert.equal(await table.add(row('b'), 2), true)
    assert.equal(await table.add(row('c'), 2), false)
    assert.deepEqual(await table.all(), [row('a'), row('b')])
    assert.equal(await table.change(row('a'), { json: '{}', expiresAtMs: 0 }), true)
    // It is not as it was seen any more.
    assert.equal(await table.change(row('a'), { json: '[]', expiresAtMs: 0 }), false)
    assert.equal(await table.remove('b'), true)
    assert.equal(await table.remove('b'), false)
    assert.deepEqual(await table.all(), [{ ...row('a'), json: '{}', expiresAtMs: 0 }])
    assert.equal(await revision(), before + 4)
  })
}

function describeUsage(database: () => Database): void {
  const row = (fromMs: number, model: string, keyId = 'key'): UsageRow => ({
    ...{ fromMs, keyId, connectionId: 'c', model },
    ...{ requests: 1, errors: 2, fallbacks: 3, inputTokens: 4, outputTokens: 5 },
    ...{
      estimatedTokens: 6,
      costMicros: 10,
      receivedBytes: 7,
      sentBytes: 8_000_000_000,
      firstByteMs: 9,
    },
  })
  const doubled = (one: UsageRow): UsageRow => ({
    ...one,
    ...{ requests: 2, errors: 4, fallbacks: 6, inputTokens: 8, outputTokens: 10 },
    ...{
      estimatedTokens: 12,
      costMicros: 20,
      receivedBytes: 14,
      sentBytes: 16_000_000_000,
      firstByteMs: 18,
    },
  })

  test('ModelUsageTable adds up, by the hour and the day, and forgets what is old', async () => {
    const table = new ModelUsageTable(database())
    await table.add([])
    await table.add([row(dayMs, 'm'), row(dayMs + hourMs, 'm'), row(3 * dayMs, 'm', '')])
    await Promise.all([table.add([row(dayMs, 'm')]), table.add([row(3 * dayMs, 'm', '')])])
    const all = { fromMs: 0, toMs: 10 * dayMs, limit: 10 }
    assert.deepEqual(await table.read('hour', all), [
      doubled(row(dayMs, 'm')),
      row(dayMs + hourMs, 'm'),
      doubled(row(3 * dayMs, 'm', '')),
    ])
    const [day, ...others] = await table.read('day', all)
    assert.deepEqual([day?.fromMs, day?.requests, day?.sentBytes], [dayMs, 3, 24_000_000_000])
    assert.equal(others.length, 1)
    assert.equal((await table.read('hour', { ...all, limit: 1 })).length, 1)
    assert.equal((await table.read('hour', { ...all, toMs: dayMs })).length, 0)
    assert.deepEqual([...(await table.keysSince(dayMs))], [['key', { tokens: 45, micros: 30 }]])
    assert.deepEqual([...(await table.keysSince(dayMs + 1))], [['key', { tokens: 15, micros: 10 }]])
    await table.sweep(dayMs + hourMs)
    assert.equal((await table.read('hour', all)).length, 2)
  })
}
