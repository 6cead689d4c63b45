import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { answering, type StubUpstream, startStub } from '../fakes/stub-upstream.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import {
  dashboardPassword,
  idsAt,
  type JsonReply,
  modelsAt,
  RoutingClient,
} from '../support/models-gateway.ts'
import { signedFetch } from '../support/signed-fetch.ts'

const key = 'sk-upstream-0123456789abcdef'
const page = (status: number, text: string): RequestListener => {
  return (_request, response) => void response.writeHead(status).end(text)
}

interface Case {
  readonly answer: RequestListener
  /** What of it the list has. */
  readonly ids: readonly string[]
  /** What the test of the connection says. */
  readonly report: {
    readonly outcome: string
    readonly status?: number
    readonly modelCount?: number
  }
  readonly message: RegExp
}

const manyElements = [
  ...[{ id: 'one' }, { name: 'two' }, { model: 'three' }, { id: '', name: 'four' }],
  ...[{ id: 'one' }, { id: '  ' }, { id: 5 }, { other: 'x' }, 'text', null, { id: 'org/deep' }],
]

/** One upstream each; their names are the prefixes. */
const cases: Readonly<Record<string, Case>> = {
  data: {
    answer: answering({ object: 'list', data: manyElements }),
    ids: ['one', 'two', 'three', 'four', 'org/deep'],
    report: { outcome: 'ok', status: 200, modelCount: 5 },
    message: /lists 5 models/,
  },
  array: {
    answer: answering([{ id: 'array/stripped' }, { id: 'plain' }, { id: 'text-embed-1' }]),
    ids: ['stripped', 'plain'],
    report: { outcome: 'ok', status: 200, modelCount: 3 },
    message: /lists 3 models/,
  },
  models: {
    answer: answering({ models: [{ name: 'm', model: 'unused' }] }),
    ids: ['m'],
    report: { outcome: 'ok', status: 200, modelCount: 1 },
    message: /lists 1 model\./,
  },
  results: {
    answer: answering({ results: [{ model: 'r' }] }),
    ids: ['r'],
    report: { outcome: 'ok', status: 200, modelCount: 1 },
    message: /lists 1 model\./,
  },
  slow: {
    answer: (_request, response) => {
      response.write('{"data":')
      setTimeout(() => response.end('[{"id":"patient"}]}'), 1_000)
    },
    ids: ['patient'],
    report: { outcome: 'ok', status: 200, modelCount: 1 },
    message: /lists 1 model\./,
  },
  silent: {
    answer: () => undefined,
    ids: [],
    report: { outcome: 'failed' },
    message: /in time/,
  },
  halting: {
    answer: (_request, response) => void response.write('{"data":[{"id":"never"},'),
    ids: [],
    report: { outcome: 'failed' },
    message: /in time/,
  },
  endless: {
    answer: (_request, response) => pour(response),
    ids: [],
    report: { outcome: 'failed', status: 200 },
    message: /too large/,
  },
  garbage: {
    answer: page(200, '<!doctype html><title>Welcome</title>'),
    ids: [],
    report: { outcome: 'failed', status: 200 },
    message: /not JSON/,
  },
  listless: {
    answer: answering({ data: { id: 'no array' } }),
    ids: [],
    report: { outcome: 'failed', status: 200 },
    message: /no list/,
  },
  failing: {
    answer: page(503, `{"error":"quota is used up, key ${key}"}`),
    ids: [],
    report: { outcome: 'failed', status: 503 },
    message: /quota is used up, key \*\*\*/,
  },
  refusing: {
    answer: page(401, 'no such key'),
    ids: [],
    report: { outcome: 'failed', status: 401 },
    message: /no such key/,
  },
  closing: {
    answer: (request) => void request.socket.destroy(),
    ids: [],
    report: { outcome: 'failed' },
    message: /cannot be reached/,
  },
}

/** Writes until the other side has had enough. */
async function pour(response: ServerResponse): Promise<void> {
  const closed = once(response, 'close')
  while (!response.destroyed) {
    if (!response.write(' '.repeat(65_536))) await Promise.race([once(response, 'drain'), closed])
  }
}

