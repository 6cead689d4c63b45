import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import OpenAI from 'openai'
import { dataFolder, orderFileName } from '../../src/models/catalogue/catalogue.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { freshRequests } from '../support/fresh-request.ts'
import {
  dashboardPassword,
  type ListedModel,
  modelsAt,
  RoutingClient,
} from '../support/models-gateway.ts'

const kindsOfPath = {
  '': ['llm'],
  '/image': ['image'],
  '/tts': ['tts'],
  '/stt': ['stt'],
  '/embedding': ['embedding'],
  '/image-to-text': ['imageToText'],
} as const

interface CatalogueProvider {
  readonly id: string
  readonly alias?: string
  readonly serviceKinds?: readonly string[]
  readonly models?: readonly { readonly id: string; readonly type?: string }[]
}

/** The built-in data, read without the program's own parser. */
function catalogue(): readonly CatalogueProvider[] {
  const read = (name: string) => JSON.parse(readFileSync(join(dataFolder, name), 'utf8'))
  return (read(orderFileName) as string[]).map((id) => read(`${id}.json`))
}

/** docs/contract/model-list.md, "Without active connections". */
function staticIds(kinds: readonly string[]): string[] {
  const ids = catalogue().flatMap(({ id, alias, serviceKinds = ['llm'], models = [] }) =>
    serviceKinds.some((kind) => kinds.includes(kind))
      ? models
          .filter(({ type = 'llm' }) => kinds.includes(type))
          .map((model) => `${alias ?? id}/${model.id}`)
      : [],
  )
  return [...new Set(ids)]
}

function clientOf(url: string): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 })
}

describe('The model list of a new gateway', () => {
  const gateway = useContractGateway()

  for (const [path, kinds] of Object.entries(kindsOfPath)) {
    test(`GET /v1/models${path} is the static catalogue's ${kinds}`, async () => {
      const before = Math.floor(Date.now() / 1_000)
      const entries = await modelsAt(gateway().url, `/v1/models${path}`)
      const expected = staticIds(kinds)
      assert.ok(expected.length > 0)
      assert.deepEqual(
        entries.map(({ id }) => id),
        expected,
      )
      const created = entries[0]?.created ?? 0
      assert.ok(created >= before && created <= Date.now() / 1_000)
      for (const entry of entries) {
        assert.deepEqual(entry, {
          id: entry.id,
          object: 'model',
          created,
          owned_by: entry.id.slice(0, entry.id.indexOf('/')),
        })
      }
    })
  }

  test('GET /v1/models/web is empty: the web needs connections', async () => {
    assert.deepEqual(await modelsAt(gateway().url, '/v1/models/web'), [])
  })

  test('The openai client lists all models', async () => {
    const listed: OpenAI.Model[] = []
    for await (const model of clientOf(gateway().url).models.list()) listed.push(model)
    assert.deepEqual(
      listed.map(({ id }) => id),
      staticIds(['llm']),
    )
  })

  test('The openai client retrieves ids with one slash, and with two', async () => {
    const ids = staticIds(['llm'])
    const deep = ids.find((id) => id.split('/').length === 3)
    assert.ok(deep !== undefined, 'no id with two slashes')
    for (const id of ['ds/deepseek-v4-pro', deep]) {
      const model = await clientOf(gateway().url).models.retrieve(id)
      assert.equal(model.id, id)
      assert.equal(model.object, 'model')
      assert.equal(model.owned_by, id.split('/')[0])
    }
  })

  test('GET /v1/models/{id} finds an id of every kind, its slashes raw, %2F or %2f', async () => {
    const samples = Object.values(kindsOfPath).map((kinds) => staticIds(kinds).at(-1) ?? '')
    for (const id of samples) {
      const forms = [
        id,
        encodeURIComponent(id),
        encodeURIComponent(id).replaceAll('%2F', '%2f'),
        `${encodeURIComponent(id)}?query=ignored`,
      ]
      for (const form of forms) {
        const reply = await fetch(`${gateway().url}/v1/models/${form}`)
        assert.equal(reply.status, 200, form)
        assert.equal(((await reply.json()) as ListedModel).id, id)
      }
    }
  })

  test('The openai client gets NotFoundError with model_not_found for an unknown id', async () => {
    for (const id of ['none', 'openai/none', 'openai', 'image/none', 'llm', 'models']) {
      await assert.rejects(clientOf(gateway().url).models.retrieve(id), (error) => {
        assert.ok(error instanceof OpenAI.NotFoundError)
        assert.equal(error.code, 'model_not_found')
        assert.equal(error.type, 'invalid_request_error')
        return true
      })
    }
  })
})

