import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import {
  type Behaviour,
  StrictUpstream,
  sendEvents,
  sendJson,
  streamHead,
} from '../fakes/strict-upstream.ts'
import { fieldsOf, startCalling } from '../support/calling.ts'
import type { ManagementClient } from '../support/management-client.ts'

/** Two connections, `one` in front of `two`, and a combo of both. */
async function startTwo(t: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const one = await StrictUpstream.start(t, { key: 'sk-first-key-aaaaaaaaaaaa' })
  const two = await StrictUpstream.start(t, { key: 'sk-second-key-bbbbbbbbbbb' })
  const calling = await startCalling(t, environment)
  await calling.connect('one', fieldsOf(one))
  await calling.connect('two', fieldsOf(two))
  const models = ['one/big', 'two/big']
  await calling.management.done('POST', '/routing/combos', { name: 'both', models })
  return { ...calling, one, two }
}

const failing =
  (status: number, error: object, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    sendJson(response, status, { error }, headers)

const streaming =
  (...events: string[]): Behaviour =>
  (_, response) =>
    sendEvents(response, events)

const cutOff: Behaviour = (_, response) => {
  response.writeHead(200, streamHead)
  response.write(': comment\n\n')
  setImmediate(() => response.destroy())
}

const destroyed: Behaviour = (_, response) => void response.destroy()

/** Failure → whether the next one is tried, and what rests then. */
const rows: readonly {
  readonly title: string
  readonly fails: Behaviour
  readonly goesOn: boolean
  readonly rests: 'nothing' | 'pair' | 'path' | 'connection'
  readonly scope?: string
}[] = [
  { title: '400', fails: failing(400, { code: 'bad_parameter' }), goesOn: false, rests: 'nothing' },
  { title: '413', fails: failing(413, {}), goesOn: false, rests: 'nothing' },
  {
    title: '422',
    fails: failing(422, { type: 'invalid_request_error' }),
    goesOn: false,
    rests: 'nothing',
  },
  {
    title: '404',
    fails: failing(404, { message: 'no' }),
    goesOn: true,
    rests: 'path',
    scope: 'model',
  },
  {
    title: '400 of the model',
    fails: failing(400, { code: 'model_not_supported' }),
    goesOn: true,
    rests: 'path',
    scope: 'model',
  },
  {
    title: '403 of the model',
    fails: failing(403, { code: 'model_not_found' }),
    goesOn: true,
    rests: 'path',
    scope: 'model',
  },
  { title: '429', fails: failing(429, {}), goesOn: true, rests: 'pair', scope: 'quota' },
  { title: '529', fails: failing(529, {}), goesOn: true, rests: 'pair', scope: 'quota' },
  { title: '401', fails: failing(401, {}), goesOn: true, rests: 'connection', scope: 'connection' },
  { title: '403', fails: failing(403, {}), goesOn: true, rests: 'connection', scope: 'connection' },
  { title: '408', fails: failing(408, {}), goesOn: true, rests: 'pair', scope: 'moment' },
  { title: '500', fails: failing(500, {}), goesOn: true, rests: 'pair', scope: 'moment' },
  {
    title: '503 in HTML',
    fails: (_, response) =>
      void response.writeHead(503, { 'content-type': 'text/html' }).end('<p>'),
    goesOn: true,
    rests: 'pair',
    scope: 'moment',
  },
  { title: 'a closed connection', fails: destroyed, goesOn: true, rests: 'pair', scope: 'moment' },
  {
    title: '200 without a body',
    fails: (_, response) => void response.writeHead(200).end(),
    goesOn: true,
    rests: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that ends before its first event',
    fails: streaming(': wait\n\n'),
    goesOn: true,
    rests: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that is only its end',
    fails: streaming('data: [DONE]\n\n'),
    goesOn: true,
    rests: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that breaks off before its first event',
    fails: cutOff,
    goesOn: true,
    rests: 'pair',
    scope: 'moment',
  },
  {
    title: 'a stream that begins with an error',
    fails: streaming(': a\n\n', 'data: {"error":{"message":"x","code":429}}\n\n'),
    goesOn: true,
    rests: 'pair',
    scope: 'quota',
  },
  {
    title: 'a stream that begins with an overload',
    fails: streaming(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n',
    ),
    goesOn: true,
    rests: 'pair',
    scope: 'quota',
  },
  {
    title: 'a stream that begins with a bad parameter',
    fails: streaming('data: {"error":{"type":"invalid_request_error"}}\n\n'),
    goesOn: false,
    rests: 'nothing',
  },
]

describe('What follows from a failure', () => {
  for (const { title, fails, goesOn, rests, scope } of rows) {
    test(`${title}: ${goesOn ? 'the next one is tried' : 'it is passed on'}, ${rests} rests`, async (t) => {
      const calling = await startTwo(t)
      const { call, management, one, two } = calling
      one.behave = fails
      const reply = await call('/chat/completions', { model: 'both', stream: true })
      assert.equal(reply.headers['x-bucketry-attempts'], goesOn ? '2' : '1')
      assert.equal(two.calls.length, goesOn ? 1 : 0)
      assert.equal(reply.status, goesOn ? 200 : one.calls.length * reply.status)
      await assertListed(management, rests, scope)
      await assertResting(calling, rests)
    })
  }
})

async function assertListed(
  management: ManagementClient,
  rests: (typeof rows)[number]['rests'],
  scope: string | undefined,
): Promise<void> {
  const { rests: found } = await management.done('GET', '/routing/rests')
  const expected = { nothing: [], pair: ['big'], path: ['big'], connection: [null] }[rests]
  assert.deepEqual(
    found.map((rest: { model: unknown }) => rest.model),
    expected,
  )
  for (const rest of found) {
    assert.equal(rest.scope, scope)
    assert.equal(rest.path, rests === 'path' ? '/chat/completions' : null)
  }
}

/** What rests is not asked; other models of the connection are, unless all of it rests. */
async function assertResting(
  { call, one }: Awaited<ReturnType<typeof startTwo>>,
  rests: (typeof rows)[number]['rests'],
): Promise<void> {
  const before = one.calls.length
  await call('/chat/completions', { model: 'both' })
  assert.equal(one.calls.length > before, rests === 'nothing')
  const then = one.calls.length
  await call('/chat/completions', { model: 'one/small' })
  assert.equal(one.calls.length > then, rests !== 'connection')
  const last = one.calls.length
  await call('/embeddings', { model: 'one/big' })
  assert.equal(one.calls.length > last, rests === 'nothing' || rests === 'path')
}

test('An upstream that cannot be reached rests as a whole, and says nothing of its address', async (t) => {
  const { call, one, two, management } = await startTwo(t)
  await one.close()
  const { status } = await call('/chat/completions', { model: 'both' })
  assert.equal(status, 200)
  assert.equal(two.calls.length, 1)
  // Together: it rests for a moment only.
  const [{ rests }, alone] = await Promise.all([
    management.done('GET', '/routing/rests'),
    call('/chat/completions', { model: 'one/small' }),
  ])
  assert.deepEqual([rests[0].model, rests[0].scope], [null, 'connection'])
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
  ['the reset', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m12s' }, 72],
] as const) {
  test(`A pair rests as long as ${header} says, and the client is told`, async (t) => {
    const { call, one } = await startTwo(t)
    one.behave = failing(429, { message: 'slow down' }, headers)
    const beganAt = performance.now()
    for (const attempts of ['1', '0']) {
      const reply = await call('/chat/completions', { model: 'one/big' })
      assert.equal(reply.status, 429)
      assert.equal(reply.headers['x-bucketry-attempts'], attempts)
      const seconds = Number(reply.headers['retry-after'])
      const passedSeconds = (performance.now() - beganAt) / 1_000
      assert.ok(seconds <= expected + 1 && seconds >= expected - 1 - passedSeconds, `${seconds} s`)
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
  assert.ok(Number(headers['retry-after']) <= 2)
})

test('When all fail otherwise, the last answer comes', async (t) => {
  const { call, one, two } = await startTwo(t)
  one.behave = failing(429, { message: 'first' })
  two.behave = failing(500, { message: 'second' })
  const { status, json } = await call('/chat/completions', { model: 'both' })
  assert.equal(status, 500)
  assert.equal(json().error.message, 'second')
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

test('A changed connection does not rest', async (t) => {
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

test('An upstream that does not begin in time is given up', async (t) => {
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

test('A port that is no HTTP server is given up', async (t) => {
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
