import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { failing, StrictUpstream, sendJson } from '../fakes/strict-upstream.ts'
import {
  type Calling,
  fieldsOf,
  saying,
  startCalling,
  startWithUpstream,
} from '../support/calling.ts'

const chat = { model: 'lab/big' }

async function senderOf({ management }: Calling, fields: object) {
  const { secret } = await management.done('POST', '/model-keys', { name: 'k', ...fields })
  return { headers: { authorization: `Bearer ${secret}` } }
}

test('White space around the ID of a response does not hide whose it is', async (t) => {
  const started = await startWithUpstream(t)
  const { call, upstream } = started
  upstream.behave = (_, response) =>
    sendJson(response, 200, { id: 'resp_1', object: 'response', output: [{ type: 'message' }] })
  assert.equal((await call('/responses', { ...chat, input: 'x' })).status, 200)
  const other = await senderOf(started, {})
  const calls = upstream.calls.length
  for (const space of ['', ' '.repeat(5_000), '\n'.repeat(5_000)]) {
    const body = `{"model":"lab/big","input":"x","previous_response_id":${space}"resp_1"${space}}`
    const { status, json } = await call('/responses', body, other)
    assert.equal(status, 400)
    assert.equal(json().error.code, 'previous_response_not_found')
  }
  assert.equal(upstream.calls.length, calls)
})

test('A key with limits starts nothing in the background, where nobody counts', async (t) => {
  const started = await startWithUpstream(t)
  const { call, upstream } = started
  const limited = await senderOf(started, { limits: { tokensPerMonth: 1_000_000 } })
  for (const field of ['"background":true', `"background":${' '.repeat(5_000)}true`]) {
    const body = `{"model":"lab/big","input":"x",${field}}`
    const { status, json } = await call('/responses', body, limited)
    assert.equal(status, 403, field)
    assert.match(json().error.message, /background/)
    assert.equal((await call('/responses', body)).status, 200)
  }
  const twice = '{"model":"lab/big","input":"x","background":false,"background":true}'
  assert.equal((await call('/responses', twice, limited)).status, 400)
  assert.equal(upstream.calls.length, 2)
})

test('A key for some models names no others for an upstream to use', async (t) => {
  const started = await startWithUpstream(t)
  const { call, upstream } = started
  const limited = await senderOf(started, { models: ['lab/big'] })
  for (const more of [{ models: ['dear'] }, { fallbacks: [{ model: 'dear' }] }]) {
    const { status, json } = await call('/chat/completions', { ...chat, ...more }, limited)
    assert.equal(status, 403)
    assert.match(json().error.message, new RegExp(Object.keys(more).join()))
    assert.equal((await call('/chat/completions', { ...chat, ...more })).status, 200)
  }
  const spelled = await call('/chat/completions', { ...chat, Models: ['dear'] }, limited)
  assert.equal(spelled.status, 400)
  assert.equal((await call('/chat/completions', { ...chat, models: null }, limited)).status, 200)
  assert.equal(upstream.calls.length, 3)
})

test('An upstream without a list is not asked for a name that no model has', async (t) => {
  const upstream = await StrictUpstream.start(t, { hasList: false })
  const calling = await startCalling(t)
  const { kind, apiKey } = fieldsOf(upstream)
  const providerSpecificData = { baseUrl: `${upstream.origin}/v1` }
  await calling.connect('lab', { kind, apiKey, providerSpecificData })
  assert.equal((await calling.call('/chat/completions', chat)).status, 200)
  const long = { model: `lab/${'x'.repeat(100_000)}` }
  const { status, text } = await calling.call('/chat/completions', long)
  assert.equal(status, 404)
  assert.ok(text.length < 1_000)
  assert.equal(upstream.calls.length, 1)
})

test('A deeply nested message is answered like any other', async (t) => {
  const started = await startWithUpstream(t)
  const { kind: _, ...fields } = fieldsOf(started.upstream)
  const { connections } = await started.management.done('GET', '/routing')
  await started.connect('lab', { ...fields, kind: undefined, provider: connections[0].provider })
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const body = `{"model":"lab/big","messages":[{"role":"user","content":${deep}}]}`
  const { status, text } = await started.call('/chat/completions', body)
  assert.equal(status, 200, text)
})

test('A combo that a key may not call shows nothing of itself', async (t) => {
  const started = await startWithUpstream(t)
  const { management, url } = started
  await management.done('POST', '/routing/combos', { name: 'small', models: ['lab/big'] })
  const { headers } = await senderOf(started, { models: ['lab/*'] })
  const reply = await fetch(`${url}/ai/v1/models/small`, { headers })
  assert.equal(((await reply.json()) as { owned_by: string }).owned_by, 'lab')
})

test('The only connection is tried twice for a response as well', async (t) => {
  const { call, upstream } = await startWithUpstream(t)
  const succeed = upstream.behave
  upstream.behave = async (received, response) => {
    const fails = upstream.calls.length === 1
    await (fails ? failing(500, { message: 'x' }) : succeed)(received, response)
  }
  const { status, headers } = await call('/responses', { ...chat, input: 'x' })
  assert.deepEqual([status, headers['x-bucketry-attempts']], [200, '2'])
})

/** After a success, what one key gets on one path says nothing about the connection. */
async function assertAlone(started: Calling, path: string) {
  const attacker = await senderOf(started, { name: 'attacker' })
  const body = { ...saying('hello', chat), stream: true }
  assert.equal((await started.call('/chat/completions', body)).status, 200)
  for (let count = 0; count < 3; count += 1) {
    const { status } = await started.call(path, saying(`attack ${count}`, chat), attacker)
    assert.equal(status, 502)
    const { status: healthy, text } = await started.call('/chat/completions', body)
    assert.equal(healthy, 200, text)
  }
}

test('A redirect of one path pauses nothing for others', async (t) => {
  const started = await startWithUpstream(t)
  const { upstream } = started
  const succeed = upstream.behave
  upstream.behave = (received, response) => {
    if (received.path !== '/v1/rerank') return succeed(received, response)
    response.writeHead(302, { location: '/login' }).end()
  }
  await assertAlone(started, '/rerank')
})

test('An answer that is not HTTP pauses nothing for others', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes) => {
      const isAttack = bytes.includes('/rerank')
      const event = 'data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n'
      const answer = `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n${event}`
      socket.end(isAttack ? 'HELLO\r\n\r\n' : answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const started = await startCalling(t)
  const { port } = server.address() as { port: number }
  await started.connect('lab', {
    providerSpecificData: { baseUrl: `http://127.0.0.1:${port}`, enabledModels: ['big'] },
  })
  await assertAlone(started, '/rerank')
})
