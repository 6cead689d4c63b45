import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpHandler, HttpReply, StreamBody } from '../../../src/http/message.ts'
import { bridge } from '../../../src/json-api/bridge.ts'
import { modelListHandler } from '../../../src/models/model-list-handler.ts'
import { listsOf, modelsApp } from '../../support/models-app.ts'
import { readStreamBody } from '../../support/stream-body.ts'
import { requestOf } from '../wiring/request-of.ts'

const apiKey = 'models key'
const authorized = { 'x-api-key': apiKey }
const bodyOf = async ({ body }: HttpReply) => String(await readStreamBody(body as StreamBody))

/** The handler, the app behind it, and the targets that the app was called with. */
async function handlers() {
  const app = await bridge(await modelsApp({ apiKey }))
  const asked: string[] = []
  const watched: HttpHandler = (request) => {
    asked.push(request.rawPath)
    return app(request)
  }
  return { app, asked, handler: modelListHandler({ lists: listsOf({}), apiKey }, watched) }
}

for (const path of ['/v1/models', '/v1/models/', '/v1/models/image', '/v1/models/web']) {
  test(`GET ${path} gets the reply of the app without asking it`, async () => {
    const { app, asked, handler } = await handlers()
    const request = { ...requestOf('GET', path), headers: authorized }
    const reply = await handler(request)
    const expected = await app(request)
    assert.deepEqual(asked, [])
    assert.deepEqual(reply.headers, expected.headers)
    assert.equal(reply.status, expected.status)
    assert.equal(await bodyOf(reply), await bodyOf(expected))
  })
}

test('HEAD of a list has the body of GET, whose length the server sends', async () => {
  const { asked, handler } = await handlers()
  const [head, get] = await Promise.all(
    ['HEAD', 'GET'].map((method) =>
      handler({ ...requestOf(method, '/v1/models?limit=1'), headers: authorized }),
    ),
  )
  assert.ok(head && get)
  assert.deepEqual(head.headers, get.headers)
  assert.equal(await bodyOf(head), await bodyOf(get))
  assert.deepEqual(asked, [])
})

for (const [method, path, headers, status] of [
  ['GET', '/v1/models', {}, 401],
  ['GET', '/v1/models', { 'x-api-key': 'wrong' }, 401],
  ['OPTIONS', '/v1/models', {}, 200],
  ['POST', '/v1/models', authorized, 405],
  ['GET', '/v1/models/none', authorized, 404],
  ['GET', '/v1/models/%69mage', authorized, 200],
] as const) {
  test(`${method} ${path} with ${JSON.stringify(headers)} is left to the app`, async () => {
    const { asked, handler } = await handlers()
    const reply = await handler({ ...requestOf(method, path), headers })
    assert.equal(reply.status, status)
    assert.deepEqual(asked, [path])
  })
}

test('A list that fails is left to the app, which answers with the error', async () => {
  const lists = { list: () => Promise.reject(new Error('broken')) }
  const handler = modelListHandler({ lists, apiKey: undefined }, async () => {
    return { status: 500, headers: [] }
  })
  assert.equal((await handler(requestOf('GET', '/v1/models'))).status, 500)
})
