import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import OpenAI, { AuthenticationError, NotFoundError } from 'openai'
import type { Connection } from '../../../src/models/routing-inputs.ts'
import { Upstreams } from '../../../src/models/upstream/upstreams.ts'
import { type ModelsAppOptions, modelsApp, silent, sourceOf } from '../../support/models-app.ts'
import { smallCatalogue } from '../../support/small-catalogue.ts'
import { answering, startStub } from '../../support/stub-upstream.ts'

const chat = ['alpha/chat-1', 'alpha/voice-of-reason', 'dt/dt-chat', 'dt/dt-reason']
const idsOf = (body: string): string[] => {
  return JSON.parse(body).data.map(({ id }: { id: string }) => id)
}

describe('GET /v1/models', () => {
  test('lists the chat models in the envelope of the contract', async () => {
    const app = await modelsApp()
    const reply = await app.inject({ url: '/v1/models?limit=1&kind=image' })
    assert.equal(reply.statusCode, 200)
    assert.match(String(reply.headers['content-type']), /^application\/json/)
    assert.equal(reply.headers['access-control-allow-origin'], '*')
    const { object, data, ...others } = reply.json()
    assert.deepEqual([object, others], ['list', {}])
    assert.deepEqual(data[0], {
      id: 'alpha/chat-1',
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'alpha',
    })
    assert.deepEqual(idsOf(reply.body), chat)
  })

  test('takes a slash at its end', async () => {
    const app = await modelsApp()
    assert.deepEqual(idsOf((await app.inject({ url: '/v1/models/' })).body), chat)
  })

  test('answers HEAD like GET, without the body', async () => {
    const app = await modelsApp()
    const [head, get] = await Promise.all([
      app.inject({ method: 'HEAD', url: '/v1/models' }),
      app.inject({ url: '/v1/models' }),
    ])
    assert.deepEqual([head.statusCode, head.body], [200, ''])
    assert.equal(head.headers['content-length'], get.headers['content-length'])
  })

  test('leaves out kind where there is none to tell', async () => {
    const app = await modelsApp({ state: { combos: [{ name: 'search', kind: 'webSearch' }] } })
    const [web] = (await app.inject({ url: '/v1/models/web' })).json().data
    assert.equal(web.kind, 'webSearch')
    const [model] = (await app.inject({ url: '/v1/models' })).json().data
    assert.deepEqual(Object.keys(model), ['id', 'object', 'created', 'owned_by'])
  })
})

describe('GET /v1/models/{kind}', () => {
  const kinds = {
    image: ['alpha/painter', 'own/own-ai/painter', 'pictures'],
    tts: ['alpha/speaker'],
    stt: ['alpha/listener'],
    embedding: ['alpha/vectors', 'own/own-ai/vectors'],
    'image-to-text': ['alpha/reader'],
    web: ['search', 'fetch'],
  }
  const combos = [
    { name: 'pictures', kind: 'image' },
    { name: 'search', kind: 'webSearch' },
    { name: 'fetch', kind: 'webFetch' },
    // A kind path wins over an entry of that id.
    { name: 'stt', kind: 'llm' },
  ] as const
  for (const [path, expected] of Object.entries(kinds)) {
    test(`lists ${path}`, async () => {
      const app = await modelsApp({ state: { combos } })
      const reply = await app.inject({ url: `/v1/models/${path}` })
      assert.equal(reply.statusCode, 200)
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      assert.equal(reply.json().object, 'list')
      assert.deepEqual(idsOf(reply.body).sort(), [...expected].sort())
    })
  }
})

describe('OPTIONS', () => {
  for (const path of ['/v1/models', '/v1/models/', '/v1/models/web', '/v1/models/dt/dt-chat']) {
    test(`of ${path} answers a preflight, without a key`, async () => {
      const app = await modelsApp({ apiKey: 'secret' })
      const reply = await app.inject({ method: 'OPTIONS', url: path })
      assert.deepEqual([reply.statusCode, reply.body], [200, ''])
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      assert.equal(reply.headers['access-control-allow-methods'], 'GET, OPTIONS')
      assert.equal(reply.headers['access-control-allow-headers'], '*')
    })
  }
})

