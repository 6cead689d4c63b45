import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { answering, startStub } from '../fakes/stub-upstream.ts'
import { testBucket } from '../support/gateway-process.ts'
import { MainProcess } from '../support/main-process.ts'
import {
  filesWith,
  idsAt,
  modelsAt,
  RoutingClient,
  startModelsGateway,
  temporaryFolder,
} from '../support/models-gateway.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { startPostgres } from '../support/start-postgres.ts'

const key = 'sk-stored-0123456789-wxyz'

async function upstreamOf(t: TestContext, ...ids: readonly string[]) {
  const upstream = await startStub(answering(ids.map((id) => ({ id }))))
  t.after(() => upstream.close())
  return upstream
}

/** A connection that is asked, one that is not, and something of each other sort. */
async function fill(routing: RoutingClient, baseUrl: string) {
  const asked = await routing.done('POST', '/connections', {
    ...{ kind: 'openai-compatible', name: 'Lab', apiKey: key },
    providerSpecificData: { baseUrl, prefix: 'lab' },
  })
  const chosen = await routing.done('POST', '/connections', {
    ...{ provider: 'deepseek', apiKey: `${key}-2` },
    providerSpecificData: { enabledModels: ['chosen'] },
  })
  await routing.done('POST', '/combos', { name: 'smart', models: ['ds/chosen'] })
  await routing.done('POST', '/custom-models', { id: 'own', providerAlias: 'ds' })
  await routing.done('POST', '/model-aliases', { name: 'short', target: 'ds/aliased' })
  return { askedId: asked.id as string, chosenId: chosen.id as string }
}
const notAsked = ['smart', 'ds/chosen', 'ds/own', 'ds/aliased']
const filled = ['smart', 'lab/big', 'ds/chosen', 'ds/own', 'ds/aliased']

test('A restart keeps connections, keys, combos, custom models and aliases', async (t) => {
  const folder = temporaryFolder(t)
  const upstream = await upstreamOf(t, 'big')
  const first = await startModelsGateway(t, {}, folder)
  const routing = await RoutingClient.signIn(first.url)
  await fill(routing, upstream.origin)
  const before = await routing.send('GET', '')
  assert.deepEqual(await idsAt(first.url), filled)
  // Killed, not stopped: acknowledged changes must be stored.
  await first.kill()

  const second = await startModelsGateway(t, {}, folder)
  const again = await new RoutingClient(second.url, routing.token).send('GET', '')
  assert.equal(again.status, 200)
  assert.deepEqual(again.body, before.body)
  assert.equal(again.headers.get('etag'), before.headers.get('etag'))
  assert.deepEqual(await idsAt(second.url), filled)
  assert.equal(upstream.requests.at(-1)?.headers.authorization, `Bearer ${key}`)
})

test('Provider keys are in no answer, error, log line or file', async (t) => {
  const folder = temporaryFolder(t)
  const upstream = await upstreamOf(t, 'big')
  const gateway = await startModelsGateway(t, { LOG_LEVEL: 'trace' }, folder)
  const routing = await RoutingClient.signIn(gateway.url)
  const { askedId } = await fill(routing, upstream.origin)
  const state = await routing.done('GET', '')
  const connection = state.connections[0]
  const replies = [
    await routing.send('GET', ''),
    await routing.send('GET', '/export'),
    await routing.send('PATCH', `/connections/${askedId}`, { apiKey: connection.apiKey }),
    await routing.send('POST', `/connections/${askedId}/test`),
    await routing.send('PUT', '', state),
    await routing.send('PUT', '', { ...state, connections: [{ provider: 5, apiKey: key }] }),
    await routing.send('PATCH', `/connections/${askedId}`, { apiKey: `${key} and white space` }),
    await routing.send('PATCH', `/connections/${askedId}`, { [key]: key }),
    await routing.send('POST', '/connections', { provider: key, apiKey: [key] }),
    await routing.send('POST', '/import', { providerConnections: [{ id: key, apiKey: [key] }] }),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 200, 200, 400, 400, 400, 400, 400],
  )
  // The name of a field may be logged; it is not a key.
  const texts = replies.filter((_, index) => index !== 7).map(({ text }) => text)
  texts.push(await (await fetch(`${gateway.url}/v1/models`)).text())
  for (const text of texts) assert.equal(text.includes(key), false, text)
  assert.equal(connection.apiKey, '****wxyz')
  const exported = await routing.done('GET', '/export')
  assert.equal(exported.connections[0].apiKey, '****wxyz')
  await gateway.stop()
  assert.equal(gateway.logs().includes(key), false)
  assert.deepEqual(filesWith(folder, key), [])
  // What is looked for would be found.
  assert.ok(filesWith(folder, 'chosen').length > 0)
})

