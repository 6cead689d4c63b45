import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { test } from 'node:test'
import {
  type Behaviour,
  failing,
  StrictUpstream,
  sendJson,
  streamHead,
} from '../fakes/strict-upstream.ts'
import { fieldsOf, holdPauses, saying, startCalling, startTwo } from '../support/calling.ts'

const destroyed: Behaviour = (_, response) => void response.destroy()

test('An upstream that cannot be reached is paused as a whole, and says nothing of its address', async (t) => {
  holdPauses(t)
  const { call, one, two, management } = await startTwo(t)
  await one.close()
  const { status } = await call('/chat/completions', { model: 'both' })
  assert.equal(status, 200)
  assert.equal(two.calls.length, 1)
  const { pauses } = await management.done('GET', '/routing/pauses')
  const alone = await call('/chat/completions', { model: 'one/small' })
  assert.deepEqual([pauses[0].model, pauses[0].scope], [null, 'connection'])
  assert.equal(alone.status, 503)
  assert.equal(alone.headers['x-bucketry-attempts'], '0')
  assert.ok(Number(alone.headers['retry-after']) >= 1)
})

test('Connections of one provider are tried in the order of their priorities', async (t) => {
  const one = await StrictUpstream.start(t, { key: 'sk-a' })
  const two = await StrictUpstream.start(t, { key: 'sk-b' })
  const { call, management } = await startCalling(t)
  for (const [upstream, priority] of [
    [one, 2],
    [two, 1],
  ] as const) {
    await management.done('POST', '/routing/connections', {
      ...fieldsOf(upstream),
      kind: undefined,
      provider: 'openai-compatible-lab',
      priority,
    })
  }
  two.behave = failing(500, {})
  const model = 'openai-compatible-lab/big'
  assert.equal((await call('/chat/completions', { model })).headers['x-bucketry-attempts'], '2')
  assert.deepEqual([one.calls.length, two.calls.length], [1, 1])
})

for (const [header, headers, expected] of [
  ['Retry-After', { 'retry-after': '17' }, 17],
  ['retry-after-ms', { 'retry-after-ms': '8500' }, 9],
  ['the reset', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '42s' }, 42],
] as const) {
  test(`A pair is paused as long as ${header} says, and the client is told`, async (t) => {
    holdPauses(t)
    const { call, one } = await startTwo(t)
    one.behave = failing(429, { message: 'slow down' }, headers)
    for (const attempts of ['1', '0']) {
      const reply = await call('/chat/completions', saying('a', { model: 'one/big' }))
      assert.equal(reply.status, 429)
      assert.equal(reply.headers['x-bucketry-attempts'], attempts)
      assert.equal(reply.headers['retry-after'], String(expected))
      if (attempts === '1') assert.equal(reply.json().error.message, 'slow down')
    }
    assert.equal(one.calls.length, 1)
  })
}

test('When all fail, the answer that is about the request comes', async (t) => {
  const { call, one, two } = await startTwo(t)
  one.behave = failing(404, { message: 'first', code: 'model_not_found' })
  two.behave = failing(500, { message: 'second' })
  const { status, headers, json } = await call('/chat/completions', { model: 'both' })
  assert.equal(status, 404)
  assert.equal(json().error.message, 'first')
  assert.equal(headers['x-bucketry-attempts'], '2')
  // Nobody is told to repeat what no connection has.
  assert.equal(headers['retry-after'], undefined)
})

test('A client is told to wait for a minute at most', async (t) => {
  const { call, one } = await startTwo(t)
  for (const headers of [{ 'retry-after': '3600' }, { 'retry-after-ms': '3600000' }]) {
    one.behave = failing(429, { message: 'slow down' }, headers)
    const reply = await call(
      '/chat/completions',
      saying(JSON.stringify(headers), { model: 'one/big' }),
    )
    assert.equal(reply.headers['retry-after'], '60')
    assert.equal(reply.headers['retry-after-ms'], undefined)
  }
})

