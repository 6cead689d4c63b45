import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ModelKeyTable } from '../../src/models/keys/model-key-table.ts'
import { ModelRecordTable } from '../../src/models/usage/model-record-table.ts'
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
    describeRecords(() => database)
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

function describeRecords(database: () => Database): void {
  const record = (id: string, atMs: number, json = '{}') => ({ id, atMs, json })
  const dayMs = 86_400_000

  test('ModelRecordTable keeps the first record of an id, and finds it by its kind', async () => {
    const table = new ModelRecordTable(database())
    await table.add('response', [record('a', 100 * dayMs, '{"a":"é"}'), record('b', 10 * dayMs)])
    await table.add('response', [record('a', 1, '{"a":"other"}')])
    assert.equal(await table.find('response', 'a'), '{"a":"é"}')
    assert.equal(await table.find('call', 'a'), undefined)
    await table.sweep(100 * dayMs)
    assert.equal(await table.find('response', 'b'), undefined)
    assert.notEqual(await table.find('response', 'a'), undefined)
  })

  test('ModelRecordTable keeps the last 1,000 calls, and gives them in pages', async () => {
    const table = new ModelRecordTable(database())
    const records = Array.from({ length: 1_200 }, (_, at) => record(`c${at}`, Math.floor(at / 2)))
    await Promise.all([
      table.add('call', records.slice(0, 700)),
      table.add('call', records.slice(700)),
    ])
    const ids: string[] = []
    for (let last: ReturnType<typeof record> | undefined; ; ) {
      const page = await table.page('call', 300, last)
      ids.push(...page.map(({ id }) => id))
      last = page.at(-1)
      if (last === undefined) break
    }
    assert.deepEqual(ids.slice(0, 4), ['c1199', 'c1198', 'c1197', 'c1196'])
    assert.equal(ids.length, 1_000)
    assert.equal(new Set(ids).size, 1_000)
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
