import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { ApiError } from '../../../src/json-api/api-error.ts'
import { createJsonApp, type JsonApp, type JsonAppOptions } from '../../../src/json-api/json-app.ts'

class StoreError extends Error {}

function sampleApp(options: JsonAppOptions = {}): JsonApp {
  const app = createJsonApp(options)
  app.route({
    method: 'POST',
    url: '/items',
    schema: {
      body: z.object({ name: z.string(), tags: z.array(z.string()).default([]) }),
      response: { 201: z.object({ name: z.string(), tags: z.array(z.string()) }) },
    },
    handler: async ({ body }, reply) => reply.code(201).send({ ...body, secret: 'x' } as never),
  })
  app.get(
    '/items/:id',
    { schema: { params: z.object({ id: z.coerce.number().int() }) } },
    (request) => Promise.resolve({ id: request.params.id }),
  )
  app.get('/refused', async () => {
    throw new ApiError(409, 'There is one already.', { headers: { 'retry-after': '7' } })
  })
  app.get('/broken', async () => {
    throw new Error('the secret is 42')
  })
  app.get(
    '/wrong-reply',
    { schema: { response: { 200: z.object({ n: z.number() }) } } },
    async () => ({
      n: 'no number' as unknown as number,
    }),
  )
  app.get('/store', async () => {
    throw new StoreError('down')
  })
  app.get('/v1/things/*', async () => ({}))
  return app
}

const json = { 'content-type': 'application/json' }

test('a reply has only the fields of its schema', async () => {
  const reply = await sampleApp().inject({ method: 'POST', url: '/items', payload: { name: 'a' } })
  assert.equal(reply.statusCode, 201)
  assert.deepEqual(reply.json(), { name: 'a', tags: [] })
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
})

test('every reply has nosniff and no-store', async () => {
  const app = sampleApp()
  for (const url of ['/items/1', '/refused', '/broken', '/nowhere', '/items/%zz']) {
    const { headers } = await app.inject({ url })
    assert.equal(headers['x-content-type-options'], 'nosniff', url)
    assert.equal(headers['cache-control'], 'no-store', url)
  }
})

const refusals = [
  ['JSON that is none', { url: '/items', payload: '{', headers: json }, 400],
  ['a prototype in JSON', { url: '/items', payload: '{"__proto__":{}}', headers: json }, 400],
  [
    'a constructor in JSON',
    { url: '/items', payload: '{"constructor":{"prototype":{}}}', headers: json },
    400,
  ],
  ['an empty body as JSON', { url: '/items', payload: '', headers: json }, 400],
  [
    'a body of another type',
    { url: '/items', payload: 'a=b', headers: { 'content-type': 'text/plain' } },
    415,
  ],
  ['a type that is none', { url: '/items', payload: '{}', headers: { 'content-type': ';' } }, 415],
  [
    'a body over 1 MiB',
    { url: '/items', payload: `"${'x'.repeat(1024 * 1024)}"`, headers: json },
    413,
  ],
  ['a path with a bad encoding', { method: 'GET', url: '/items/%zz' }, 400],
  ['a path that is too long', { method: 'GET', url: `/items/${'x'.repeat(2_000)}` }, 414],
  ['an unknown path, whatever its body', { url: '/nowhere', payload: '{', headers: json }, 404],
] as const

for (const [title, request, status] of refusals) {
  test(`${title} is answered ${status} with a message`, async () => {
    const reply = await sampleApp().inject({ method: 'POST', ...request })
    assert.equal(reply.statusCode, status)
    assert.deepEqual(Object.keys(reply.json()), ['message'])
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
  })
}

test('a body that does not fit its schema is answered 400 with the field', async () => {
  const payload = { name: 'a', tags: ['b', 3] }
  const reply = await sampleApp().inject({ method: 'POST', url: '/items', payload })
  assert.equal(reply.statusCode, 400)
  assert.equal(reply.json().field, 'tags[1]')
})

test('a parameter that does not fit its schema is answered 400 with its name', async () => {
  const reply = await sampleApp().inject({ url: '/items/x' })
  assert.equal(reply.statusCode, 400)
  assert.equal(reply.json().field, 'id')
})

test('another method of a known path is answered 405 with Allow, before its body is looked at', async () => {
  const app = sampleApp()
  const put = await app.inject({ method: 'PUT', url: '/items', payload: '{', headers: json })
  assert.equal(put.statusCode, 405)
  assert.equal(put.headers.allow, 'POST')
  const unusual = await app.inject({ method: 'PROPFIND', url: '/items/7?x' })
  assert.equal(unusual.statusCode, 405)
  assert.equal(unusual.headers.allow, 'GET, HEAD')
})

test('an ApiError is answered with its status, message and headers', async () => {
  const reply = await sampleApp().inject('/refused')
  assert.equal(reply.statusCode, 409)
  assert.equal(reply.headers['retry-after'], '7')
  assert.deepEqual(reply.json(), { message: 'There is one already.' })
})

test('an unexpected error gets 500 without details, and is logged in full', async () => {
  const failures: unknown[] = []
  const app = sampleApp({ onFailure: (error) => failures.push(error) })
  for (const url of ['/broken', '/wrong-reply']) {
    const reply = await app.inject(url)
    assert.equal(reply.statusCode, 500)
    assert.deepEqual(Object.keys(reply.json()), ['message'])
    assert.doesNotMatch(reply.body, /42|number/)
  }
  assert.match(String(failures[0]), /the secret is 42/)
  assert.equal(failures.length, 2)
})

test('an error of a lower layer is answered as translate returns, and its cause logged', async () => {
  const failures: unknown[] = []
  const app = sampleApp({
    onFailure: (error) => failures.push(error),
    translate: (error) =>
      error instanceof StoreError ? new ApiError(503, 'Later.', { cause: error }) : undefined,
  })
  const reply = await app.inject('/store')
  assert.equal(reply.statusCode, 503)
  assert.deepEqual(reply.json(), { message: 'Later.' })
  assert.ok(failures[0] instanceof StoreError)
  assert.equal((await app.inject('/broken')).statusCode, 500)
})

test('a errorFormat words every error below its prefix, and its headers are on every reply', async () => {
  const app = sampleApp({
    errorFormats: [
      {
        prefix: '/v1',
        headers: { 'access-control-allow-origin': '*' },
        errorBody: ({ message, status }) => ({ error: { message, status } }),
      },
    ],
  })
  for (const [method, url, status] of [
    ['GET', '/v1/things/a', 200],
    ['POST', '/v1/things/a', 405],
    ['GET', '/v1/nothing', 404],
    ['GET', '/v1/things/%zz', 400],
  ] as const) {
    const reply = await app.inject({ method, url })
    assert.equal(reply.statusCode, status)
    assert.equal(reply.headers['access-control-allow-origin'], '*')
    if (status !== 200) assert.equal(reply.json().error.status, status)
  }
  const other = await app.inject('/nothing')
  assert.deepEqual(Object.keys(other.json()), ['message'])
  assert.equal(other.headers['access-control-allow-origin'], undefined)
})