test('When all fail otherwise, the first answer comes', async (t) => {
  const { call, one, two } = await startTwo(t)
  one.behave = failing(429, { message: 'first' })
  two.behave = failing(500, { message: 'second' })
  const { status, json } = await call('/chat/completions', { model: 'both' })
  assert.equal(status, 429)
  assert.equal(json().error.message, 'first')
})

test('A bad parameter is told at once after other failures', async (t) => {
  const { call, one, two } = await startTwo(t)
  one.behave = failing(429, { message: 'quota' })
  two.behave = failing(400, { message: 'temperature is bad' })
  const { status, json, headers } = await call('/chat/completions', { model: 'both' })
  assert.equal(status, 400)
  assert.equal(json().error.message, 'temperature is bad')
  assert.equal(headers['retry-after'], undefined)
})

test('A changed connection is not paused', async (t) => {
  const { call, management, one } = await startTwo(t)
  const { connections } = await management.done('GET', '/routing')
  const id = connections.find(({ name }: { name: string }) => name === 'one').id
  one.behave = failing(401, {})
  assert.equal((await call('/chat/completions', { model: 'one/big' })).status, 502)
  one.behave = (_, response) => sendJson(response, 200, { ok: true })
  assert.equal((await call('/chat/completions', { model: 'one/big' })).status, 503)
  await management.done('PATCH', `/routing/connections/${id}`, {
    providerSpecificData: { ...fieldsOf(one).providerSpecificData, baseUrl: `${one.origin}/v1/` },
  })
  assert.equal((await call('/chat/completions', { model: 'one/big' })).status, 200)
})

test('An upstream that does not begin to answer in time is abandoned', async (t) => {
  const { call, one, two } = await startTwo(t, { MODELS_FIRST_BYTE_SECONDS: '1' })
  const stalls: readonly Behaviour[] = [
    () => undefined,
    (_, response) => void response.writeHead(200, streamHead).write(': wait\n\n'),
    (_, response) =>
      void response.writeHead(500, { 'content-type': 'application/json' }).write('{'),
  ]
  for (const [index, stall] of stalls.entries()) {
    one.behave = stall
    two.calls.length = 0
    const model = index === 0 ? 'both' : `one/${index === 1 ? 'small' : 'gone'}`
    const started = performance.now()
    const { status } = await call('/chat/completions', { model, stream: true })
    assert.ok(performance.now() - started < 15_000)
    assert.equal(status, index === 0 ? 200 : index === 1 ? 504 : 404)
  }
  await one.calls[0]?.left
})

test('A port that is not an HTTP server is abandoned', async (t) => {
  const server = createServer((socket) => void socket.end('SSH-2.0-x\r\n'))
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => void server.close())
  const { call, connect } = await startCalling(t)
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  await connect('ssh', {
    apiKey: 'k',
    providerSpecificData: { baseUrl: `http://127.0.0.1:${port}`, enabledModels: ['m'] },
  })
  const { status } = await call('/chat/completions', { model: 'ssh/m' })
  assert.equal(status, 502)
})

test('A connection that the upstream closed while it was idle costs nothing', async (t) => {
  const { call, one } = await startTwo(t)
  for (let count = 0; count < 20; count += 1) {
    one.behave = (_, response: ServerResponse) => {
      response.on('close', () => response.socket?.destroy())
      sendJson(response, 200, {})
    }
    const padding = 'x'.repeat(count % 2 === 0 ? 1 : 200_000)
    const { status, headers } = await call('/chat/completions', { model: 'one/big', padding })
    assert.equal(status, 200)
    assert.equal(headers['x-bucketry-attempts'], '1')
  }
})

test('A large call that is answered by closing goes to the next connection only, as a whole', async (t) => {
  const { call, one, two } = await startTwo(t)
  one.behave = destroyed
  const { status } = await call('/chat/completions', {
    model: 'both',
    padding: 'x'.repeat(200_000),
  })
  assert.equal(status, 200)
  assert.deepEqual([one.calls.length, two.calls.length], [1, 1])
  assert.deepEqual(two.calls[0]?.body, one.calls[0]?.body)
})
