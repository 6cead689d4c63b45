import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { modelsApp } from '../../../support/models-app.ts'

const chat = ['alpha/chat-1', 'alpha/voice-of-reason', 'dt/dt-chat', 'dt/dt-reason']
const idsOf = (body: string): string[] => {
  return JSON.parse(body).data.map(({ id }: { id: string }) => id)
}

describe('GET /v1/models', () => {
  // docs/contract/model-list.md, "Requests".
  test('lists the chat models in an object with object and data', async () => {
    const app = modelsApp()
    const reply = await app.send({ url: '/v1/models?limit=1&kind=image' })
    assert.equal(reply.status, 200)
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
    assert.deepEqual(idsOf(reply.text), chat)
  })

  test('leaves out kind if there is none', async () => {
    const app = modelsApp({ state: { combos: [{ name: 'search', kind: 'webSearch' }] } })
    const [web] = (await app.send({ url: '/v1/models/web' })).json().data
    assert.equal(web.kind, 'webSearch')
    const [model] = (await app.send({ url: '/v1/models' })).json().data
    assert.deepEqual(Object.keys(model), ['id', 'object', 'created', 'owned_by'])
  })
})

describe('OPTIONS', () => {
  for (const path of ['/v1/models', '/v1/models/', '/v1/models/web', '/v1/models/dt/dt-chat']) {
    test(`of ${path} answers a preflight, without a key`, async () => {
      const app = modelsApp({ apiKey: 'secret' })
      const reply = await app.send({ method: 'OPTIONS', url: path })
      assert.deepEqual([reply.status, reply.text], [200, ''])
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
      const reply = await modelsApp({ state }).send({ url })
      assert.equal(reply.status, 200)
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      assert.deepEqual([reply.json().id, reply.json().object], [id, 'model'])
    })
  }

  test('has the kind of a web entry', async () => {
    const reply = await modelsApp({ state }).send({ url: '/v1/models/find' })
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
      const reply = await modelsApp({ state }).send({ url })
      assert.equal(reply.status, 404)
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
      const app = modelsApp()
      // A body that the app could not read must not change the answer.
      const sent = method === 'POST' ? { payload: '{', headers: { 'content-type': 'text/x' } } : {}
      const reply = await app.send({ method, url, ...sent })
      assert.equal(reply.status, status)
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      assert.equal(reply.json().error.type, 'invalid_request_error')
      assert.equal(typeof reply.json().error.message, 'string')
      if (status === 405) assert.equal(reply.headers.allow, 'GET, HEAD, OPTIONS')
    })
  }

  test('an unexpected failure is 500 without details, and is logged', async () => {
    const failures: unknown[] = []
    const broken = new Error('the secret is sk-1')
    const app = modelsApp({
      onFailure: (error) => failures.push(error),
      now: () => {
        throw broken
      },
    })
    const reply = await app.send({ url: '/v1/models' })
    assert.equal(reply.status, 500)
    assert.equal(reply.headers['access-control-allow-origin'], '*')
    assert.equal(reply.json().error.type, 'server_error')
    assert.equal(reply.text.includes('secret'), false)
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
      const app = modelsApp({ apiKey: 'right' })
      for (const url of ['/v1/models', '/v1/models/web', '/v1/models/dt/dt-chat']) {
        const reply = await app.send({ url, headers })
        assert.equal(reply.status, isRight ? 200 : 401)
        assert.equal(reply.headers['access-control-allow-origin'], '*')
        if (isRight) continue
        assert.equal(reply.json().error.type, 'authentication_error')
        assert.equal(reply.headers['www-authenticate'], 'Bearer')
      }
    })
  }

  test('unset: whatever is sent along is ignored', async () => {
    const app = modelsApp()
    for (const headers of [{ authorization: 'Bearer x' }, { 'x-api-key': '' }]) {
      assert.equal((await app.send({ url: '/v1/models', headers })).status, 200)
    }
  })
})
