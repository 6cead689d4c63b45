import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  openRouting,
  openTestDatabase,
  probeResult,
  type RoutingGateway,
  type TestDatabase,
} from './routing-fixture.ts'

const longKey = 'sk-0123456789abcdef'
const empty = { connections: [], combos: [], customModels: [], modelAliases: {} }
const dataOf = (baseUrl: string | null) => ({ providerSpecificData: { baseUrl } })

describe('connections of the routing API', () => {
  let testDatabase: TestDatabase
  let gateway: RoutingGateway
  before(async () => {
    testDatabase = await openTestDatabase()
    gateway = await openRouting(testDatabase.database)
  })
  beforeEach(() => gateway.send('PUT', '', empty))
  after(() => testDatabase.remove())

  async function create(fields: object): Promise<{ readonly id: string }> {
    const { status, body } = await gateway.send('POST', '/connections', fields)
    assert.equal(status, 201)
    return body
  }

  async function keyOf(id: string): Promise<string | undefined> {
    const found = (await gateway.source.connections()).find((connection) => connection.id === id)
    assert.ok(found)
    return found.apiKey
  }

  test('POST creates a connection to a provider of the catalogue', async () => {
    const created = await create({ provider: 'openai', name: 'Mine', apiKey: `\n${longKey} ` })
    assert.deepEqual(created, {
      id: created.id,
      provider: 'openai',
      name: 'Mine',
      isActive: true,
      apiKey: '****cdef',
      apiKeyState: 'stored',
      createdAtMs: 1_000,
    })
    assert.equal(await keyOf(created.id), longKey)
    assert.deepEqual((await gateway.send('GET', '')).body.connections, [created])
  })

  // docs/contract/model-list.md, "Ids from the upstream".
  test('POST generates a provider id that makes the upstream get requests', async () => {
    for (const kind of ['openai-compatible', 'anthropic-compatible']) {
      const { body } = await gateway.send('POST', '/connections', {
        kind,
        name: 'Deadbeef 0123456789',
        providerSpecificData: { baseUrl: 'http://127.0.0.1:1234/v1' },
      })
      assert.match(body.provider, new RegExp(`^${kind}-deadbeef-0123456789-[g-z]{12}$`))
    }
    const { body } = await gateway.send('POST', '/connections', { kind: 'openai-compatible' })
    assert.match(body.provider, /^openai-compatible-[g-z]{12}$/)
  })

  test('A changed connection is stored in the order in which it is read, so that no other change rewrites it', async () => {
    const { id } = await create({ provider: 'p', providerSpecificData: { prefix: 'a', weight: 2 } })
    const baseUrl = 'http://x'
    await gateway.send('PATCH', `/connections/${id}`, { name: 'Lab', ...dataOf(baseUrl) })
    const stored = () => testDatabase.database.read('SELECT json FROM routing_connections')
    const changed = await stored()
    await create({ provider: 'q' })
    assert.deepEqual((await stored())[0], changed[0])
    const { state } = await gateway.store.read()
    const data = { baseUrl, prefix: 'a', weight: 2 }
    assert.equal(JSON.stringify(state.connections[0]?.providerSpecificData), JSON.stringify(data))
  })

  test('PATCH changes the given fields and leaves the others', async () => {
    const { id } = await create({
      provider: 'p',
      name: 'Mine',
      priority: 3,
      apiKey: longKey,
      providerSpecificData: { baseUrl: 'http://x', prefix: 'mine', enabledModels: ['m'] },
    })
    const { status, body } = await gateway.send('PATCH', `/connections/${id}`, {
      name: 'Ours',
      providerSpecificData: { prefix: 'other' },
    })
    assert.equal(status, 200)
    assert.deepEqual(body, {
      id,
      provider: 'p',
      name: 'Ours',
      isActive: true,
      priority: 3,
      apiKey: '****cdef',
      apiKeyState: 'stored',
      providerSpecificData: { baseUrl: 'http://x', prefix: 'other', enabledModels: ['m'] },
      createdAtMs: 1_000,
    })
    assert.equal(await keyOf(id), longKey)
  })

  test('PATCH removes fields that are null', async () => {
    const { id } = await create({
      provider: 'p',
      name: 'Mine',
      isActive: false,
      priority: 3,
      apiKey: longKey,
      providerSpecificData: { baseUrl: 'http://x', prefix: 'mine', enabledModels: ['m'] },
    })
    const one = await gateway.send('PATCH', `/connections/${id}`, {
      name: null,
      isActive: null,
      priority: null,
      apiKey: null,
      providerSpecificData: { prefix: null },
    })
    const left = { id, provider: 'p', isActive: true, apiKeyState: 'none', createdAtMs: 1_000 }
    assert.deepEqual(one.body, {
      ...left,
      providerSpecificData: { baseUrl: 'http://x', enabledModels: ['m'] },
    })
    const all = await gateway.send('PATCH', `/connections/${id}`, { providerSpecificData: null })
    assert.deepEqual(all.body, left)
  })

  for (const [title, apiKey, expected] of [
    ['a new key replaces the stored one', 'sk-new', 'sk-new'],
    ['the mask keeps the stored key', '****cdef', longKey],
    ['an empty key removes the stored one', '', undefined],
  ] as const) {
    test(`PATCH and PUT: ${title}`, async () => {
      const patched = await create({ provider: 'p', apiKey: longKey })
      await gateway.send('PATCH', `/connections/${patched.id}`, { apiKey })
      assert.equal(await keyOf(patched.id), expected)
      const put = await create({ provider: 'p', apiKey: longKey })
      await gateway.send('PUT', '', { ...empty, connections: [{ ...put, apiKey }] })
      assert.equal(await keyOf(put.id), expected)
    })
  }

  test('no answer has a key in it, nor has the database', async () => {
    const { id } = await create({ provider: 'p', apiKey: longKey })
    const answers = [
      await gateway.send('GET', ''),
      await gateway.send('GET', '/export'),
      await gateway.send('GET', '/export?keys=true'),
      await gateway.send('PATCH', `/connections/${id}`, { apiKey: longKey }),
      await gateway.send('POST', `/connections/${id}/enable`),
      await gateway.send('POST', '/connections/reorder', { ids: [id] }),
    ]
    for (const { text } of answers) assert.ok(!text.includes('0123456789'))
    const rows = await testDatabase.database.read('SELECT * FROM routing_connections')
    const stored = JSON.stringify(rows)
    assert.ok(stored.includes('v1.'))
    assert.ok(!stored.includes('0123456789'))
  })

  const lab = { provider: 'openai-compatible-lab', ...dataOf('https://lab.example/v1') }
  const moves: readonly (readonly [title: string, before: object, change: object])[] = [
    ['another host', lab, dataOf('https://evil.example/v1')],
    ['another port', lab, dataOf('https://lab.example:8443/v1')],
    ['another scheme', lab, dataOf('http://lab.example/v1')],
    ['an address where there was none', { provider: lab.provider }, dataOf('https://evil.example')],
    ['another flavour', lab, { provider: 'anthropic-compatible-lab' }],
    ['a provider of the catalogue', lab, { provider: 'openai' }],
    ['another provider of the catalogue', { provider: 'openai' }, { provider: 'mistral' }],
  ]
  for (const [title, start, change] of moves) {
    test(`PATCH and PUT refuse to send a stored key to ${title}`, async () => {
      const created = await create({ ...start, apiKey: longKey })
      const whole = { ...empty, connections: [{ ...created, ...change }] }
      const before = await gateway.opened()
      for (const [answer, field] of [
        [await gateway.send('PATCH', `/connections/${created.id}`, change), 'apiKey'],
        [
          await gateway.send('PATCH', `/connections/${created.id}`, {
            ...change,
            apiKey: '****cdef',
          }),
          'apiKey',
        ],
        [await gateway.send('PUT', '', whole), 'connections[0].apiKey'],
      ] as const) {
        assert.deepEqual([answer.status, answer.body.field], [400, field])
        assert.equal(answer.body.message, 'enter the key again for the new address')
      }
      assert.deepEqual(await gateway.opened(), before)
      const entered = { ...change, apiKey: longKey }
      const { status } = await gateway.send('PATCH', `/connections/${created.id}`, entered)
      assert.equal(status, 200)
      assert.equal(await keyOf(created.id), longKey)
    })
  }

  test('PATCH keeps the key for another path, another id of the flavour, and no address', async () => {
    const { id } = await create({ ...lab, apiKey: longKey })
    for (const change of [
      dataOf(' https://LAB.example:443/v2/ '),
      { provider: 'openai-compatible-other' },
      dataOf(null),
    ]) {
      assert.equal((await gateway.send('PATCH', `/connections/${id}`, change)).status, 200)
      assert.equal(await keyOf(id), longKey)
    }
    const evil = dataOf('https://evil.example')
    assert.equal((await gateway.send('PATCH', `/connections/${id}`, evil)).status, 400)
  })

  test('PATCH moves a connection that loses its key', async () => {
    const { id } = await create({ ...lab, apiKey: longKey })
    const change = { ...dataOf('https://new.example'), apiKey: null }
    assert.equal((await gateway.send('PATCH', `/connections/${id}`, change)).status, 200)
    assert.equal(await keyOf(id), undefined)
  })

  test('POST enable and disable change nothing but isActive', async () => {
    const created = await create({ provider: 'p', apiKey: longKey })
    const off = await gateway.send('POST', `/connections/${created.id}/disable`)
    assert.deepEqual(off.body, { ...created, isActive: false })
    const on = await gateway.send('POST', `/connections/${created.id}/enable`)
    assert.deepEqual(on.body, created)
  })

  test('POST reorder sets priorities in the given order, followed by connections not named', async () => {
    for (const id of ['a', 'b', 'c', 'd']) {
      const { body } = await gateway.send('GET', '')
      await gateway.send('PUT', '', {
        ...body,
        connections: [...body.connections, { id, provider: 'p', createdAtMs: id.charCodeAt(0) }],
      })
    }
    const { body } = await gateway.send('POST', '/connections/reorder', { ids: ['d', 'b'] })
    assert.deepEqual(
      body.connections.map(({ id, priority }: { id: string; priority: number }) => id + priority),
      ['d1', 'b2', 'a3', 'c4'],
    )
  })

  test('DELETE removes a connection', async () => {
    const gone = await create({ provider: 'p' })
    const kept = await create({ provider: 'p' })
    const answer = await gateway.send('DELETE', `/connections/${gone.id}`)
    assert.deepEqual([answer.status, answer.text], [204, ''])
    assert.deepEqual((await gateway.send('GET', '')).body.connections, [kept])
    assert.equal((await gateway.send('DELETE', `/connections/${gone.id}`)).status, 404)
  })

  test('POST test sends the key to the upstream and reports the answer', async () => {
    const { id } = await create({
      provider: 'openai-compatible-x',
      apiKey: longKey,
      providerSpecificData: { baseUrl: 'http://x' },
    })
    const { status, body } = await gateway.send('POST', `/connections/${id}/test`)
    assert.equal(status, 200)
    assert.deepEqual(body, probeResult)
    assert.deepEqual(gateway.probed.at(-1), {
      id,
      provider: 'openai-compatible-x',
      isActive: true,
      apiKey: longKey,
      providerSpecificData: { baseUrl: 'http://x' },
      createdAtMs: 1_000,
    })
    const keyless = await create({ provider: 'p' })
    await gateway.send('POST', `/connections/${keyless.id}/test`)
    assert.equal(gateway.probed.at(-1)?.apiKey, undefined)
  })
})