/** Every worker serves the stored state as soon as a change has its reply. */
describe('The model list of two workers', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword, LOG_LEVEL: 'info' })
  /** Ids of the list requests: the log shows which process answered each. */
  const requestIds: string[] = []
  let routing: RoutingClient
  before(async () => {
    routing = await RoutingClient.signIn(gateway().url)
    await bothServe()
  })

  /** The gateway listens as soon as its first worker does; the other may need a moment more. */
  async function bothServe(): Promise<void> {
    const deadlineMs = performance.now() + 20_000
    const ids: string[] = []
    while (new Set(pidsOf(ids)).size < 2) {
      if (performance.now() > deadlineMs) throw new Error(`one worker only:\n${gateway().logs()}`)
      const replies = await freshRequests(2, `${gateway().url}/v1/models`)
      ids.push(...replies.map(({ headers }) => String(headers['x-request-id'])))
    }
  }

  /** The processes that answered these requests, one entry for each request in the log. */
  function pidsOf(ids: readonly string[]): number[] {
    const lines = gateway().logs().split('\n').slice(0, -1)
    const answers = lines.filter((line) => ids.some((id) => line.includes(id)))
    return answers.map((line) => Number(JSON.parse(line).pid))
  }

  /** The list as each of four new connections sees it, which the workers take in turn. */
  async function isEverywhere(expected: readonly string[]): Promise<void> {
    const replies = await freshRequests(4, `${gateway().url}/v1/models`)
    for (const { text } of replies) {
      const { data } = JSON.parse(text) as { readonly data: readonly ListedModel[] }
      assert.deepEqual(
        data.map(({ id }) => id),
        expected,
      )
    }
    requestIds.push(...replies.map(({ headers }) => String(headers['x-request-id'])))
  }

  const staticDeepseek = ['ds/deepseek-v4-pro', 'ds/deepseek-v4-flash']
  let id = ''

  test('A first connection replaces the catalogue with its models', async () => {
    await isEverywhere(staticIds(['llm']))
    const made = await routing.done('POST', '/connections', { provider: 'deepseek', apiKey: 'sk' })
    id = made.id
    await isEverywhere(staticDeepseek)
  })

  test('Changing, disabling and enabling take effect in the list before the reply', async () => {
    await routing.done('PATCH', `/connections/${id}`, {
      providerSpecificData: { prefix: ' mine ', enabledModels: ['a', 'mine/b', 'ds/c', 'a', ' '] },
    })
    await isEverywhere(['mine/a', 'mine/b', 'mine/c'])
    await routing.done('POST', `/connections/${id}/disable`)
    await isEverywhere(staticIds(['llm']))
    await routing.done('POST', `/connections/${id}/enable`)
    await routing.done('PATCH', `/connections/${id}`, { providerSpecificData: null })
    await isEverywhere(staticDeepseek)
  })

  test('Combos come first, custom models and aliases after the models of their provider', async () => {
    await routing.done('POST', '/combos', { name: 'smart', models: ['ds/deepseek-v4-pro'] })
    await routing.done('POST', '/combos', { name: 'finds', kind: 'webSearch' })
    await routing.done('POST', '/custom-models', { id: 'own', providerAlias: 'ds' })
    await routing.done('POST', '/custom-models', { id: 'art', providerAlias: 'ds', type: 'image' })
    await routing.done('POST', '/model-aliases', { name: 'short', target: 'deepseek/aliased' })
    await isEverywhere(['smart', ...staticDeepseek, 'ds/own', 'ds/aliased'])
    const [web] = await modelsAt(gateway().url, '/v1/models/web')
    assert.deepEqual(
      { ...web, created: 0 },
      {
        ...{ id: 'finds', object: 'model', created: 0, owned_by: 'combo', kind: 'webSearch' },
      },
    )
    assert.equal((await clientOf(gateway().url).models.retrieve('smart')).owned_by, 'combo')
  })

  test('A web provider lists its entries with their kind', async () => {
    await routing.done('POST', '/connections', { provider: 'exa', apiKey: 'sk' })
    const entries = (await modelsAt(gateway().url, '/v1/models/web')).slice(1)
    assert.deepEqual(
      entries.map(({ id: entryId, owned_by, kind }) => [entryId, owned_by, kind]),
      [
        ['exa/search', 'exa', 'webSearch'],
        ['exa/fetch', 'exa', 'webFetch'],
      ],
    )
    assert.equal(
      (await modelsAt(gateway().url)).some(({ id: entryId }) => /^exa/.test(entryId)),
      false,
    )
  })

  test('A PUT of the whole state replaces all of it, an invalid one nothing', async () => {
    const state = await routing.done('GET', '')
    const bad = { ...state, combos: [...state.combos, { name: 'two words' }] }
    const refused = await routing.send('PUT', '', bad)
    assert.equal(refused.status, 400)
    assert.equal(refused.body.field, 'combos[2].name')
    assert.deepEqual(await routing.done('GET', ''), state)
    const put = { ...state, connections: [], combos: [{ name: 'only' }], modelAliases: {} }
    await routing.done('PUT', '', put)
    await isEverywhere(['only', ...staticIds(['llm']), 'ds/own'])
  })

  test('The lists above came from both workers', async () => {
    await gateway().stop()
    const pids = pidsOf(requestIds)
    assert.equal(pids.length, requestIds.length)
    assert.equal(new Set(pids).size, 2)
    // In turn, except that a worker is skipped until it has accepted its last connection.
    const shareOfOne = pids.filter((pid) => pid === pids[0]).length / pids.length
    assert.ok(shareOfOne > 0.25 && shareOfOne < 0.75, `${shareOfOne}`)
  })
})