test('A changed SECRET_KEY is reported and loses nothing, and a new key repairs its connection', async (t) => {
  const folder = temporaryFolder(t)
  const upstream = await upstreamOf(t, 'big')
  const first = await startModelsGateway(t, {}, folder)
  const { askedId, chosenId } = await fill(await RoutingClient.signIn(first.url), upstream.origin)
  await first.stop()

  const other = await startModelsGateway(t, { SECRET_KEY: 'another-secret-key' }, folder)
  const routing = await RoutingClient.signIn(other.url)
  const stateOf = async (id: string) => {
    const { connections } = await routing.done('GET', '')
    return connections.find((connection: { id: string }) => connection.id === id)
  }
  for (const id of [askedId, chosenId]) {
    const { apiKey, apiKeyState } = await stateOf(id)
    assert.deepEqual({ apiKey, apiKeyState }, { apiKey: '****', apiKeyState: 'unreadable' })
  }
  assert.deepEqual(await idsAt(other.url), notAsked)
  assert.equal(upstream.requests.length, 0)
  const said = await routing.done('POST', `/connections/${askedId}/test`)
  assert.equal(said.outcome, 'untested')
  assert.match(said.message, /SECRET_KEY/)
  // Giving back what GET gave keeps what cannot be read.
  await routing.done('PUT', '', await routing.done('GET', ''))
  assert.equal((await stateOf(chosenId)).apiKeyState, 'unreadable')

  await routing.done('PATCH', `/connections/${askedId}`, { apiKey: key })
  assert.equal((await stateOf(askedId)).apiKeyState, 'stored')
  assert.deepEqual(await idsAt(other.url), filled)
  await other.stop()
  const warnings = other
    .logs()
    .split('\n')
    .filter((line) => line.includes('another SECRET_KEY'))
  assert.ok(warnings.length > 0)
  assert.match(warnings[0] ?? '', new RegExp(askedId))
  assert.equal(JSON.parse(warnings[0] ?? '{}').level, 40)

  const back = await startModelsGateway(t, {}, folder)
  const { connections } = await new RoutingClient(back.url, routing.token).done('GET', '')
  const states = connections.map(({ id, apiKeyState }: Record<string, string>) => [id, apiKeyState])
  assert.deepEqual(states, [
    [askedId, 'unreadable'],
    [chosenId, 'stored'],
  ])
})

const uuid = '3f2b8c1d-0a4e-4f6b-9c7d-1e2f3a4b5c6d'
const nodeId = `openai-compatible-chat-${uuid}`