describe('GET /v1/models/{id}', () => {
  const state = {
    connections: [
      {
        id: 'c',
        provider: 'elsewhere',
        createdAtMs: 0,
        providerSpecificData: { prefix: 'far', enabledModels: ['a/b:c', 'é +1', '50%'] },
      },
    ],
    combos: [{ name: 'solo' }, { name: 'find', kind: 'webSearch' }, { name: 'img', kind: 'image' }],
  } as const
  const found = {
    '/v1/models/far/a/b:c': 'far/a/b:c',
    '/v1/models/far%2Fa%2Fb%3Ac': 'far/a/b:c',
    '/v1/models/far%2fa/b:c?x=1': 'far/a/b:c',
    '/v1/models/far/%C3%A9%20+1': 'far/é +1',
    '/v1/models/far/50%25': 'far/50%',
    '/v1/models/solo': 'solo',
    '/v1/models/find': 'find',
    '/v1/models/img': 'img',
  }
  for (const [url, id] of Object.entries(found)) {
    test(`${url} gives ${id}`, async () => {
      const reply = await (await modelsApp({ state })).inject({ url })
      assert.equal(reply.statusCode, 200)
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      assert.deepEqual([reply.json().id, reply.json().object], [id, 'model'])
    })
  }

  test('tells the kind of a web entry', async () => {
    const reply = await (await modelsApp({ state })).inject({ url: '/v1/models/find' })
    assert.equal(reply.json().kind, 'webSearch')
  })

  const missing = [
    '/v1/models/nothing',
    '/v1/models/llm',
    '/v1/models/FAR/a/b:c',
    '/v1/models/far%252Fa',
    '/v1/models/far/a',
    '/v1/models/__proto__',
    `/v1/models/${'x'.repeat(3_000)}`,
  ]
  for (const url of missing) {
    test(`${url.slice(0, 40)} is 404`, async () => {
      const reply = await (await modelsApp({ state })).inject({ url })
      assert.equal(reply.statusCode, 404)
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      const { type, code, message } = reply.json().error
      assert.deepEqual([type, code], ['invalid_request_error', 'model_not_found'])
      assert.ok(typeof message === 'string' && message.length < 500)
    })
  }
})

describe('errors below /v1 have one form', () => {
  const cases = [
    ['GET', '/v1', 404],
    ['GET', '/v1/other', 404],
    ['GET', '/v1/modelsx', 404],
    ['OPTIONS', '/v1/other', 404],
    ['POST', '/v1/models', 405],
    ['DELETE', '/v1/models/dt/dt-chat', 405],
    ['PUT', '/v1/models/web', 405],
    ['GET', '/v1/models/%zz', 400],
  ] as const
  for (const [method, url, status] of cases) {
    test(`${method} ${url} is ${status}`, async () => {
      const app = await modelsApp()
      // A body that the app could not read must not change the answer.
      const sent = method === 'POST' ? { payload: '{', headers: { 'content-type': 'text/x' } } : {}
      const reply = await app.inject({ method, url, ...sent })
      assert.equal(reply.statusCode, status)
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      assert.equal(reply.json().error.type, 'invalid_request_error')
      assert.equal(typeof reply.json().error.message, 'string')
      if (status === 405) assert.equal(reply.headers.allow, 'GET, HEAD, OPTIONS')
    })
  }

  test('an unexpected failure is 500, tells nothing, and is logged', async () => {
    const failures: unknown[] = []
    const broken = new Error('the secret is sk-1')
    const app = await modelsApp({
      onFailure: (error) => failures.push(error),
      now: () => {
        throw broken
      },
    })
    const reply = await app.inject({ url: '/v1/models' })
    assert.equal(reply.statusCode, 500)
    assert.equal(reply.headers['access-control-allow-origin'], '*')
    assert.equal(reply.json().error.type, 'server_error')
    assert.equal(reply.body.includes('secret'), false)
    assert.deepEqual(failures, [broken])
  })
})

describe('MODELS_API_KEY', () => {
  const credentials: readonly [Record<string, string>, boolean][] = [
    [{}, false],
    [{ authorization: 'Bearer right' }, true],
    [{ authorization: 'bearer  right' }, true],
    [{ 'x-api-key': 'right' }, true],
    [{ authorization: 'Bearer other', 'x-api-key': 'right' }, true],
    [{ authorization: 'Bearer right', 'x-api-key': 'other' }, true],
    [{ authorization: 'Bearer wrong' }, false],
    [{ authorization: 'Bearer right2' }, false],
    [{ authorization: 'Bearer ' }, false],
    [{ authorization: 'Basic right' }, false],
    [{ authorization: 'right' }, false],
    [{ 'x-api-key': 'Right' }, false],
    [{ 'x-api-key': '' }, false],
  ]
  for (const [headers, isRight] of credentials) {
    test(`${JSON.stringify(headers)} is ${isRight ? 'right' : 'refused'}`, async () => {
      const app = await modelsApp({ apiKey: 'right' })
      for (const url of ['/v1/models', '/v1/models/web', '/v1/models/dt/dt-chat']) {
        const reply = await app.inject({ url, headers })
        assert.equal(reply.statusCode, isRight ? 200 : 401)
        assert.equal(reply.headers['access-control-allow-origin'], '*')
        if (isRight) continue
        assert.equal(reply.json().error.type, 'authentication_error')
        assert.equal(reply.headers['www-authenticate'], 'Bearer')
      }
    })
  }

  test('unset: whatever is sent along is ignored', async () => {
    const app = await modelsApp()
    for (const headers of [{ authorization: 'Bearer x' }, { 'x-api-key': '' }]) {
      assert.equal((await app.inject({ url: '/v1/models', headers })).statusCode, 200)
    }
  })
})