describe('A list with OpenAI-compatible upstreams', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword, LOG_LEVEL: 'debug' })
  const stubs = new Map<string, StubUpstream>()
  const connectionIds = new Map<string, string>()
  let routing: RoutingClient

  const add = (name: string, fields: object) =>
    routing.done('POST', '/connections', { kind: 'openai-compatible', name, ...fields })

  before(async () => {
    routing = await RoutingClient.signIn(gateway().url)
    for (const [name, { answer }] of Object.entries(cases)) {
      const stub = await startStub(answer)
      stubs.set(name, stub)
      const providerSpecificData = { baseUrl: `${stub.origin}/v1/`, prefix: name }
      const { id } = await add(name, { apiKey: key, providerSpecificData })
      connectionIds.set(name, id)
    }
  })
  after(async () => {
    for (const stub of stubs.values()) await stub.close()
  })

  const expected = Object.entries(cases).flatMap(([name, { ids }]) =>
    ids.map((id) => `${name}/${id}`),
  )

  test('is complete after the 5 s that all unreachable upstreams share, and S3 keeps working', async () => {
    const target = `/${testBucket}/during.txt`
    const put = await signedFetch(gateway(), { method: 'PUT', target, body: 'x' })
    assert.equal(put.status, 200)
    const startedAt = performance.now()
    let isListed = false
    const listing = idsAt(gateway().url).finally(() => {
      isListed = true
    })
    let reads = 0
    while (!isListed) {
      const reply = await signedFetch(gateway(), { method: 'GET', target })
      assert.equal(await reply.text(), 'x')
      reads++
    }
    assert.deepEqual(await listing, expected)
    const tookMs = performance.now() - startedAt
    // Four upstreams never answer: one after the other they would take 20 s.
    assert.ok(tookMs > 4_900 && tookMs < 15_000, `${tookMs} ms`)
    assert.ok(reads > tookMs / 1_000, `${reads} reads`)
  })

  // docs/contract/model-list.md, "Upstream request".
  test('sends one request with the specified headers to each of them', () => {
    for (const [name, { requests }] of stubs) {
      const [request] = requests
      assert.equal(requests.length, 1, name)
      assert.equal(request?.method, 'GET')
      assert.equal(request?.url, '/v1/models')
      assert.equal(request?.headers.authorization, `Bearer ${key}`)
      assert.equal(request?.headers['content-type'], 'application/json')
      assert.match(String(request?.headers['cache-control']), /no-cache|no-store/)
    }
  })

  test('lists them as chat only: serviceKinds of a provider outside the catalogue are llm', async () => {
    assert.deepEqual(await idsAt(gateway().url, '/v1/models/embedding'), [])
  })

  test('has one of their models by its id', async () => {
    const reply = await fetch(`${gateway().url}/v1/models/data/org/deep`)
    const entry = (await reply.json()) as { readonly id: string; readonly owned_by: string }
    assert.deepEqual([entry.id, entry.owned_by], ['data/org/deep', 'data'])
  })

  let reports: ReadonlyMap<string, JsonReply['body']> | undefined
  const ask = async ([name, id]: readonly [string, string]) => {
    return [name, await routing.done('POST', `/connections/${id}/test`)] as const
  }
  /** All others are asked together: some take 5 s. `endless` is asked before: it sends what it can. */
  const reportOf = async (name: string) => {
    const isEndless = ([asked]: readonly [string, string]) => asked === 'endless'
    reports ??= new Map([
      ...(await Promise.all([...connectionIds].filter(isEndless).map(ask))),
      ...(await Promise.all([...connectionIds].filter((each) => !isEndless(each)).map(ask))),
    ])
    return reports.get(name)
  }

  for (const [name, { report, message }] of Object.entries(cases)) {
    test(`POST /connections/{id}/test tells what "${name}" said`, async () => {
      const said = await reportOf(name)
      const { message: words, durationMs, ...facts } = said
      assert.deepEqual(facts, report)
      assert.match(words, message)
      assert.ok(durationMs >= 0 && durationMs < 15_000)
      assert.equal(JSON.stringify(said).includes(key), false)
    })
  }

  test('keeps the key out of the log, whatever upstreams answer', async () => {
    assert.match(gateway().logs(), /an upstream returned no models/)
    assert.equal(gateway().logs().includes(key), false)
  })
})