/** As 9router writes it: GET /api/settings/database. */
const exportedBy9router = (baseUrl: string) => ({
  settings: { requireApiKey: true },
  providerConnections: [
    {
      ...{ id: 'c-1', provider: 'deepseek', authType: 'apikey', name: 'Work', apiKey: key },
      ...{ priority: 2, isActive: true, testStatus: 'active', email: null },
      providerSpecificData: { enabledModels: ['chosen'], connectionProxyEnabled: false },
      createdAt: '2026-05-04T10:00:00.000Z',
    },
    {
      ...{ id: 'c-2', provider: nodeId, authType: 'apikey', name: 'Lab', apiKey: key, priority: 1 },
      providerSpecificData: { prefix: 'lab', apiType: 'chat', nodeName: 'Lab' },
    },
  ],
  providerNodes: [{ id: nodeId, type: 'openai-compatible', prefix: 'lab', baseUrl }],
  combos: [
    { id: 'x', name: 'smart', kind: null, models: ['lab/big'] },
    { id: 'y', name: 'movies', kind: 'video', models: [] },
  ],
  customModels: [{ providerAlias: 'ds', id: 'own', type: 'llm', name: 'Own' }],
  modelAliases: { short: 'ds/aliased' },
  pricing: {},
})

test("A file of 9router is imported whole, its compatible provider's upstream is asked", async (t) => {
  const upstream = await upstreamOf(t, 'big')
  const gateway = await startModelsGateway(t)
  const routing = await RoutingClient.signIn(gateway.url)
  const file = exportedBy9router(`${upstream.origin}/v1`)
  const bad = { ...file, combos: [...file.combos, { name: 'two words' }] }
  const refused = await routing.send('POST', '/import', bad)
  assert.equal(refused.status, 400)
  assert.equal(refused.body.field, 'combos[2].name')
  assert.deepEqual((await routing.done('GET', '')).connections, [])

  const answer = await routing.done('POST', '/import', file)
  assert.deepEqual(answer.imported, {
    ...{ connections: 2, combos: 1, customModels: 1, modelAliases: 1 },
  })
  assert.deepEqual(
    answer.leftOut.map(({ field }: { field: string }) => field),
    ['combos[1]'],
  )
  assert.equal(answer.renamedProviders[0].from, nodeId)
  for (const field of ['settings', 'pricing', 'providerConnections[].testStatus']) {
    assert.ok(answer.ignoredFields.includes(field), field)
  }
  assert.deepEqual(await idsAt(gateway.url), filled)
  assert.equal(upstream.requests[0]?.headers.authorization, `Bearer ${key}`)
  // The same file again changes nothing.
  const before = await routing.done('GET', '')
  await routing.done('POST', '/import', file)
  assert.deepEqual(await routing.done('GET', ''), before)
})

test('A broken table costs the list only the rows of that table', async (t) => {
  const folder = temporaryFolder(t)
  const upstream = await upstreamOf(t, 'big')
  const gateway = await startModelsGateway(t, {}, folder)
  const routing = await RoutingClient.signIn(gateway.url)
  await fill(routing, upstream.origin)
  // The gateway may be writing at this moment.
  const database = new DatabaseSync(join(folder, 'state.db'), { timeout: 30_000 })
  t.after(() => database.close())
  const touch = 'UPDATE routing_revision SET revision = revision + 1'
  database.exec(`DROP TABLE routing_model_aliases; ${touch}`)
  assert.deepEqual(await idsAt(gateway.url), filled.slice(0, -1))
  database.exec(`DROP TABLE routing_custom_models; ${touch}`)
  assert.deepEqual(await idsAt(gateway.url), ['smart', 'lab/big', 'ds/chosen'])
  database.exec(`DROP TABLE routing_combos; ${touch}`)
  assert.deepEqual(await idsAt(gateway.url), ['lab/big', 'ds/chosen'])
  database.exec(`DROP TABLE routing_connections; ${touch}`)
  // No active connections: the static catalogue.
  assert.ok((await idsAt(gateway.url)).includes('openai/gpt-5'))
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/connections/none/test'],
  ] as const) {
    const { status, body } = await routing.send(method, path)
    assert.equal(status, 503)
    assert.equal(typeof body.message, 'string')
    assert.doesNotMatch(body.message, /routing_|SQL/)
  }
  await gateway.stop()
  assert.match(gateway.logs(), /could not load an input of the model list/)
})