describe('rule 1: each load may fail', () => {
  const state = {
    connections: [{ id: 'c', provider: 'deepthink', createdAtMs: 0 }],
    combos: [{ name: 'combo' }],
    customModels: [{ id: 'custom', providerAlias: 'dt' }],
    modelAliases: { fast: 'dt/aliased' },
  }
  const lists = {
    connections: ['combo', ...chat, 'dt/custom'],
    combos: ['dt/dt-chat', 'dt/dt-reason', 'dt/custom', 'dt/aliased'],
    customModels: ['combo', 'dt/dt-chat', 'dt/dt-reason', 'dt/aliased'],
    modelAliases: ['combo', 'dt/dt-chat', 'dt/dt-reason', 'dt/custom'],
  }
  const failures = {
    rejects: async () => {
      throw new Error('database is gone')
    },
    throws: () => {
      throw new Error('database is gone')
    },
    'gives null': async () => null,
    'gives a number': async () => 5,
  }
  for (const [input, expected] of Object.entries(lists)) {
    for (const [how, load] of Object.entries(failures)) {
      test(`${input} ${how}`, async () => {
        const warnings: unknown[] = []
        const log = { ...silent, warn: (...told: unknown[]) => warnings.push(told) }
        const source = { ...sourceOf(state), [input]: load }
        const app = await modelsApp({ source, log })
        assert.deepEqual(idsOf((await app.inject({ url: '/v1/models' })).body), expected)
        assert.equal(warnings.length, 1)
      })
    }
  }

  test('the log tells once that an input fails, and once that it is back', async () => {
    const told: string[] = []
    let isBroken = true
    const source = {
      ...sourceOf(state),
      combos: async () => {
        if (isBroken) throw new Error('database is gone')
        return state.combos
      },
    }
    const log = {
      ...silent,
      warn: (fields: object) => told.push(`fails: ${Object.values(fields)[0]}`),
      info: (fields: object) => told.push(`is back: ${Object.values(fields)[0]}`),
    }
    const app = await modelsApp({ source, log })
    const lists = async () => {
      await Promise.all([1, 2, 3].map(() => app.inject({ url: '/v1/models' })))
      await app.inject({ url: '/v1/models/combo' })
    }
    await lists()
    isBroken = false
    await lists()
    assert.deepEqual(told, ['fails: combos', 'is back: combos'])
    isBroken = true
    await lists()
    assert.deepEqual(told, ['fails: combos', 'is back: combos', 'fails: combos'])
  })
})

function labs(...origins: readonly string[]): readonly Connection[] {
  return origins.map((baseUrl, index) => ({
    id: `lab-${index}`,
    provider: `openai-compatible-lab-${'xyz'[index]}`,
    apiKey: 'sk-very-secret',
    createdAtMs: index,
    providerSpecificData: { baseUrl, prefix: `lab${index}` },
  }))
}

