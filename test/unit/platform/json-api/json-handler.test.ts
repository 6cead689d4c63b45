import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { ApiError } from '../../../../src/platform/json-api/api-error.ts'
import {
  type JsonHandlerOptions,
  schemaMistake,
} from '../../../../src/platform/json-api/json-handler.ts'
import { route } from '../../../../src/platform/json-api/route.ts'
import { jsonSender } from '../../../support/json-sender.ts'

class StoreError extends Error {}

const described = { operationId: 'x', summary: 'x' }

function failing(path: string, error: Error) {
  return route({ ...described, method: 'GET', path, answer: () => Promise.reject(error) })
}

const sampleRoutes = [
  route({
    ...{ ...described, method: 'POST', path: '/items', status: 201 },
    body: z.object({ name: z.string(), tags: z.array(z.string()).default([]) }),
    reply: z.object({ name: z.string(), tags: z.array(z.string()) }),
    answer: async ({ body }) => ({ ...body, secret: 'x' }),
  }),
  route({
    ...{ ...described, method: 'GET', path: '/items/{id}' },
    params: z.object({ id: z.coerce.number().int() }),
    reply: z.object({ id: z.int() }),
    answer: async ({ params: { id } }) => ({ id }),
  }),
  route({
    ...{ ...described, method: 'GET', path: '/search' },
    query: z.strictObject({ name: z.string(), tag: z.array(z.string()).optional() }),
    reply: z.looseObject({}),
    answer: async ({ query }) => query,
  }),
  failing(
    '/refused',
    new ApiError(409, 'There is one already.', { headers: { 'retry-after': '7' } }),
  ),
  failing('/broken', new Error('the secret is 42')),
  route({
    ...{ ...described, method: 'GET', path: '/wrong-reply' },
    reply: z.object({ n: z.number() }),
    answer: async () => ({ n: 'no number' as unknown as number }),
  }),
  failing('/store', new StoreError('down')),
  route({
    ...{ ...described, method: 'GET', path: '/v1/things/{id+}' },
    reply: z.object({}),
    answer: async () => ({}),
  }),
]

const sampleApp = (options: JsonHandlerOptions = {}) => jsonSender(sampleRoutes, options)

const json = { 'content-type': 'application/json' }

test('a reply has only the fields of its schema', async () => {
  const reply = await sampleApp().send({ method: 'POST', url: '/items', payload: { name: 'a' } })
  assert.equal(reply.status, 201)
  assert.deepEqual(reply.json(), { name: 'a', tags: [] })
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
})

