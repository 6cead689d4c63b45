import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anthropicEvents, openAiEvents, sendJson } from '../fakes/strict-upstream.ts'
import { fieldsOf, modelsApiKey, startCalling, startWithUpstream } from '../support/calling.ts'
import { until } from '../support/management-client.ts'

test('A call reaches the upstream with only the model and the credentials changed', async (t) => {
  const { upstream, call } = await startWithUpstream(t)
  const text = '{ "temperature":1.0,"big":12345678901234567890, "model" : "lab/big","x":"\\u00e9" }'
  const { status, headers, body } = await call('/chat/completions?a=%20b', text, {
    headers: {
      ...{ cookie: 'session=1', te: 'trailers', 'x-forwarded-for': '192.0.2.1', via: '1.1 proxy' },
      ...{ origin: 'https://page.example', connection: 'close, X-Secret', 'x-secret': 'a' },
      ...{ 'openai-organization': 'org', 'openai-beta': 'a', 'user-agent': 'sdk/1' },
    },
  })
  assert.equal(status, 200, String(body))
  const [received] = upstream.calls
  assert.equal(received?.path, '/v1/chat/completions?a=%20b')
  assert.equal(String(received?.body), text.replace('lab/big', 'big'))
  // The connection decides whose account it is.
  assert.equal(received?.headers['openai-organization'], undefined)
  assert.equal(received?.headers['openai-beta'], 'a')
  assert.equal(received?.headers['user-agent'], 'sdk/1')
  assert.equal(received?.headers.host, upstream.origin.slice('http://'.length))
  assert.doesNotMatch(JSON.stringify(received?.rawHeaders), new RegExp(modelsApiKey))
  // The answer's model is as the upstream wrote it.
  assert.equal(JSON.parse(String(body)).model, 'big-2026')
  assert.equal(headers['x-bucketry-attempts'], '1')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['set-cookie'], undefined)
  assert.equal(headers['cache-control'], 'no-store')
})

test('Streams arrive byte for byte', async (t) => {
  const { upstream, call } = await startWithUpstream(t)
  const { status, headers, text, isComplete } = await call('/chat/completions', {
    model: 'lab/big',
    stream: true,
  })
  assert.equal(status, 200)
  assert.equal(text, openAiEvents('big').join(''))
  assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8')
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(isComplete, true)
  assert.equal(upstream.calls.length, 1)
})

test('Every OpenAI path leads to the same path of the upstream', async (t) => {
  const { upstream, call } = await startWithUpstream(t)
  for (const path of [
    '/chat/completions',
    '/completions',
    '/responses',
    '/embeddings',
    '/images/generations',
    '/audio/speech',
  ]) {
    const { status, text } = await call(path, { model: 'lab/small', input: 'x' })
    assert.equal(status, 200, text)
    assert.equal(upstream.calls.at(-1)?.path, `/v1${path}`)
  }
})

for (const order of ['model first', 'file first'] as const) {
  test(`A form is passed on, ${order}`, async (t) => {
    const { upstream, call } = await startWithUpstream(t)
    const form = new FormData()
    if (order === 'model first') form.append('model', 'lab/big')
    form.append('file', new Blob([Buffer.alloc(2_000_000, 7)]), 'speech.wav')
    if (order === 'file first') form.append('model', 'lab/big')
    const sent = new Response(form)
    const bytes = Buffer.from(await sent.arrayBuffer())
    const type = sent.headers.get('content-type') ?? ''
    for (const path of ['/audio/transcriptions', '/audio/translations']) {
      const { status, text } = await call(path, bytes, { headers: { 'content-type': type } })
      assert.equal(status, 200, text)
      assert.equal(upstream.calls.at(-1)?.path, `/v1${path}`)
      assert.equal(upstream.calls.at(-1)?.model, 'big')
      assert.equal(upstream.calls.at(-1)?.body.length, bytes.length - 'lab/'.length)
    }
  })
}

test('A form beyond the limit streams through if its model is in front', async (t) => {
  const { upstream, call } = await startWithUpstream(t, {}, { MODELS_BODY_MIB: '1' })
  const form = async (isFirst: boolean) => {
    const fields = new FormData()
    if (isFirst) fields.append('model', 'lab/big')
    fields.append('file', new Blob([Buffer.alloc(5_000_000, 7)]), 'speech.wav')
    if (!isFirst) fields.append('model', 'lab/big')
    const sent = new Response(fields)
    const headers = { 'content-type': sent.headers.get('content-type') ?? '' }
    return { bytes: Buffer.from(await sent.arrayBuffer()), headers }
  }
  const good = await form(true)
  const { status, text } = await call('/audio/transcriptions', good.bytes, good)
  assert.equal(status, 200, text)
  assert.equal(upstream.calls[0]?.body.length, good.bytes.length - 'lab/'.length)
  const late = await form(false)
  const refused = await call('/audio/transcriptions', late.bytes, late)
  assert.equal(refused.status, 400)
  assert.match(refused.text, /before the file/)
  assert.equal(
    (await call('/chat/completions', { model: 'lab/big', x: 'y'.repeat(2_000_000) })).status,
    413,
  )
})

