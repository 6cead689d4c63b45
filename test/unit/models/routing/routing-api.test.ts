import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  openRouting,
  openTestDatabase,
  type RoutingGateway,
  type TestDatabase,
} from './routing-fixture.ts'

const longKey = 'sk-0123456789abcdef'

const empty = { connections: [], combos: [], customModels: [], modelAliases: {} }

describe('routing API', () => {
  let testDatabase: TestDatabase
  let gateway: RoutingGateway
  let now = 1_000
  before(async () => {
    testDatabase = await openTestDatabase()
    gateway = await openRouting(testDatabase.database, { now: () => now })
  })
  beforeEach(async () => {
    now = 1_000
    assert.equal((await gateway.send('PUT', '', empty)).status, 200)
  })
  after(() => testDatabase.remove())

  test('every route answers 401 without a session, before it looks at the body', async () => {
    const routes = [
      ['GET', ''],
      ['PUT', ''],
      ['GET', '/export'],
      ['POST', '/import'],
      ['POST', '/connections'],
      ['PATCH', '/connections/a'],
      ['DELETE', '/connections/a'],
      ['POST', '/connections/reorder'],
      ['POST', '/connections/a/enable'],
      ['POST', '/connections/a/disable'],
      ['POST', '/connections/a/test'],
      ...['/combos', '/model-aliases'].flatMap((path) => [
        ['POST', path],
        ['PUT', `${path}/a`],
        ['DELETE', `${path}/a`],
      ]),
      ['POST', '/custom-models'],
      ['PUT', '/custom-models/llm/a/b'],
      ['DELETE', '/custom-models/llm/a/b'],
    ] as const
    for (const [method, path] of routes) {
      const answer = await gateway.send(method as 'GET', path as string, undefined, {
        authorization: '',
      })
      assert.equal(answer.status, 401, `${method} ${path}`)
      assert.deepEqual(answer.body, { message: 'Log in first.' })
    }
    assert.equal(gateway.routes.length, routes.length)
  })

  test('GET answers an empty state before anything is stored', async () => {
    const { status, body, headers } = await gateway.send('GET', '')
    assert.equal(status, 200)
    assert.deepEqual(body, empty)
    assert.match(String(headers.etag), /^"\d+"$/)
    assert.equal(headers['cache-control'], 'no-store')
  })

  // docs/contract/model-list.md, "Inputs".
  test('PUT accepts only the specified fields and generates ids', async () => {
    const { status, body } = await gateway.send('PUT', '', {
      connections: [
        {
          provider: 'openai',
          isActive: null,
          apiKey: longKey,
          providerSpecificData: {
            baseUrl: ' https://x.example/v1/ ',
            prefix: '  ',
            enabledModels: ['a', '', '  ', 'a'],
          },
        },
        { provider: 'openai-compatible-chat-3f2b8c1d', isActive: false },
      ],
      combos: [{ name: 'fast' }, { name: 'search', kind: 'webSearch', models: ['a/b'] }],
      customModels: [
        { id: 'm', providerAlias: 'oa' },
        { id: 'm', providerAlias: 'oa', type: 'tts' },
      ],
      modelAliases: { mine: 'oa/m', 'a/b': 'other/x/y' },
    })
    assert.equal(status, 200)
    const [first, second] = body.connections
    assert.match(first.id, /^[g-z]{20}$/)
    assert.deepEqual(body, {
      connections: [
        {
          id: first.id,
          provider: 'openai',
          isActive: true,
          apiKey: '****cdef',
          apiKeyState: 'stored',
          providerSpecificData: {
            baseUrl: ' https://x.example/v1/ ',
            prefix: '  ',
            enabledModels: ['a', '', '  ', 'a'],
          },
          createdAtMs: 1_000,
        },
        {
          id: second.id,
          provider: 'openai-compatible-chat-3f2b8c1d',
          isActive: false,
          apiKeyState: 'none',
          createdAtMs: 1_000,
        },
      ],
      combos: [{ name: 'fast' }, { name: 'search', kind: 'webSearch', models: ['a/b'] }],
      customModels: [
        { id: 'm', providerAlias: 'oa' },
        { id: 'm', providerAlias: 'oa', type: 'tts' },
      ],
      modelAliases: { mine: 'oa/m', 'a/b': 'other/x/y' },
    })
    assert.deepEqual((await gateway.send('GET', '')).body, body)
  })

  test('PUT of the result of GET changes nothing, not even the revision', async () => {
    await gateway.send('PUT', '', {
      ...empty,
      connections: [
        { id: 'b', provider: 'p', apiKey: longKey, priority: 2 },
        { id: 'a', provider: 'p', apiKey: 'short', priority: 1 },
      ],
      combos: [{ name: 'z' }, { name: 'a' }],
      modelAliases: { z: 'p/m', a: 'p/m' },
    })
    now = 2_000
    const first = await gateway.send('GET', '')
    const put = await gateway.send('PUT', '', first.body)
    assert.equal(put.status, 200)
    assert.deepEqual(put.body, first.body)
    // The order of the array is another one than that of the priorities: that is one change.
    const again = await gateway.send('PUT', '', put.body)
    assert.equal(again.headers.etag, put.headers.etag)
    assert.deepEqual(
      (await gateway.source.connections()).map(({ id, apiKey }) => [id, apiKey]),
      [
        ['a', 'short'],
        ['b', longKey],
      ],
    )
  })

  test('PUT keeps the order of combos, custom models and aliases', async () => {
    const names = ['m', 'z', 'a', 'k']
    const state = (order: readonly string[]) => ({
      ...empty,
      combos: order.map((name) => ({ name })),
      customModels: order.map((id) => ({ id, providerAlias: 'p' })),
      modelAliases: Object.fromEntries(order.map((name) => [name, 'p/m'])),
    })
    for (const order of [names, names.toReversed(), ['k', 'new', 'z', 'm'], names]) {
      await gateway.send('PUT', '', state(order))
      const { body, text } = await gateway.send('GET', '')
      assert.deepEqual(body, state(order))
      assert.ok(text.includes(`${JSON.stringify(state(order).modelAliases)},"warnings"`))
    }
  })

  test('PUT with If-Match changes only the revision that was read', async () => {
    const { headers } = await gateway.send('PUT', '', { ...empty, combos: [{ name: 'one' }] })
    const ifMatch = { 'if-match': String(headers.etag) }
    assert.equal((await gateway.send('PUT', '', empty, ifMatch)).status, 200)
    const late = await gateway.send('PUT', '', { ...empty, combos: [{ name: 'two' }] }, ifMatch)
    assert.equal(late.status, 412)
    assert.deepEqual((await gateway.send('GET', '')).body, empty)
    for (const value of ['12', 'W/"1"', '"x"']) {
      const answer = await gateway.send('PUT', '', empty, { 'if-match': value })
      assert.deepEqual([answer.status, answer.body.field], [412, 'if-match'], value)
    }
    assert.equal((await gateway.send('PUT', '', empty, { 'if-match': '*' })).status, 200)
  })

  test('PUT keeps the age of a connection and takes a given one', async () => {
    await gateway.send('PUT', '', { ...empty, connections: [{ id: 'a', provider: 'p' }] })
    now = 2_000
    const { body } = await gateway.send('PUT', '', {
      ...empty,
      connections: [
        { id: 'b', provider: 'p' },
        { id: 'a', provider: 'q' },
        { id: 'c', provider: 'p', createdAtMs: 5 },
      ],
    })
    assert.deepEqual(
      body.connections.map(({ id, createdAtMs }: { id: string; createdAtMs: number }) => [
        id,
        createdAtMs,
      ]),
      [
        ['c', 5],
        ['a', 1_000],
        ['b', 2_000],
      ],
    )
  })

  test('GET /export returns masks and never a key', async () => {
    await gateway.send('PUT', '', {
      ...empty,
      connections: [{ id: 'a', provider: 'p', apiKey: longKey }],
    })
    const masked = await gateway.send('GET', '/export')
    assert.equal(masked.body.connections[0].apiKey, '****cdef')
    assert.match(String(masked.headers['content-disposition']), /^attachment; filename=/)
    assert.deepEqual((await gateway.send('GET', '/export?keys=true')).body, masked.body)
    assert.deepEqual((await gateway.send('GET', '')).body, masked.body)
  })
})