describe('A list with other upstreams', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword })
  const stubs: StubUpstream[] = []
  let routing: RoutingClient

  const stub = async (answer: RequestListener) => {
    const upstream = await startStub(answer)
    stubs.push(upstream)
    return upstream
  }
  before(async () => {
    routing = await RoutingClient.signIn(gateway().url)
  })
  after(async () => {
    for (const upstream of stubs) await upstream.close()
  })

  test('asks an Anthropic-compatible one at /models in place of /messages', async () => {
    const upstream = await stub(answering({ data: [{ id: 'wise' }] }))
    await routing.done('POST', '/connections', {
      ...{ kind: 'anthropic-compatible', apiKey: key },
      providerSpecificData: { baseUrl: `${upstream.origin}/v1/messages`, prefix: 'anth' },
    })
    assert.deepEqual(await idsAt(gateway().url), ['anth/wise'])
    const [request] = upstream.requests
    assert.equal(request?.url, '/v1/models')
    assert.equal(request?.headers['x-api-key'], key)
    assert.equal(request?.headers['anthropic-version'], '2023-06-01')
    assert.equal(request?.headers.authorization, `Bearer ${key}`)
  })

  test('follows no redirect to another origin', async () => {
    const thief = await stub(answering([{ id: 'stolen' }]))
    const upstream = await stub((_request, response) => {
      response.writeHead(307, { location: `${thief.origin}/v1/models` }).end()
    })
    const { id } = await routing.done('POST', '/connections', {
      ...{ kind: 'openai-compatible', apiKey: key },
      providerSpecificData: { baseUrl: `${upstream.origin}/v1`, prefix: 'moved' },
    })
    assert.deepEqual(await idsAt(gateway().url), ['anth/wise'])
    assert.deepEqual([upstream.requests.length, thief.requests.length], [1, 0])
    const said = await routing.done('POST', `/connections/${id}/test`)
    assert.deepEqual([said.outcome, said.status], ['failed', 307])
    assert.match(said.message, /redirects/)
  })

  test('does not request models of a connection with own models, without a key, or with an id that ends in hex', async () => {
    const upstream = await stub(answering([{ id: 'asked' }]))
    const baseUrl = `${upstream.origin}/v1`
    const connections = [
      {
        ...{ provider: 'openai-compatible-chosen', apiKey: key },
        providerSpecificData: { baseUrl, prefix: 'chosen', enabledModels: ['mine'] },
      },
      {
        provider: 'openai-compatible-keyless',
        providerSpecificData: { baseUrl, prefix: 'keyless' },
      },
      {
        ...{ provider: 'openai-compatible-chat-3f2b8c1d', apiKey: key },
        providerSpecificData: { baseUrl, prefix: 'hex' },
      },
      { provider: 'openai-compatible-placeless', apiKey: key },
    ]
    for (const connection of connections) await routing.done('POST', '/connections', connection)
    assert.deepEqual(await idsAt(gateway().url), ['anth/wise', 'chosen/mine'])
    assert.equal(upstream.requests.length, 0)
  })

  test('asks the upstreams again for every list', async () => {
    let round = 0
    const upstream = await stub((request, response) => {
      round++
      answering([{ id: `round-${round}` }])(request, response)
    })
    await routing.done('POST', '/connections', {
      ...{ kind: 'openai-compatible', apiKey: key },
      providerSpecificData: { baseUrl: upstream.origin, prefix: 'new' },
    })
    for (const expected of [1, 2]) {
      const ids = await idsAt(gateway().url)
      assert.deepEqual(
        ids.filter((id) => id.startsWith('new/')),
        [`new/round-${expected}`],
      )
    }
  })

  test('takes only the first connection of a provider', async () => {
    const [first, second] = [
      await stub(answering([{ id: 'first' }])),
      await stub(answering([{ id: 'second' }])),
    ]
    const provider = 'openai-compatible-twice'
    for (const { origin } of [first, second]) {
      await routing.done('POST', '/connections', {
        ...{ provider, apiKey: key },
        providerSpecificData: { baseUrl: origin, prefix: 'twice' },
      })
    }
    const listed = async () =>
      (await modelsAt(gateway().url)).filter(({ owned_by }) => owned_by === 'twice')
    assert.deepEqual(
      (await listed()).map(({ id }) => id),
      ['twice/first'],
    )
    const { connections } = await routing.done('GET', '')
    const ids = connections
      .filter((connection: { provider: string }) => connection.provider === provider)
      .map(({ id }: { id: string }) => id)
    await routing.done('POST', '/connections/reorder', { ids: ids.toReversed() })
    assert.deepEqual(
      (await listed()).map(({ id }) => id),
      ['twice/second'],
    )
  })
})
