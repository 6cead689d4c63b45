import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  openRouting,
  openTestDatabase,
  type RoutingGateway,
  type TestDatabase,
} from '../routing-fixture.ts'

const empty = { connections: [], combos: [], customModels: [], modelAliases: {} }
const uuid = '3f2b8c1d-0a4e-4f6b-9c7d-1e2f3a4b5c6d'
const nodeId = `openai-compatible-chat-${uuid}`

/** As 9router 0.4.15 writes it: GET /api/settings/database. */
const exported = {
  settings: { requireApiKey: true, cloudEnabled: false },
  providerConnections: [
    {
      apiKey: 'sk-deepseek-0123456789',
      providerSpecificData: { enabledModels: ['deepseek-chat'], connectionProxyEnabled: false },
      testStatus: 'active',
      id: 'c-1',
      provider: 'deepseek',
      authType: 'apikey',
      name: 'Work',
      email: null,
      priority: 2,
      isActive: true,
      createdAt: '2026-05-04T10:00:00.000Z',
      updatedAt: '2026-05-04T10:00:00.000Z',
    },
    {
      apiKey: 'sk-node',
      providerSpecificData: { prefix: 'lab', apiType: 'chat', nodeName: 'Lab' },
      id: 'c-2',
      provider: nodeId,
      authType: 'apikey',
      name: 'Lab',
      priority: 1,
      isActive: false,
    },
    {
      accessToken: 'secret-access-token',
      refreshToken: 'secret-refresh-token',
      providerSpecificData: null,
      id: 'c-3',
      provider: 'claude',
      authType: 'oauth',
      name: null,
      priority: null,
      isActive: true,
    },
  ],
  providerNodes: [
    {
      id: nodeId,
      type: 'openai-compatible',
      name: 'Lab',
      prefix: 'node',
      apiType: 'chat',
      baseUrl: 'http://10.0.0.5/v1',
    },
    {
      id: 'anthropic-compatible-unused',
      type: 'anthropic-compatible',
      prefix: 'x',
      baseUrl: 'http://y',
    },
  ],
  proxyPools: [],
  combos: [
    {
      id: 'x',
      name: 'smart',
      kind: null,
      models: ['lab/big', `${nodeId}/big`, 'ds/deepseek-chat'],
      createdAt: 'y',
    },
    { id: 'y', name: 'movies', kind: 'video', models: [] },
  ],
  customModels: [
    { providerAlias: nodeId, id: 'big', type: 'llm', name: 'Big' },
    { providerAlias: 'ds', id: 'clip', type: 'video' },
  ],
  modelAliases: { big: `${nodeId}/big`, chat: 'ds/deepseek-chat', broken: 'no-slash' },
  mitmAlias: {},
  pricing: { openai: { 'gpt-x': { input: 1 } } },
}

