import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  openRouting,
  openTestDatabase,
  type RoutingGateway,
  type TestDatabase,
} from './routing-fixture.ts'

const empty = { connections: [], combos: [], customModels: [], modelAliases: {} }

/** The same life for each kind of item: made, replaced, renamed, deleted; the order stays. */
const kinds = [
  {
    path: '/combos',
    list: 'combos',
    first: { name: 'one', models: ['p/m'] },
    second: { name: 'two', kind: 'image' },
    itemPath: '/combos/one',
    replaced: { name: 'one', kind: 'tts', models: ['p/n', 'p/m'] },
    renamed: { name: 'third.one' },
    renamedPath: '/combos/third.one',
  },
  {
    path: '/custom-models',
    list: 'customModels',
    first: { id: 'vendor/model:1', providerAlias: 'p', name: 'One' },
    second: { id: 'vendor/model:1', providerAlias: 'p', type: 'image' },
    itemPath: '/custom-models/llm/p/vendor%2Fmodel:1',
    replaced: { id: 'vendor/model:1', providerAlias: 'p', type: 'llm' },
    renamed: { id: 'ä / 100%', providerAlias: 'q' },
    renamedPath: `/custom-models/llm/q/${encodeURIComponent('ä / 100%')}`,
  },
  {
    path: '/model-aliases',
    list: 'modelAliases',
    first: { name: 'my/one', target: 'p/m' },
    second: { name: 'two', target: 'p/m/n' },
    itemPath: '/model-aliases/my%2Fone',
    replaced: { name: 'my/one', target: 'q/m' },
    renamed: { name: 'constructor', target: 'q/m' },
    renamedPath: '/model-aliases/constructor',
  },
] as const

describe('single items of the routing API', () => {
  let testDatabase: TestDatabase
  let gateway: RoutingGateway
  before(async () => {
    testDatabase = await openTestDatabase()
    gateway = await openRouting(testDatabase.database)
  })
  beforeEach(() => gateway.send('PUT', '', empty))
  after(() => testDatabase.remove())

  for (const { path, list, first, second, itemPath, replaced, renamed, renamedPath } of kinds) {
    const items = async () => {
      const stored = (await gateway.send('GET', '')).body[list]
      if (list !== 'modelAliases') return stored
      return Object.entries(stored).map(([name, target]) => ({ name, target }))
    }

    test(`${path}: POST adds, PUT replaces in place, DELETE removes`, async () => {
      for (const item of [first, second]) {
        const { status, body } = await gateway.send('POST', path, item)
        assert.deepEqual([status, body], [201, item])
      }
      assert.deepEqual(await items(), [first, second])
      const put = await gateway.send('PUT', itemPath, replaced)
      assert.deepEqual([put.status, put.body], [200, replaced])
      assert.deepEqual(await items(), [replaced, second])
      assert.equal((await gateway.send('PUT', itemPath, renamed)).status, 200)
      assert.deepEqual(await items(), [renamed, second])
      assert.equal((await gateway.send('DELETE', itemPath)).status, 404)
      const deleted = await gateway.send('DELETE', renamedPath)
      assert.deepEqual([deleted.status, deleted.text], [204, ''])
      assert.deepEqual(await items(), [second])
    })

    test(`${path}: every answer names the revision, and If-Match is obeyed`, async () => {
      const { headers } = await gateway.send('POST', path, first)
      const stale = { 'if-match': String(headers.etag) }
      await gateway.send('POST', path, second)
      assert.equal((await gateway.send('PUT', itemPath, replaced, stale)).status, 412)
      assert.equal((await gateway.send('DELETE', itemPath, undefined, stale)).status, 412)
      const { headers: now } = await gateway.send('GET', '')
      const fresh = { 'if-match': String(now.etag) }
      assert.equal((await gateway.send('DELETE', itemPath, undefined, fresh)).status, 204)
    })
  }

  test('the longest allowed names can be reached in a path', async () => {
    const model = { id: 'ж'.repeat(300), providerAlias: 'p'.repeat(200) }
    assert.equal((await gateway.send('POST', '/custom-models', model)).status, 201)
    const path = `/custom-models/llm/${model.providerAlias}/${encodeURIComponent(model.id)}`
    assert.equal((await gateway.send('DELETE', path)).status, 204)
  })

  test('answers warn about fields without effect', async () => {
    const combo = await gateway.send('POST', '/combos', { name: 'one', models: ['x/typo'] })
    assert.deepEqual(
      combo.fieldWarnings?.map(({ field }) => field),
      ['models[0]'],
    )
    const alias = await gateway.send('POST', '/model-aliases', { name: 'a b', target: 'x/typo' })
    assert.deepEqual(
      alias.fieldWarnings?.map(({ field }) => field),
      ['target'],
    )
    const custom = await gateway.send('POST', '/custom-models', {
      ...{ id: 'm', providerAlias: 'p', type: 'image' },
    })
    assert.deepEqual(
      custom.fieldWarnings?.map(({ field }) => field),
      ['type'],
    )
    const connection = await gateway.send('POST', '/connections', { provider: 'opneai' })
    assert.deepEqual(
      connection.fieldWarnings?.map(({ field }) => field),
      ['provider'],
    )
    const { fieldWarnings, body } = await gateway.send('GET', '')
    assert.deepEqual(fieldWarnings?.map(({ field }) => field).toSorted(), [
      'combos[0].models[0]',
      'connections[0].provider',
      'customModels[0].type',
      'modelAliases["a b"]',
    ])
    // What GET answers can be given back as it is.
    assert.equal((await gateway.send('PUT', '', { ...body, warnings: fieldWarnings })).status, 200)
    const good = await gateway.send('POST', '/connections', { provider: 'deepthink' })
    assert.deepEqual(good.fieldWarnings, [])
  })
})