test('Without its database the list is the static catalogue, and management is 503', async (t) => {
  const postgres = await startPostgres()
  if (postgres === undefined) return t.skip('no PostgreSQL: install postgresql')
  let isRunning = true
  const stop = async () => {
    if (isRunning) await postgres.stop()
    isRunning = false
  }
  t.after(stop)
  const upstream = await upstreamOf(t, 'big')
  const settings = { DATABASE_URL: await postgres.createDatabase() }
  const gateway = await startModelsGateway(t, settings)
  const routing = await RoutingClient.signIn(gateway.url)
  const fresh = await idsAt(gateway.url)
  await fill(routing, upstream.origin)
  assert.deepEqual(await idsAt(gateway.url), filled)
  await stop()
  assert.deepEqual(await idsAt(gateway.url), fresh)
  assert.equal((await fetch(`${gateway.url}/v1/models/openai/gpt-5`)).status, 200)
  const { status, body } = await routing.send('GET', '')
  assert.equal(status, 503)
  assert.equal(typeof body.message, 'string')
  assert.equal((await fetch(`${gateway.url}/-/healthz`)).status, 503)
})

const ownCatalogue = [
  { id: 'acme', alias: 'ac', models: [{ id: 'road' }, { id: 'draw', type: 'image' }] },
]

test('MODEL_CATALOGUE replaces the built-in catalogue', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'models.json')
  const catalogue = [{ ...ownCatalogue[0], serviceKinds: ['llm', 'image'] }]
  writeFileSync(file, JSON.stringify(catalogue))
  const gateway = await startModelsGateway(t, { MODEL_CATALOGUE: file }, folder)
  assert.deepEqual(await idsAt(gateway.url), ['ac/road'])
  assert.deepEqual(await idsAt(gateway.url, '/v1/models/image'), ['ac/draw'])
  assert.equal((await fetch(`${gateway.url}/v1/models/openai/gpt-5`)).status, 404)
  const routing = await RoutingClient.signIn(gateway.url)
  await routing.done('POST', '/connections', { provider: 'acme', apiKey: 'sk' })
  assert.deepEqual(
    (await modelsAt(gateway.url)).map(({ id, owned_by }) => [id, owned_by]),
    [['ac/road', 'ac']],
  )
})

const badCatalogues: Readonly<Record<string, readonly [text: string, told: RegExp]>> = {
  'a model listed twice': [
    JSON.stringify([{ id: 'acme', models: [{ id: 'm' }, { id: 'm' }] }], undefined, 2),
    /models\.json:\d+: \[0\]\.models\[1\]\.id: /,
  ],
  'no JSON': ['[{"id": "acme",\n  "models": [}]', /models\.json:2: /],
  'no id': ['[\n  {"models": []}\n]', /models\.json:2: \[0\]\.id: /],
}

for (const [title, [text, told]] of Object.entries(badCatalogues)) {
  for (const workers of ['1', '2']) {
    test(`MODEL_CATALOGUE with ${title} keeps it from starting (WORKERS=${workers})`, async (t) => {
      const folder = temporaryFolder(t)
      mkdirSync(join(folder, 'drive'))
      writeFileSync(join(folder, 'models.json'), text)
      const main = new MainProcess(folder, {
        ...{ ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'hunter2hunter2', ALLOWED_BUCKETS: testBucket },
        ...{ MODEL_CATALOGUE: 'models.json', WORKERS: workers },
      })
      t.after(() => main.kill())
      assert.equal(await main.ended(), 1)
      assert.match(main.stderr, told)
      assert.doesNotMatch(main.stderr, / {4}at /)
    })
  }
}

test('S3 is served beside the model list on one port', async (t) => {
  const gateway = await startModelsGateway(t)
  const target = `/${testBucket}/v1/models`
  const put = await signedFetch(gateway, { method: 'PUT', target, body: 'an object' })
  assert.equal(put.status, 200)
  const got = await signedFetch(gateway, { method: 'GET', target })
  assert.equal(await got.text(), 'an object')
  assert.ok((await idsAt(gateway.url)).length > 100)
})
