import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import OpenAI, { toFile } from 'openai'
import {
  type Behaviour,
  type ReceivedCall,
  StrictUpstream,
  sendEvents,
  sendJson,
} from '../fakes/strict-upstream.ts'
import { type Calling, fieldsOf, modelsApiKey, startCalling } from '../support/calling.ts'

/** Two accounts of one provider; each answers with responses of its own, and knows no others. */
async function startAccounts(t: TestContext) {
  const one = await StrictUpstream.start(t, { key: 'sk-first-key-aaaaaaaaaaaa' })
  const two = await StrictUpstream.start(t, { key: 'sk-second-key-bbbbbbbbbbb' })
  const calling = await startCalling(t)
  await calling.connect('lab', fieldsOf(one))
  const { connections } = await calling.management.done('GET', '/routing')
  const { kind: _, ...fields } = fieldsOf(two)
  const { provider } = connections[0]
  await calling.connect('lab', { ...fields, kind: undefined, provider })
  one.behave = account('one')
  two.behave = account('two')
  return { ...calling, one, two }
}

function account(name: string): Behaviour {
  const stored = new Map<string, object>()
  return (call, response) => {
    const made = answer(call, { name, stored })
    if (Array.isArray(made)) sendEvents(response, made)
    else sendJson(response, 'error' in made && made.error !== null ? 404 : 200, made)
  }
}

