import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failing, sendJson } from '../fakes/strict-upstream.ts'
import { saying, startTwo, startWithUpstream } from '../support/calling.ts'
import { until } from '../support/management-client.ts'

test('A connection that hangs costs two keys their time, and nobody else', async (t) => {
  // The other connection has to answer within this time.
  const { call, management, one, two } = await startTwo(t, { MODELS_ANSWER_SECONDS: '3' })
  one.behave = () => undefined
  const senders = await Promise.all(
    ['ann', 'bob', 'carl'].map(async (name) => {
      const { secret } = await management.done('POST', '/model-keys', { name })
      return { headers: { authorization: `Bearer ${secret}` } }
    }),
  )
  const attempts: unknown[] = []
  for (const [index, sender] of [...senders, ...senders].entries()) {
    const body = saying(`conversation ${index}`, { model: 'both' })
    const { status, headers } = await call('/chat/completions', body, sender)
    assert.equal(status, 200)
    attempts.push(headers['x-bucketry-attempts'])
  }
  assert.deepEqual(attempts, ['2', '2', '1', '1', '1', '1'])
  const { pauses } = await management.done('GET', '/routing/pauses')
  assert.deepEqual([pauses.length, pauses[0].model, pauses[0].status], [1, 'big', 504])
  // It is still asked where nobody else has the model.
  one.behave = (_, response) => sendJson(response, 200, { ok: true })
  two.calls.length = 0
  assert.equal((await call('/chat/completions', saying('alone', { model: 'one/big' }))).status, 200)
  assert.equal((await call('/chat/completions', saying('both', { model: 'both' }))).status, 200)
  assert.equal(two.calls.length, 0)
})

test('A key without a right to two models of a connection is asked for no third one', async (t) => {
  const { call, one, two } = await startTwo(t)
  one.models = new Set(['big', 'small', 'gone'])
  one.behave = failing(403, { message: 'Not for you', type: 'permission_error' })
  for (const [model, attempts] of [
    ['one/big', '1'],
    ['one/small', '1'],
    ['one/gone', '0'],
  ] as const) {
    const { status, headers } = await call('/chat/completions', saying(model, { model }))
    assert.equal(status, attempts === '0' ? 503 : 403)
    assert.equal(headers['x-bucketry-attempts'], attempts)
  }
  assert.equal((await call('/chat/completions', { model: 'both' })).status, 200)
  assert.deepEqual([one.calls.length, two.calls.length], [2, 1])
})

test('A missing model is called as soon as the connection lists it', async (t) => {
  const { call, upstream, connect, url } = await startWithUpstream(t)
  const baseUrl = `${upstream.origin}/v1`
  await connect('asked', { apiKey: upstream.key, providerSpecificData: { baseUrl } })
  const chat = { model: 'asked/big' }
  upstream.behave = failing(404, { message: 'No', code: 'model_not_found' })
  assert.equal((await call('/chat/completions', saying('a', chat))).status, 404)
  assert.equal((await call('/chat/completions', saying('b', chat))).status, 503)
  upstream.behave = (_, response) => sendJson(response, 200, { ok: true })
  // The list asks the upstream again after five seconds.
  await until(async () => {
    await fetch(`${url}/ai/v1/models`, { headers: { authorization: 'Bearer models-api-key' } })
    return (await call('/chat/completions', saying('c', chat))).status === 200
  })
})
