import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import {
  openRouting,
  openTestDatabase,
  type RoutingGateway,
  type TestDatabase,
} from './routing-fixture.ts'

const whole = {
  connections: [{ id: 'good', provider: 'p', apiKey: 'sk-1' }],
  combos: [{ name: 'good' }],
  customModels: [{ id: 'good', providerAlias: 'p' }],
  modelAliases: { good: 'p/m' },
}

const tables = {
  connections: 'routing_connections',
  combos: 'routing_combos',
  customModels: 'routing_custom_models',
  modelAliases: 'routing_model_aliases',
} as const

/** Rows with the id `bad` that nothing can be made of. */
const broken: readonly (readonly [set: keyof typeof tables, json: string])[] = [
  ...(Object.keys(tables) as (keyof typeof tables)[]).flatMap((set) =>
    ['', '{"id":"bad"', 'null', '5', '[]', '{}', '{"id":"other","name":"other"}'].map(
      (json) => [set, json] as const,
    ),
  ),
  ['connections', '{"id":"bad"}'],
  ['connections', '{"id":"bad","provider":" "}'],
  ['combos', '{"name":"bad","kind":"video"}'],
  ['customModels', '{"id":"bad"}'],
  ['modelAliases', '{"name":"bad","target":5}'],
]

describe('a broken row', () => {
  let testDatabase: TestDatabase
  let gateway: RoutingGateway
  let healthy: object
  beforeEach(async () => {
    testDatabase = await openTestDatabase()
    gateway = await openRouting(testDatabase.database)
    assert.equal((await gateway.send('PUT', '', whole)).status, 200)
    healthy = await gateway.opened()
  })
  afterEach(() => testDatabase.remove())

  async function store(set: keyof typeof tables, id: string, json: string): Promise<void> {
    const { write } = testDatabase.database
    await write.call(testDatabase.database, [
      {
        sql: `INSERT INTO ${tables[set]} (id, position, json) VALUES (?, ?, ?)`,
        params: [id, 0, json],
      },
      { sql: 'UPDATE routing_revision SET revision = revision + 1', params: [] },
    ])
  }

  async function jsonOf(set: keyof typeof tables, id: string): Promise<string | undefined> {
    const rows = await testDatabase.database.read<{ id: string; json: string }>(
      `SELECT id, json FROM ${tables[set]}`,
    )
    return rows.find((row) => row.id === id)?.json
  }

  for (const [set, json] of broken) {
    test(`of ${set}, ${json || 'empty'}, is passed over and stays`, async () => {
      await store(set, 'bad', json)
      assert.deepEqual(await gateway.opened(), healthy)
      assert.deepEqual(Object.keys(await gateway.source.modelAliases()), ['good'])
      const list = set === 'modelAliases' ? [] : await gateway.source[set]()
      assert.equal(list.length, set === 'modelAliases' ? 0 : 1)
      assert.deepEqual(gateway.warnings, [{ set, rows: ['bad'], count: 1 }])
      // A change of something else leaves it as it is.
      const change = await gateway.send('POST', '/combos', { name: 'another' })
      assert.equal(change.status, 201)
      assert.equal(await jsonOf(set, 'bad'), json)
    })
  }

  test('is logged once for each change, not for each list', async () => {
    await store('combos', 'bad', '{')
    for (let count = 0; count < 3; count++) await gateway.source.combos()
    assert.equal(gateway.warnings.length, 1)
    await gateway.send('POST', '/combos', { name: 'another' })
    for (let count = 0; count < 3; count++) await gateway.source.combos()
    assert.equal(gateway.warnings.length, 2)
  })

  test('is removed by a PUT of the whole state', async () => {
    for (const set of Object.keys(tables) as (keyof typeof tables)[]) await store(set, 'bad', '{')
    assert.equal((await gateway.send('PUT', '', (await gateway.send('GET', '')).body)).status, 200)
    assert.deepEqual(await gateway.opened(), healthy)
    for (const set of Object.keys(tables) as (keyof typeof tables)[]) {
      assert.equal(await jsonOf(set, 'bad'), undefined)
    }
  })

  const items = [
    ['connections', 'bad', '/connections/bad', undefined],
    ['combos', 'bad', '/combos/bad', { name: 'bad', kind: 'llm' }],
    [
      'customModels',
      'tts/p/bad',
      '/custom-models/tts/p/bad',
      { id: 'bad', providerAlias: 'p', type: 'tts' },
    ],
    ['modelAliases', 'bad', '/model-aliases/bad', { name: 'bad', target: 'p/x' }],
  ] as const
  for (const [set, id, path, body] of items) {
    test(`of ${set} can be deleted`, async () => {
      await store(set, id, '{')
      assert.equal((await gateway.send('DELETE', path)).status, 204)
      assert.equal(await jsonOf(set, id), undefined)
      assert.deepEqual(await gateway.opened(), healthy)
      assert.equal((await gateway.send('DELETE', path)).status, 404)
    })
    if (body === undefined) continue
    test(`of ${set} can be replaced by PUT and by POST`, async () => {
      await store(set, id, '{')
      assert.equal((await gateway.send('PUT', path, body)).status, 200)
      assert.deepEqual(JSON.parse((await jsonOf(set, id)) ?? ''), body)
      await gateway.send('DELETE', path)
      await store(set, id, '{')
      const collection = path.slice(0, path.indexOf('/', 1))
      assert.equal((await gateway.send('POST', collection, body)).status, 201)
      assert.deepEqual(JSON.parse((await jsonOf(set, id)) ?? ''), body)
    })
  }

  test('of a set is replaced by an import of the same id', async () => {
    await store('connections', 'bad', '{')
    await store('combos', 'other', '{')
    const file = { providerConnections: [{ id: 'bad', provider: 'p' }] }
    assert.equal((await gateway.send('POST', '/import', file)).status, 200)
    assert.equal((await gateway.source.connections()).length, 2)
    assert.equal(await jsonOf('combos', 'other'), '{')
    assert.equal((await gateway.send('POST', '/import?mode=replace', file)).status, 200)
    assert.equal(await jsonOf('combos', 'other'), undefined)
  })

  const fields: readonly (readonly [fields: object, read: object])[] = [
    [{ isActive: null }, {}],
    [{ isActive: 0 }, {}],
    [{ isActive: false }, { isActive: false }],
    [{ createdAtMs: 'now', priority: '1', name: 5, sealedKey: {} }, {}],
    [{ createdAtMs: 1.5, priority: 1.5, name: null }, {}],
    [{ createdAtMs: null, priority: null, providerSpecificData: null }, {}],
    [{ providerSpecificData: 'x' }, {}],
    [
      { providerSpecificData: { baseUrl: 5, prefix: null, enabledModels: ['m', null, 5] } },
      { providerSpecificData: { enabledModels: ['m', '', ''] } },
    ],
    [{ future: 'field' }, {}],
  ]
  for (const [stored, read] of fields) {
    test(`that has only broken fields is read without them: ${JSON.stringify(stored)}`, async () => {
      await store('connections', 'odd', JSON.stringify({ id: 'odd', provider: 'p', ...stored }))
      const expected = { id: 'odd', provider: 'p', isActive: true, ...read }
      const { status, body } = await gateway.send('GET', '')
      assert.equal(status, 200)
      const odd = body.connections.find(({ id }: { id: string }) => id === 'odd')
      assert.deepEqual(odd, { ...expected, apiKeyState: 'none' })
      assert.deepEqual(gateway.warnings, [])
      assert.equal((await gateway.send('PATCH', '/connections/odd', { name: 'Odd' })).status, 200)
      assert.equal((await gateway.send('PUT', '', body)).status, 200)
    })
  }
})