test('Anthropic models have their own paths, key and errors', async (t) => {
  const calling = await startWithUpstream(t, { flavour: 'anthropic' })
  const { upstream, call, management, connectionId } = calling
  const headers = { authorization: '', 'x-api-key': modelsApiKey }
  const { status, text } = await call(
    '/messages?beta=true',
    { model: 'lab/big', stream: true },
    { headers },
  )
  assert.equal(status, 200, text)
  assert.equal(text, anthropicEvents('big').join(''))
  const [received] = upstream.calls
  assert.equal(received?.path, '/v1/messages?beta=true')
  assert.equal(received?.headers['anthropic-version'], '2023-06-01')
  await call(
    '/messages/count_tokens',
    { model: 'lab/big' },
    { headers: { 'anthropic-version': '2024-01-01' } },
  )
  assert.equal(upstream.calls[1]?.headers['anthropic-version'], '2024-01-01')

  await management.done('PATCH', `/routing/connections/${connectionId}`, {
    providerSpecificData: { translate: false },
  })
  const wrongPath = await call('/chat/completions', { model: 'lab/big' })
  assert.equal(wrongPath.status, 400)
  assert.match(wrongPath.json().error.message, /POST \/v1\/messages/)
  const unknown = await call('/messages', { model: 'lab/none' })
  assert.equal(unknown.status, 404)
  assert.equal(unknown.json().type, 'error')
  assert.equal(unknown.json().error.type, 'not_found_error')
})

test('An id that no list has gets 404 in the form of OpenAI', async (t) => {
  const { upstream, call, management, connectionId } = await startWithUpstream(t)
  for (const model of [
    'none',
    'lab/none',
    '',
    'lab/',
    'lab/big\n',
    '\u0000',
    '../lab/big',
    'x'.repeat(100_000),
  ]) {
    const { status, headers, json, text } = await call('/chat/completions', { model })
    assert.equal(status, 404, text)
    assert.equal(json().error.code, 'model_not_found')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.ok(text.length < 1_000)
  }
  assert.deepEqual(upstream.calls, [])
  await management.done('PATCH', `/routing/connections/${connectionId}`, {
    providerSpecificData: { translate: false },
  })
  const wrong = await call('/messages', { model: 'lab/big' })
  assert.match(wrong.json().error.message, /chat\/completions/)
})

test('Models that only the upstream knows, combos and aliases are called', async (t) => {
  const { upstream, call, management, connect } = await startWithUpstream(t)
  await connect('open', {
    ...fieldsOf(upstream),
    providerSpecificData: { baseUrl: `${upstream.origin}/v1/` },
  })
  await management.done('POST', '/routing/combos', {
    name: 'smart',
    models: ['lab/none', 'mine', 'open/big'],
  })
  await management.done('POST', '/routing/model-aliases', { name: 'mine', target: 'lab/small' })
  for (const [model, own] of [
    ['open/big', 'big'],
    ['smart', 'small'],
    ['mine', 'small'],
  ] as const) {
    const { status, text } = await call('/chat/completions', { model })
    assert.equal(status, 200, text)
    assert.equal(upstream.calls.at(-1)?.model, own)
  }
  const { status } = await call('/chat/completions', { model: 'open/none' })
  assert.equal(status, 404)
})

test('Every id with the prefix of an upstream without GET /models is called', async (t) => {
  const { upstream, call, management, connect } = await startWithUpstream(t, { hasList: false })
  const { providerSpecificData: _, ...fields } = fieldsOf(upstream)
  await connect('open', {
    ...fields,
    providerSpecificData: { baseUrl: `${upstream.origin}/v1/` },
  })
  await management.done('POST', '/routing/combos', { name: 'smart', models: ['open/small'] })
  for (const [model, own] of [
    ['open/big', 'big'],
    ['smart', 'small'],
  ] as const) {
    const { status, text } = await call('/chat/completions', { model })
    assert.equal(status, 200, text)
    assert.equal(upstream.calls.at(-1)?.model, own)
  }
  // The upstream says so itself.
  const { status, json } = await call('/chat/completions', { model: 'open/none' })
  assert.deepEqual([status, json().error.code], [404, 'model_not_found'])
  assert.equal((await call('/chat/completions', { model: 'other/big' })).status, 404)
})

test('Every id of the list is called', async (t) => {
  const { upstream, call, url } = await startWithUpstream(t)
  const { data } = (await (
    await fetch(`${url}/v1/models`, { headers: { 'x-api-key': modelsApiKey } })
  ).json()) as { data: { id: string }[] }
  assert.deepEqual(
    data.map(({ id }) => id),
    ['lab/big', 'lab/small', 'lab/gone'],
  )
  for (const { id } of data) await call('/chat/completions', { model: id })
  assert.deepEqual(
    upstream.calls.map(({ model }) => model),
    ['big', 'small', 'gone'],
  )
})