describe('upstreams', () => {
  test('are asked side by side; a dead one costs its timeout once and is logged', async (context) => {
    const good = await startStub(answering([{ id: 'm' }, { id: 'text-embedding-m' }]))
    const dead = await startStub(() => undefined)
    context.after(() => Promise.all([good.close(), dead.close()]))
    const told: unknown[] = []
    const app = await modelsApp({
      state: { connections: labs(dead.origin, good.origin, `${dead.origin}/other`) },
      upstreams: new Upstreams({ timeoutMs: 1_000 }),
      log: { ...silent, debug: (fields) => told.push(fields) },
    })
    const startedAtMs = performance.now()
    const reply = await app.inject({ url: '/v1/models' })
    assert.deepEqual(idsOf(reply.body), ['lab1/m'])
    // One after the other they would take two timeouts.
    assert.ok(performance.now() - startedAtMs < 1_900)
    assert.deepEqual(
      told.map((fields) => JSON.stringify(fields)),
      ['{"connectionId":"lab-0","code":"timeout"}', '{"connectionId":"lab-2","code":"timeout"}'],
    )
  })

  test('are not asked for kinds that they do not serve', async (context) => {
    const stub = await startStub(answering([{ id: 'm' }]))
    context.after(() => stub.close())
    const app = await modelsApp({ state: { connections: labs(stub.origin) } })
    assert.deepEqual(idsOf((await app.inject({ url: '/v1/models/image' })).body), [])
    assert.equal(stub.requests.length, 0)
    await app.inject({ url: '/v1/models/lab0/m' })
    assert.equal(stub.requests.length, 1)
  })

  test('are asked for one model only where they may have it', async (context) => {
    const stubs = await Promise.all([
      startStub(answering([{ id: 'm' }])),
      startStub(() => undefined),
    ])
    context.after(() => Promise.all(stubs.map((stub) => stub.close())))
    const asked = () => stubs.map(({ requests }) => requests.length)
    const app = await modelsApp({
      state: {
        connections: [
          ...labs(...stubs.map(({ origin }) => origin)),
          { id: 'known', provider: 'deepthink', createdAtMs: 9 },
        ],
        combos: [{ name: 'combo' }],
        customModels: [{ id: 'mine', providerAlias: 'lab1' }],
      },
      upstreams: new Upstreams({ timeoutMs: 60_000 }),
    })
    const status = async (id: string) => {
      return (await app.inject({ url: `/v1/models/${id}` })).statusCode
    }
    for (const id of ['combo', 'dt/dt-chat', 'lab1/mine']) assert.equal(await status(id), 200)
    for (const id of ['nothing', 'lab', 'lab0', 'elsewhere/m']) assert.equal(await status(id), 404)
    assert.deepEqual(asked(), [0, 0])
    assert.equal(await status('lab0/m'), 200)
    assert.equal(await status('lab0/other'), 404)
    assert.deepEqual(asked(), [2, 0])
  })

  test('that fail for a reason of ours are a failure of ours', async () => {
    const broken = {
      modelIds: async () => {
        throw new TypeError('a bug')
      },
    }
    const app = await modelsApp({
      state: { connections: labs('http://127.0.0.1:1') },
      upstreams: broken,
    })
    assert.equal((await app.inject({ url: '/v1/models' })).statusCode, 500)
  })
})

/** The model list behind a port, as an upstream of others or for a real client. */
async function listening(
  context: { after(end: () => void): void },
  /** Asked for at the first request, when the ports of all are known. */
  options: () => ModelsAppOptions,
): Promise<string> {
  let app: ReturnType<typeof modelsApp> | undefined
  const server = createServer(async ({ url = '', headers }, response) => {
    app ??= modelsApp(options())
    const reply = await (await app).inject({ method: 'GET', url, headers })
    response.writeHead(reply.statusCode, reply.headers).end(reply.rawPayload)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('two gateways that are each other’s upstream both answer at the timeout', async (context) => {
  const origins: string[] = []
  const pair = [1, 0].map((other) => {
    return listening(context, () => {
      const [connection] = labs(`${origins[other]}/v1`)
      const own = { id: 'own', provider: 'deepthink', createdAtMs: 9 }
      return {
        state: { connections: connection === undefined ? [own] : [connection, own] },
        upstreams: new Upstreams({ timeoutMs: 1_000 }),
      }
    })
  })
  origins.push(...(await Promise.all(pair)))
  const startedAtMs = performance.now()
  await Promise.all(
    origins.map(async (origin) => {
      const listed = idsOf(await (await fetch(`${origin}/v1/models`)).text())
      assert.ok(listed.includes('dt/dt-chat'), listed.join())
    }),
  )
  // The timeout is 5 s in life, and half a second more is what an answer may take.
  assert.ok(performance.now() - startedAtMs < 1_500)
})

test('the openai client lists and retrieves, and understands refusals', async (context) => {
  const origin = await listening(context, () => ({ apiKey: 'right', catalogue: smallCatalogue }))
  const client = new OpenAI({ apiKey: 'right', baseURL: `${origin}/v1`, maxRetries: 0 })
  const listed: string[] = []
  for await (const { id } of client.models.list()) listed.push(id)
  assert.deepEqual(listed, chat)
  assert.equal((await client.models.retrieve('dt/dt-chat')).owned_by, 'dt')
  await assert.rejects(client.models.retrieve('dt/nothing'), (error) => {
    return error instanceof NotFoundError && error.code === 'model_not_found'
  })
  const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${origin}/v1`, maxRetries: 0 })
  await assert.rejects(Promise.resolve(stranger.models.list()), AuthenticationError)
})