function answer(
  { path, method, body }: ReceivedCall,
  { name, stored }: { readonly name: string; readonly stored: Map<string, object> },
): object | string[] {
  const [, , id, rest] = new URL(path, 'http://h').pathname.slice(1).split('/')
  const found = stored.get(id ?? '')
  const missing = { error: { message: `Response with id '${id}' not found.`, type: 'x' } }
  if (id !== undefined && found === undefined) return missing
  if (rest === 'input_items') return { object: 'list', data: [{ name }] }
  if (rest === 'cancel') return { ...found, status: 'cancelled' }
  if (method === 'DELETE') return { id, object: 'response', deleted: true }
  if (found !== undefined) return found
  const { previous_response_id: previous, stream } = JSON.parse(String(body))
  if (previous !== undefined && !stored.has(previous)) return missing
  const made = {
    ...{ id: `resp_${name}_${stored.size}`, object: 'response', status: 'completed', error: null },
    output: [{ type: 'message', content: [{ type: 'output_text', text: name }] }],
    usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 },
  }
  stored.set(made.id, made)
  if (stream !== true) return made
  const event = (type: string, content: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...content })}\n\n`
  return [
    event('response.created', { response: { ...made, output: [], status: 'in_progress' } }),
    event('response.output_text.delta', { delta: name }),
    event('response.completed', { response: made }),
  ]
}

const client = ({ url }: Pick<Calling, 'url'>, apiKey = modelsApiKey) =>
  new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 })

const nameOf = (id: string) => id.split('_')[1]

test('Requests about a response go to the account that has it', async (t) => {
  const { one, two, ...calling } = await startAccounts(t)
  const openai = client(calling)
  const made = new Set<string>()
  for (let count = 0; count < 16; count += 1) {
    const input = `question ${count}`
    const stream = count % 2 === 1
    let id = ''
    if (stream) {
      for await (const event of await openai.responses.create({ model: 'lab/big', input, stream }))
        if (event.type === 'response.created') id = event.response.id
    } else id = (await openai.responses.create({ model: 'lab/big', input })).id
    made.add(nameOf(id) ?? '')
    assert.equal((await openai.responses.retrieve(id)).id, id)
    assert.equal((await openai.responses.cancel(id)).status, 'cancelled')
    const { data } = await openai.responses.inputItems.list(id, { limit: 5 })
    assert.deepEqual(data, [{ name: nameOf(id) }])
    const next = await openai.responses.create({
      ...{ model: 'lab/big', input: `again ${count}`, previous_response_id: id },
    })
    assert.equal(nameOf(next.id), nameOf(id))
    await openai.responses.delete(id)
  }
  assert.deepEqual([...made].toSorted(), ['one', 'two'])
  const sent = [...one.calls, ...two.calls].filter(({ path }) => path.includes('input_items'))
  assert.equal(sent.length, 16)
  for (const { path, method, body, headers } of sent) {
    assert.match(path, /^\/v1\/responses\/resp_(one|two)_\d+\/input_items\?limit=5$/)
    assert.deepEqual([method, body.length, headers['content-type']], ['GET', 0, undefined])
  }
  // What a stored response says of its tokens was counted when it was made.
  const { rows } = await calling.management.done('GET', '/usage')
  const tokens = rows.reduce(
    (sum: number, row: { inputTokens: number }) => sum + row.inputTokens,
    0,
  )
  assert.equal(tokens, 32 * 7)
})

test('A response is only for the key that made it', async (t) => {
  const { one, two, ...calling } = await startAccounts(t)
  const { management } = calling
  const { secret } = await management.done('POST', '/model-keys', { name: 'a' })
  const { secret: other } = await management.done('POST', '/model-keys', { name: 'b' })
  const { id } = await client(calling, secret).responses.create({ model: 'lab/big', input: 'x' })
  const sent = () => one.calls.length + two.calls.length
  const before = sent()
  for (const key of [other, modelsApiKey]) {
    const openai = client(calling, key)
    const notFound = { status: 404, message: `404 Response with id '${id}' not found.` }
    await assert.rejects(openai.responses.retrieve(id), notFound)
    await assert.rejects(openai.responses.delete(id), notFound)
    await assert.rejects(openai.responses.cancel(id), notFound)
    await assert.rejects(openai.responses.inputItems.list(id).then(), notFound)
    const foreign = { model: 'lab/big', input: 'x', previous_response_id: id }
    await assert.rejects(openai.responses.create(foreign), {
      ...{ status: 400, code: 'previous_response_not_found' },
    })
  }
  assert.equal(sent(), before)
  assert.equal((await client(calling, secret).responses.retrieve(id)).id, id)
})

test('Only the key that made a response continues it, however its ID is written', async (t) => {
  const { one, two, ...calling } = await startAccounts(t)
  const { secret } = await calling.management.done('POST', '/model-keys', { name: 'a' })
  const headers = { authorization: `Bearer ${secret}` }
  const { json } = await calling.call('/responses', { model: 'lab/big', input: 'x' })
  const { id } = json()
  const inConversation = { model: 'lab/big', input: 'x', conversation: 'conv_1' }
  assert.equal((await calling.call('/responses', inConversation)).status, 200)
  const sent = one.calls.length + two.calls.length
  // Spaces do not count. A value of more than 4 KiB is not read.
  const spaces = ' '.repeat(5_000)
  const object = `{"id":"conv_1","x":"${spaces}"}`
  for (const [field, status] of [
    [`"previous_response_id":${spaces}"${id}"`, 400],
    [`"previous\\u005fresponse_id":"${id}"`, 400],
    [`"conversation":"conv_1"${spaces}`, 404],
    [`"conversation":${object}`, 400],
    ['"conversation":"conv_1"', 404],
    ['"conversation":{"id":"conv_1"}', 404],
  ] as const) {
    const body = `{"model":"lab/big","input":"x",${field}}`
    assert.equal((await calling.call('/responses', body, { headers })).status, status, field)
  }
  assert.equal(one.calls.length + two.calls.length, sent)
  assert.equal((await calling.call('/responses', inConversation)).status, 200)
})

test('A response is known by its ID wherever its stream has it', async (t) => {
  const { one, two, ...calling } = await startAccounts(t)
  const event = { type: 'response.created', response: { object: 'response', id: 'resp_last' } }
  const done = { type: 'response.completed', response: event.response }
  const delta = { type: 'response.output_text.delta', delta: 'x' }
  const written = [event, delta, done].map((made) => `data: ${JSON.stringify(made)}\n\n`)
  one.behave = (_, response) => sendEvents(response, written)
  two.behave = one.behave
  await calling.call('/responses', { model: 'lab/big', input: 'x', stream: true })
  one.behave = (_, response) => sendJson(response, 200, event.response)
  two.behave = one.behave
  const found = await calling.call('/responses/resp_last', '', { method: 'GET' })
  assert.deepEqual([found.status, found.json().id], [200, 'resp_last'])
})

test('IDs that nothing is known of reach no upstream, whatever they contain', async (t) => {
  const { one, two, call } = await startAccounts(t)
  const ids = [
    'resp_none',
    '..',
    '.',
    '%2e%2e',
    '%2E%2E%2Fmodels',
    'a%00b',
    'a%2Fb',
    'é',
    '*',
    '%20',
  ]
  for (const id of [...ids, 'x'.repeat(1_000)]) {
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/cancel'],
      ['GET', '/input_items'],
    ] as const) {
      const { status } = await call(`/responses/${id}${rest}`, '', { method })
      assert.ok(status === 404 || status === 405, `${method} ${id}${rest}: ${status}`)
    }
  }
  assert.equal(one.calls.length + two.calls.length, 0)
})

test('A response that is not stored, or has an odd ID, is passed on and forgotten', async (t) => {
  const { one, two, call } = await startAccounts(t)
  const odd: Behaviour = (_, response) => sendJson(response, 200, { id: '../models', output: [1] })
  one.behave = odd
  two.behave = odd
  assert.equal((await call('/responses', { model: 'lab/big', input: 'x' })).status, 200)
  assert.equal((await call('/responses/..%2Fmodels', '', { method: 'GET' })).status, 404)
  one.behave = account('one')
  two.behave = account('two')
  const reply = await call('/responses', { model: 'lab/big', input: 'x', store: false })
  assert.equal((await call(`/responses/${reply.json().id}`, '', { method: 'GET' })).status, 404)
})

test('A conversation stays on the account that knows it', async (t) => {
  const { one, two, call } = await startAccounts(t)
  for (let count = 0; count < 12; count += 1) {
    const conversation = count % 2 === 0 ? 'conv_1' : { id: 'conv_1' }
    const body = { model: 'lab/big', input: `question ${count}`, conversation }
    assert.equal((await call('/responses', body)).status, 200)
  }
  assert.deepEqual([one.calls.length, two.calls.length].toSorted(), [0, 12])
})

test('It stays there also while the account fails for a moment', async (t) => {
  const { one, two, call } = await startAccounts(t)
  const first = await call('/responses', { model: 'lab/big', input: 'x' })
  const { id } = first.json()
  const [own, other] = nameOf(id) === 'one' ? [one, two] : [two, one]
  const { behave } = own
  own.behave = (_, response) => sendJson(response, 503, { error: { message: 'Overloaded' } })
  const next = { model: 'lab/big', input: 'y', previous_response_id: id }
  assert.equal((await call('/responses', next)).status, 503)
  assert.equal(other.calls.length, 0)
  own.behave = behave
  assert.equal((await call('/responses', next)).status, 200)
  assert.equal(other.calls.length, 0)
})

test('Moderations, edits of images, reranking and counts reach their path', async (t) => {
  const { one, two, ...calling } = await startAccounts(t)
  const echo: Behaviour = ({ path, model }, response) =>
    sendJson(response, 200, { path, model, data: [1], results: [1], input_tokens: 3 })
  one.behave = echo
  two.behave = echo
  const openai = client(calling)
  const pathOf = (reply: unknown) => (reply as { path: string; model: string }).path
  const moderated = await openai.moderations.create({ model: 'lab/big', input: 'x' })
  assert.equal(pathOf(moderated), '/v1/moderations')
  const image = await toFile(Buffer.from('png'), 'a.png', { type: 'image/png' })
  const edited = await openai.images.edit({
    model: 'lab/small',
    image: [image, image],
    prompt: 'x',
  })
  assert.deepEqual(
    [pathOf(edited), (edited as unknown as { model: string }).model],
    ['/v1/images/edits', 'small'],
  )
  const counted = await openai.responses.inputTokens.count({ model: 'lab/big', input: 'x' })
  assert.equal(pathOf(counted), '/v1/responses/input_tokens')
  for (const path of ['/rerank', '/responses/compact']) {
    const { json } = await calling.call(path, { model: 'lab/big', query: 'x', documents: ['a'] })
    assert.equal(json().path, `/v1${path}`)
  }
})

test('Who uses a wrong address, or a path that is not forwarded, learns what to use', async (t) => {
  const { url, call } = await startCalling(t)
  const doubled = await call('/v1/chat/completions', { model: 'a' })
  assert.equal(doubled.status, 404)
  assert.match(doubled.json().error.message, /Use \/v1\/chat\/completions\./)
  for (const path of ['/files', '/files/file-1/content', '/batches', '/batches/b/cancel']) {
    const { status, json } = await call(path, {})
    assert.equal(status, 404)
    assert.match(json().error.message, /belongs to one account. Send it to the provider/)
  }
  await assert.rejects(
    client({ url: `${url}/v1` })
      .models.list()
      .then(),
    /Use \/v1\/models/,
  )
  const openai = new OpenAI({ apiKey: modelsApiKey, baseURL: url, maxRetries: 0 })
  await assert.rejects(
    openai.chat.completions.create({ model: 'a', messages: [] }),
    /403.*AccessDenied.*Models are called at \/v1\/chat\/completions/s,
  )
})

test('Only calls of models get that message at the root', async (t) => {
  const { url } = await startCalling(t)
  const bearer = { authorization: 'Bearer x' }
  const json = { 'content-type': 'application/json' }
  for (const [path, method, headers] of [
    ['/chat/completions', 'POST', json],
    ['/chat/completions', 'PUT', { ...bearer, ...json }],
    ['/chat/completions', 'POST', bearer],
    ['/chat/other', 'POST', { ...bearer, ...json }],
    ['/chat/completions?uploads', 'POST', { ...bearer, ...json }],
  ] as const) {
    const reply = await fetch(url + path, { method, headers, body: '{}' })
    assert.ok(reply.status >= 400)
    assert.doesNotMatch(await reply.text(), /Models are called/)
  }
})

test('A WebSocket is refused with 426, so that Codex uses HTTP', async (t) => {
  const { call } = await startCalling(t)
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const refused = await call('/responses', '', { method: 'GET', headers })
  assert.equal(refused.status, 426)
  assert.match(refused.json().error.message, /POST \/v1\/responses/)
  const plain = await call('/responses', '', { method: 'GET' })
  assert.deepEqual([plain.status, plain.headers.allow], [405, 'OPTIONS, POST'])
})

test('Preflights of stored responses name their methods', async (t) => {
  const { call } = await startCalling(t)
  const { headers } = await call('/responses/resp_1', '', { method: 'OPTIONS' })
  assert.equal(headers['access-control-allow-methods'], 'GET, DELETE, OPTIONS')
})