test('Without a connection the models of the catalogue say what is missing', async (t) => {
  const { call } = await startCalling(t)
  const { status, json } = await call('/chat/completions', { model: 'openai/gpt-5' })
  assert.equal(status, 503)
  assert.match(json().error.message, /No active connection/)
})

test('Bodies whose model is unclear are refused before an upstream sees them', async (t) => {
  const { upstream, call } = await startWithUpstream(t)
  const cases = [
    ['{"model":"lab/big","model":"lab/small"}', 400],
    ['{"model":"lab/big","Model":"lab/small"}', 400],
    ['{"model":"lab/big"', 400],
    ['', 400],
    ['[]', 400],
  ] as const
  for (const [text, expected] of cases) {
    const { status, json } = await call('/chat/completions', text)
    assert.equal(status, expected, text)
    assert.equal(json().error.type, 'invalid_request_error')
  }
  const plain = { headers: { 'content-type': 'text/plain' } }
  assert.equal((await call('/chat/completions', '{"model":"lab/big"}', plain)).status, 415)
  assert.equal((await call('/audio/transcriptions', '{"model":"lab/big"}')).status, 415)
  for (const headers of [
    { 'content-type': 'application/json; charset=utf-7' },
    { 'content-type': 'application/json; charset=utf-8; charset=utf-16' },
    { 'content-encoding': 'gzip' },
  ])
    assert.equal((await call('/chat/completions', '{"model":"lab/big"}', { headers })).status, 415)
  assert.deepEqual(upstream.calls, [])
})

test('Other methods get 405, and preflights are answered without a key', async (t) => {
  const { call } = await startWithUpstream(t)
  const get = await call('/chat/completions', '', { method: 'GET' })
  assert.equal(get.status, 405)
  assert.equal(get.headers.allow, 'OPTIONS, POST')
  const { status, headers } = await call('/messages', '', {
    method: 'OPTIONS',
    headers: { authorization: '' },
  })
  assert.equal(status, 200)
  assert.equal(headers['access-control-allow-methods'], 'POST, OPTIONS')
  assert.equal(headers['access-control-allow-headers'], 'authorization, *')
  assert.equal(headers['access-control-allow-origin'], '*')
})

test('Redirects are not followed', async (t) => {
  const { upstream, call } = await startWithUpstream(t)
  upstream.behave = (_, response) => {
    response.writeHead(307, { location: `${upstream.origin}/v1/chat/completions` }).end()
  }
  const { status, headers, json } = await call('/chat/completions', { model: 'lab/big' })
  assert.equal(status, 502)
  assert.match(json().error.message, /redirects/)
  assert.equal(headers.location, undefined)
  assert.equal(upstream.calls.length, 1)
})

test('A connection of the catalogue without a known API says so', async (t) => {
  const { upstream, call, connect } = await startWithUpstream(t)
  await connect('glm', { kind: undefined, provider: 'glm', apiKey: upstream.key })
  const { status, json } = await call('/chat/completions', { model: 'glm/glm-5.3' })
  assert.equal(status, 503)
  assert.match(json().error.message, /base URL/)
})

test('An answer without an end is not whole for the client either', async (t) => {
  const { upstream, call } = await startWithUpstream(t)
  upstream.behave = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
    response.write(half)
    setImmediate(() => response.destroy())
  }
  let half = `{"half":"${'x'.repeat(70_000)}`
  const { status, isComplete, text } = await call('/chat/completions', { model: 'lab/big' })
  assert.equal(status, 200)
  assert.equal(text, half)
  assert.equal(isComplete, false)
  assert.equal(upstream.calls.length, 1)
  // Of a short one nothing has gone out, so the call is repeated, and then fails.
  half = '{"half":'
  const short = await call('/chat/completions', { model: 'lab/big' })
  assert.equal(short.status, 502)
  assert.equal(upstream.calls.length, 3)
  upstream.behave = (_, response) => sendJson(response, 200, {})
})

test('Bodies that wait for their answers have a memory together, which comes back', async (t) => {
  const { upstream, call } = await startWithUpstream(t, {}, { MODELS_BODY_MIB: '1' })
  const waiting: (() => void)[] = []
  upstream.behave = (_, response) => void waiting.push(() => sendJson(response, 200, {}))
  const large = { model: 'lab/big', padding: 'x'.repeat(1_000_000) }
  const calls = Array.from({ length: 8 }, () => call('/chat/completions', large))
  await until(() => waiting.length === 8)
  const refused = await call('/chat/completions', large)
  assert.equal(refused.status, 503)
  assert.equal(refused.headers['retry-after'], '1')
  for (const answer of waiting.splice(0)) answer()
  for (const { status } of await Promise.all(calls)) assert.equal(status, 200)
  upstream.behave = (_, response) => sendJson(response, 200, {})
  assert.equal((await call('/chat/completions', large)).status, 200)
})