test('every reply has nosniff and no-store', async () => {
  const app = sampleApp()
  for (const url of ['/items/1', '/refused', '/broken', '/nowhere', '/items/%zz']) {
    const { headers } = await app.send({ url })
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
  ['a body without a type', { url: '/items', payload: '{}' }, 415],
  [
    'JSON of a special type',
    { url: '/items', payload: '{}', headers: { 'content-type': 'application/json-patch+json' } },
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
    const reply = await sampleApp().send({ method: 'POST', ...request })
    assert.equal(reply.status, status)
    assert.deepEqual(Object.keys(reply.json()), ['message'])
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
  })
}

test('a body that does not fit its schema is answered 400 with the field', async () => {
  const payload = { name: 'a', tags: ['b', 3] }
  const reply = await sampleApp().send({ method: 'POST', url: '/items', payload })
  assert.equal(reply.status, 400)
  assert.equal(reply.json().field, 'tags[1]')
})

test('a parameter that does not fit its schema is answered 400 with its name', async () => {
  const reply = await sampleApp().send({ url: '/items/x' })
  assert.equal(reply.status, 400)
  assert.equal(reply.json().field, 'id')
})

test('parameters of the query are decoded, and several of a name are an array', async () => {
  const { send } = sampleApp()
  const reply = await send('/search?name=a+b%20%C3%A9&tag=x&tag=y')
  assert.deepEqual(reply.json(), { name: 'a b é', tag: ['x', 'y'] })
  for (const [query, field] of [
    ['', 'name'],
    ['?name=a&name=b', 'name'],
    ['?name=a&other=1', 'other'],
  ] as const) {
    const refused = await send(`/search${query}`)
    assert.deepEqual([refused.status, refused.json().field], [400, field])
  }
})

test('a prototype is found in JSON however it is escaped and nested, and other names are not', async () => {
  const { send } = sampleApp()
  const post = (payload: string) => send({ method: 'POST', url: '/items', payload, headers: json })
  for (const name of ['__proto__', '\\u005f_proto__', '__\\u0070roto__']) {
    assert.equal((await post(`{"name":"a","x":[{"y":{"${name}":1}}]}`)).status, 400, name)
  }
  const harmless = '{"constructor":1,"prototype":{},"text":"__proto__"}'
  assert.equal((await post(`{"name":"proto","x":${harmless}}`)).status, 201)
})

test('JSON may be nested deeper than the stack', async () => {
  const payload = `{"name":"proto","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const reply = await sampleApp().send({ method: 'POST', url: '/items', payload, headers: json })
  assert.equal(reply.status, 201)
})

for (const type of [
  'application/json;charset=utf-8',
  'APPLICATION/JSON',
  'application/json ; x=y',
]) {
  test(`a body of type ${type} is JSON`, async () => {
    const payload = '\uFEFF{"name":"a"}'
    const headers = { 'content-type': type }
    const reply = await sampleApp().send({ method: 'POST', url: '/items', payload, headers })
    assert.equal(reply.status, 201)
  })
}

test('another method of a known path is answered 405 with Allow, before its body is looked at', async () => {
  const app = sampleApp()
  const put = await app.send({ method: 'PUT', url: '/items', payload: '{', headers: json })
  assert.equal(put.status, 405)
  assert.equal(put.headers.allow, 'POST')
  const unusual = await app.send({ method: 'PROPFIND', url: '/items/7?x' })
  assert.equal(unusual.status, 405)
  assert.equal(unusual.headers.allow, 'GET, HEAD')
})

test('an ApiError is answered with its status, message and headers', async () => {
  const reply = await sampleApp().send('/refused')
  assert.equal(reply.status, 409)
  assert.equal(reply.headers['retry-after'], '7')
  assert.deepEqual(reply.json(), { message: 'There is one already.' })
})

test('an unexpected error gets 500 without details, and is logged in full', async () => {
  const failures: unknown[] = []
  const app = sampleApp({ onFailure: (error) => failures.push(error) })
  for (const url of ['/broken', '/wrong-reply']) {
    const reply = await app.send(url)
    assert.equal(reply.status, 500)
    assert.deepEqual(Object.keys(reply.json()), ['message'])
    assert.doesNotMatch(reply.text, /42|number/)
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
  const reply = await app.send('/store')
  assert.equal(reply.status, 503)
  assert.deepEqual(reply.json(), { message: 'Later.' })
  assert.ok(failures[0] instanceof StoreError)
  assert.equal((await app.send('/broken')).status, 500)
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
    const reply = await app.send({ method, url })
    assert.equal(reply.status, status)
    assert.equal(reply.headers['access-control-allow-origin'], '*')
    if (status !== 200) assert.equal(reply.json().error.status, status)
  }
  const other = await app.send('/nothing')
  assert.deepEqual(Object.keys(other.json()), ['message'])
  assert.equal(other.headers['access-control-allow-origin'], undefined)
})

const schema = z.strictObject({
  name: z.string(),
  items: z.array(z.strictObject({ count: z.int() })).optional(),
  place: z
    .union([z.string(), z.object({ at: z.object({ line: z.number() }) }), z.null()])
    .optional(),
})

const cases: readonly (readonly [title: string, value: unknown, field: string | undefined])[] = [
  ['a missing field', {}, 'name'],
  ['a field of a wrong type', { name: 1 }, 'name'],
  ['a field of an item', { name: '', items: [{ count: 1 }, { count: 1.5 }] }, 'items[1].count'],
  ['an unknown field', { name: '', extra: 1 }, 'extra'],
  ['an unknown field of an item', { name: '', items: [{ count: 1, b: 2 }] }, 'items[0].b'],
  ['the variant that got furthest', { name: '', place: { at: { line: '1' } } }, 'place.at.line'],
  ['a value that fits no variant', { name: '', place: 7 }, 'place'],
  ['a body that is no object', [], undefined],
  ['no body', null, undefined],
]

for (const [title, value, field] of cases) {
  test(`schemaMistake names ${title}`, () => {
    const { error } = schema.safeParse(value)
    assert.ok(error !== undefined)
    const mistake = schemaMistake(error)
    assert.equal(mistake.status, 400)
    assert.equal(mistake.field, field)
    assert.notEqual(mistake.message, '')
  })
}

test('schemaMistake is short, however long the field is', () => {
  const { error } = schema.safeParse({ name: '', [`x${'y'.repeat(100_000)}`]: 1 })
  assert.ok(error !== undefined)
  const { message, field = '' } = schemaMistake(error)
  assert.ok(message.length + field.length < 1_000)
})