describe('import of a 9router export', () => {
  let testDatabase: TestDatabase
  let gateway: RoutingGateway
  before(async () => {
    testDatabase = await openTestDatabase()
    gateway = await openRouting(testDatabase.database)
  })
  beforeEach(() => gateway.send('PUT', '', empty))
  after(() => testDatabase.remove())

  async function imported(file: object, query = '') {
    const { status, body, text } = await gateway.send('POST', `/import${query}`, file)
    assert.equal(status, 200, text)
    return body
  }

  const stored = () => gateway.opened()

  test('POST /import stores the contents of a 9router file', async () => {
    const { renamedProviders } = await imported(exported)
    const provider = renamedProviders[0].to
    assert.deepEqual(await stored(), {
      connections: [
        {
          id: 'c-2',
          provider,
          name: 'Lab',
          isActive: false,
          priority: 1,
          apiKey: 'sk-node',
          apiKeyState: 'stored',
          providerSpecificData: { baseUrl: 'http://10.0.0.5/v1', prefix: 'lab' },
          createdAtMs: 1_000,
        },
        {
          id: 'c-1',
          provider: 'deepseek',
          name: 'Work',
          isActive: true,
          priority: 2,
          apiKey: 'sk-deepseek-0123456789',
          apiKeyState: 'stored',
          providerSpecificData: { enabledModels: ['deepseek-chat'] },
          createdAtMs: Date.parse('2026-05-04T10:00:00.000Z'),
        },
        {
          id: 'c-3',
          provider: 'claude',
          isActive: true,
          apiKeyState: 'none',
          createdAtMs: 1_000,
        },
      ],
      combos: [{ name: 'smart', models: ['lab/big', `${provider}/big`, 'ds/deepseek-chat'] }],
      customModels: [{ id: 'big', providerAlias: provider, type: 'llm', name: 'Big' }],
      modelAliases: { big: `${provider}/big`, chat: 'ds/deepseek-chat' },
    })
  })

  test('POST /import reports what it did and what it did not use', async () => {
    const { status, body, text } = await gateway.send('POST', '/import', exported)
    assert.equal(status, 200)
    const [{ from, to }] = body.renamedProviders
    assert.equal(from, nodeId)
    assert.match(to, /^openai-compatible-chat-[g-z]{12}$/)
    assert.deepEqual(body, {
      mode: 'merge',
      imported: { connections: 3, combos: 1, customModels: 1, modelAliases: 2 },
      connectionsWithoutKey: ['c-3'],
      renamedProviders: [{ from, to }],
      leftOut: [
        { field: 'providerNodes[1]', reason: 'no connection uses this provider' },
        { field: 'combos[1]', reason: 'unknown kind video' },
        { field: 'customModels[1]', reason: 'unknown type video' },
        { field: 'modelAliases.broken', reason: 'expected a name with <alias>/<model id>' },
      ],
      leftOutCount: 4,
      ignoredFields: [
        'settings',
        'proxyPools',
        'mitmAlias',
        'pricing',
        'providerConnections[].testStatus',
        'providerConnections[].authType',
        'providerConnections[].email',
        'providerConnections[].updatedAt',
        'providerConnections[].accessToken',
        'providerConnections[].refreshToken',
        'providerConnections[].providerSpecificData.connectionProxyEnabled',
        'providerConnections[].providerSpecificData.apiType',
        'providerConnections[].providerSpecificData.nodeName',
        'providerNodes[].type',
        'providerNodes[].name',
        'providerNodes[].apiType',
        'combos[].id',
        'combos[].createdAt',
      ],
      ignoredFieldCount: 18,
      warningCount: 8,
    })
    assert.ok(!text.includes('secret-'))
  })

  test('POST /import of the same file again changes nothing', async () => {
    await imported(exported)
    const { headers } = await gateway.send('GET', '')
    await imported(exported)
    assert.equal((await gateway.send('GET', '')).headers.etag, headers.etag)
  })

  test('POST /import merges: same names are replaced in place, all else stays', async () => {
    await gateway.send('PUT', '', {
      connections: [
        { id: 'c-1', provider: 'old', apiKey: 'sk-old' },
        { id: 'c-3', provider: 'claude', apiKey: 'sk-kept' },
        { id: 'mine', provider: 'p', apiKey: 'sk-mine' },
      ],
      combos: [{ name: 'smart', models: ['old/m'] }, { name: 'mine' }],
      customModels: [{ id: 'mine', providerAlias: 'p' }],
      modelAliases: { chat: 'old/m', mine: 'p/m' },
    })
    const answer = await imported(exported)
    assert.deepEqual(answer.connectionsWithoutKey, [])
    const state = await stored()
    assert.deepEqual(
      state.connections.map(({ id, apiKey }: { id: string; apiKey: string }) => `${id} ${apiKey}`),
      ['c-2 sk-node', 'c-1 sk-deepseek-0123456789', 'c-3 sk-kept', 'mine sk-mine'],
    )
    assert.deepEqual(
      state.combos.map(({ name }: { name: string }) => name),
      ['smart', 'mine'],
    )
    assert.equal(state.combos[0].models[0], 'lab/big')
    assert.deepEqual(
      state.customModels.map(({ id }: { id: string }) => id),
      ['mine', 'big'],
    )
    assert.deepEqual(Object.keys(state.modelAliases), ['chat', 'mine', 'big'])
    assert.equal(state.modelAliases.chat, 'ds/deepseek-chat')
  })

  test('POST /import?mode=replace leaves only the contents of the file', async () => {
    await imported(exported)
    const fresh = await stored()
    await gateway.send('PUT', '', {
      ...empty,
      connections: [{ id: 'c-3', provider: 'claude', apiKey: 'sk-old' }],
      combos: [{ name: 'mine' }],
      modelAliases: { mine: 'p/m' },
    })
    const answer = await imported(exported, '?mode=replace')
    assert.equal(answer.mode, 'replace')
    assert.deepEqual(await stored(), fresh)
  })

  test('POST /import takes a file with only one of the lists', async () => {
    assert.deepEqual((await imported({ combos: [{ name: 'a' }] })).imported, {
      connections: 0,
      combos: 1,
      customModels: 0,
      modelAliases: 0,
    })
    await imported({ modelAliases: null, customModels: null, providerConnections: [] })
  })

  test('POST /import names at most 200 unused values, and counts all', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`x${index}`, 1]))
    const aliases = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`a${index}`, 'b']),
    )
    const body = await imported({ ...many, ['y'.repeat(1_000)]: 1, modelAliases: aliases })
    assert.equal(body.ignoredFields.length, 200)
    assert.equal(body.ignoredFieldCount, 501)
    assert.equal(body.leftOut.length, 200)
    assert.equal(body.leftOutCount, 300)
  })

  test('POST /import keeps items that differ only in a renamed field', async () => {
    const { renamedProviders } = await imported(exported)
    const { to } = renamedProviders[0]
    await imported({
      customModels: [
        { providerAlias: nodeId, id: 'big' },
        { providerAlias: to, id: 'big', name: 'Last' },
      ],
    })
    assert.deepEqual((await stored()).customModels, [
      { id: 'big', providerAlias: to, name: 'Last' },
    ])
  })

  test('GET /export can be stored again by PUT, and keeps the keys', async () => {
    await imported(exported)
    const before = await stored()
    const { body } = await gateway.send('GET', '/export')
    assert.equal((await gateway.send('PUT', '', body)).status, 200)
    assert.deepEqual(await stored(), before)
  })

  test('POST /import drops a stored key that would be sent to another address', async () => {
    const data = (baseUrl: string) => ({ providerSpecificData: { baseUrl } })
    const lab = 'openai-compatible-lab'
    const before = [
      { id: 'moved', provider: lab, ...data('https://lab.example/v1') },
      { id: 'flavoured', provider: lab, ...data('https://lab.example/v1') },
      { id: 'catalogue', provider: 'openai' },
      { id: 'same', provider: lab, ...data('https://lab.example/v1') },
      { id: 'keyed', provider: lab, ...data('https://lab.example/v1') },
    ].map((connection) => ({ ...connection, apiKey: `sk-${connection.id}` }))
    const file = [
      { id: 'moved', provider: lab, ...data('https://evil.example/v1') },
      { id: 'flavoured', provider: 'anthropic-compatible-lab', ...data('https://lab.example/v1') },
      { id: 'catalogue', provider: 'mistral' },
      { id: 'same', provider: `${lab}-deadbeef`, ...data(' https://LAB.example/v2/ ') },
      { id: 'keyed', provider: lab, ...data('https://new.example'), apiKey: 'sk-new' },
    ]
    await gateway.send('PUT', '', { ...empty, connections: before })
    const answer = await imported({ providerConnections: file })
    assert.deepEqual(answer.connectionsWithoutKey, ['moved', 'flavoured', 'catalogue'])
    assert.deepEqual(
      (await gateway.source.connections()).map(({ apiKey }) => apiKey),
      [undefined, undefined, undefined, 'sk-same', 'sk-new'],
    )
  })
})