describe('connections after SECRET_KEY has changed', () => {
  let testDatabase: TestDatabase
  let changed: RoutingGateway
  let original: RoutingGateway
  before(async () => {
    testDatabase = await openTestDatabase()
    original = await openRouting(testDatabase.database)
    changed = await openRouting(testDatabase.database, { secretKey: 'another secret' })
  })
  beforeEach(async () => {
    const connections = [
      { id: 'a', provider: 'p', apiKey: longKey },
      { id: 'b', provider: 'p' },
    ]
    await original.send('PUT', '', { ...empty, connections })
  })
  after(() => testDatabase.remove())

  test('GET reports unreadable keys, and the log does once', async () => {
    const { body } = await changed.send('GET', '')
    const [first, second] = body.connections
    assert.deepEqual([first.apiKey, first.apiKeyState], ['****', 'unreadable'])
    assert.deepEqual([second.apiKey, second.apiKeyState], [undefined, 'none'])
    const listed = await changed.source.connections()
    await changed.source.connections()
    assert.deepEqual(
      listed.map(({ id, apiKey }) => [id, apiKey]),
      [
        ['a', undefined],
        ['b', undefined],
      ],
    )
    assert.deepEqual(changed.warnings, [{ connections: ['a'], count: 1 }])
  })

  test('no change of other fields loses the key', async () => {
    await changed.send('PUT', '', (await changed.send('GET', '')).body)
    await changed.send('PUT', '', (await changed.send('GET', '/export')).body)
    await changed.send('PATCH', '/connections/a', { name: 'New', apiKey: '****' })
    await changed.send('PATCH', '/connections/a', { apiKey: '****cdef' })
    await changed.send('POST', '/connections/a/disable')
    await changed.send('POST', '/connections/reorder', { ids: ['b', 'a'] })
    await changed.send('POST', '/import', { providerConnections: [{ id: 'a', provider: 'p' }] })
    const [, connection] = await original.source.connections()
    assert.equal(connection?.id, 'a')
    assert.equal(connection.apiKey, longKey)
  })

  test('a new key heals the connection', async () => {
    const { body } = await changed.send('PATCH', '/connections/a', { apiKey: 'sk-new' })
    assert.equal(body.apiKeyState, 'stored')
    assert.equal((await changed.source.connections())[0]?.apiKey, 'sk-new')
  })

  test('POST test reports an unreadable key instead of sending a request without it', async () => {
    const { status, body } = await changed.send('POST', '/connections/a/test')
    assert.equal(status, 200)
    assert.equal(body.outcome, 'untested')
    assert.match(body.message, /SECRET_KEY/)
    assert.deepEqual(changed.probed, [])
  })
})
