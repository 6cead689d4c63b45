import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listedModelsApi, modelListApi } from '../../../../src/models/list/model-list-api.ts'
import { ApiError } from '../../../../src/platform/json-api/api-error.ts'
import { jsonSender } from '../../../support/json-sender.ts'
import { callersOf, listsOf } from '../../../support/models-app.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'

const prefix = '/-/api/routing'
const session = { authorization: 'Bearer let me in' }

function appOf() {
  const lists = listsOf({ combos: [{ name: 'find', kind: 'webSearch' }] })
  return jsonSender([
    ...modelListApi({ lists, admit: callersOf('models key').admitToList }),
    ...listedModelsApi({
      ...{ lists, catalogue: smallCatalogue },
      session: {
        admit({ headers }) {
          if (headers.authorization !== session.authorization) throw new ApiError(401, 'Sign in.')
        },
      },
    }),
  ])
}

for (const [list, path] of [
  ['chat', '/v1/models'],
  ['image', '/v1/models/image'],
  ['tts', '/v1/models/tts'],
  ['stt', '/v1/models/stt'],
  ['embedding', '/v1/models/embedding'],
  ['image-to-text', '/v1/models/image-to-text'],
  ['web', '/v1/models/web'],
] as const) {
  test(`GET of the ${list} list answers what ${path} answers, without its key`, async () => {
    const app = appOf()
    const reply = await app.send({ url: `${prefix}/models/${list}`, headers: session })
    const listed = await app.send({ url: path, headers: { 'x-api-key': 'models key' } })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(reply.text, listed.text)
    assert.ok(reply.json().data.length > 0)
  })
}

for (const path of ['/models/chat', '/providers', '/listings']) {
  test(`GET of ${path} asks for a session`, async () => {
    const app = appOf()
    for (const headers of [{}, { 'x-api-key': 'models key' }]) {
      assert.equal((await app.send({ url: prefix + path, headers })).status, 401)
    }
  })
}

test('GET of a list that there is not names the field', async () => {
  const reply = await appOf().send({ url: `${prefix}/models/llm`, headers: session })
  assert.equal(reply.status, 400)
  assert.equal(reply.json().field, 'list')
})

test('GET of the providers answers those of the catalogue', async () => {
  const reply = await appOf().send({ url: `${prefix}/providers`, headers: session })
  assert.equal(reply.status, 200)
  const { providers } = reply.json()
  assert.deepEqual(providers[1], { id: 'deepthink', alias: 'dt', models: 2 })
  assert.equal(providers.length, smallCatalogue.providers.length)
})

test('GET of /listings counts the listed models of each connection', async () => {
  const lists = listsOf({
    connections: [
      { id: 'a', provider: 'deepthink' },
      { id: 'b', provider: 'openai-compatible-lab' },
    ],
  })
  const app = jsonSender(
    listedModelsApi({ lists, catalogue: smallCatalogue, session: { admit: () => undefined } }),
  )
  const reply = await app.send({ url: `${prefix}/listings` })
  assert.deepEqual(reply.json(), {
    connections: [
      { id: 'a', listed: 2, reasons: [] },
      {
        ...{ id: 'b', listed: 0 },
        reasons: [{ message: 'The connection has no API key.', models: [], count: 0 }],
      },
    ],
  })
})
