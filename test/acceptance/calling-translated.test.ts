import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import OpenAI from 'openai'
import { type Behaviour, StrictUpstream, sendJson, streamHead } from '../fakes/strict-upstream.ts'
import { fieldsOf, modelsApiKey, startCalling, startWithUpstream } from '../support/calling.ts'

const user = { role: 'user', content: 'Hi' }
const toMessages = { model: 'lab/big', max_tokens: 100, messages: [user] }
const toChat = { model: 'lab/big', messages: [user] }

const chatAnswer = {
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'big' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'héllo' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
}
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'big' },
  choices: [{ index: 0, delta, finish_reason }],
})
const tool = (index: number, made: object, id?: string) =>
  chunk({ tool_calls: [{ index, id, type: id && 'function', function: made }] })
/** Reasoning, text, and two calls of tools that are interleaved. */
const chatChunks = [
  ...[chunk({ role: 'assistant', content: '' }), chunk({ reasoning_content: 'Hm' })],
  ...[chunk({ content: 'hé' }), chunk({ content: 'llo 🦥' })],
  ...[tool(0, { name: 'f', arguments: '{"x"' }, 'a'), tool(1, { name: 'g', arguments: '{' }, 'b')],
  ...[tool(0, { arguments: ':1}' }), tool(1, { arguments: '"y":2}' })],
  chunk({}, 'tool_calls'),
  { ...chunk({}), choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } },
]
const sse = (events: readonly object[], end = 'data: [DONE]\n\n') =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + end

const messagesAnswer = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'big', stop_reason: 'tool_use' },
  content: [
    { type: 'text', text: 'héllo' },
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } },
  ],
  usage: { input_tokens: 9, output_tokens: 3 },
}
const messagesEvents = [
  { type: 'message_start', message: { ...messagesAnswer, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'héllo 🦥' } },
  { type: 'content_block_stop', index: 0 },
  {
    ...{ type: 'content_block_start', index: 1 },
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
  },
  {
    ...{ type: 'content_block_delta', index: 1 },
    delta: { type: 'input_json_delta', partial_json: '{"x":1}' },
  },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
]
const messagesStream = messagesEvents.map((one) => `event: ${one.type}\n${sse([one], '')}`).join('')

const streams =
  (text: string): Behaviour =>
  (_, response) =>
    void response.writeHead(200, streamHead).end(text)
const answers =
  (status: number, body: object): Behaviour =>
  (_, response) =>
    sendJson(response, status, body)

/** The `data` of events. */
const eventsOf = (text: string) =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    data === '[DONE]' ? data : JSON.parse(data),
  )

async function startOpenAi(t: TestContext) {
  const calling = await startWithUpstream(t)
  calling.upstream.behave = answers(200, chatAnswer)
  return calling
}

async function startAnthropic(t: TestContext) {
  const calling = await startWithUpstream(t, { flavour: 'anthropic' })
  calling.upstream.behave = answers(200, messagesAnswer)
  return calling
}

test('Messages are answered by a model that has only Chat Completions', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const headers = { 'anthropic-beta': 'x', 'anthropic-version': '2023-06-01', 'user-agent': 'cc/2' }
  const body = { ...toMessages, metadata: { user_id: 'u' }, top_k: 3, system: 'Be good.' }
  const reply = await call('/messages?beta=true', body, {
    headers: { authorization: `Bearer ${modelsApiKey}`, ...headers },
  })
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.json().content, [{ type: 'text', text: 'héllo' }])
  assert.deepEqual([reply.json().stop_reason, reply.json().usage.input_tokens], ['end_turn', 9])
  assert.equal(reply.headers['x-bucketry-translated'], 'chat')
  assert.equal(reply.headers['x-bucketry-ignored'], 'metadata, top_k')
  assert.equal(reply.headers['x-bucketry-attempts'], '1')
  assert.equal(reply.headers['content-type'], 'application/json')
  const [got] = upstream.calls
  assert.equal(got?.path, '/v1/chat/completions')
  assert.deepEqual(JSON.parse(String(got?.body)), {
    ...{ model: 'big', max_tokens: 100 },
    messages: [{ role: 'system', content: 'Be good.' }, user],
  })
  assert.equal(got?.headers['user-agent'], 'cc/2')
  assert.deepEqual(
    Object.keys(got?.headers ?? {}).filter((name) => name.startsWith('anthropic')),
    [],
  )
})

test('A stream of Messages comes in the order that Anthropic documents, in pieces of any size', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const text = sse(chatChunks).replaceAll('\n', '\r\n')
  upstream.behave = async (_, response) => {
    response.writeHead(200, streamHead)
    for (const byte of Buffer.from(text)) response.write(Buffer.of(byte))
    response.end()
  }
  const reply = await call('/messages', { ...toMessages, stream: true })
  assert.match(String(reply.headers['content-type']), /^text\/event-stream/)
  assert.ok(reply.isComplete)
  const events = eventsOf(reply.text)
  const starts = events.filter(({ type }) => type === 'content_block_start')
  assert.deepEqual(
    starts.map(({ content_block }) => content_block.type),
    ['thinking', 'text', 'tool_use', 'tool_use'],
  )
  assert.deepEqual(events.at(-2).delta, { stop_reason: 'tool_use', stop_sequence: null })
  assert.deepEqual([events.at(-2).usage.input_tokens, events.at(-2).usage.output_tokens], [9, 5])
  assert.equal(events.at(-1).type, 'message_stop')
  assert.ok(reply.text.includes('llo 🦥'))
})

test("OpenAI's SDK streams Responses from a model that has only Chat Completions", async (t) => {
  const { url, upstream } = await startOpenAi(t)
  const chat = streams(sse(chatChunks))
  upstream.behave = (got, response) =>
    got.path === '/v1/responses'
      ? sendJson(response, 404, { detail: 'Not Found' })
      : chat(got, response)
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: modelsApiKey, maxRetries: 0 })
  const tools = ['f', 'g'].map((name) => ({
    ...{ type: 'function' as const, name, strict: false, parameters: { type: 'object' } },
  }))
  const stream = client.responses.stream({ model: 'lab/big', input: 'Hi', tools, store: false })
  let text = ''
  for await (const event of stream)
    if (event.type === 'response.output_text.delta') text += event.delta
  const response = await stream.finalResponse()
  assert.equal(text, 'héllo 🦥')
  assert.equal(response.output_text, text)
  assert.deepEqual(
    response.output.map(({ type }) => type),
    ['reasoning', 'message', 'function_call', 'function_call'],
  )
  assert.equal(response.usage?.total_tokens, 14)
  assert.deepEqual(
    upstream.calls.map(({ path }) => path),
    ['/v1/responses', '/v1/chat/completions'],
  )
})

test('Responses are translated only if the upstream does not have their path', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const paths = () => upstream.calls.splice(0).map(({ path }) => path)
  const body = { model: 'lab/big', input: 'Hi' }
  upstream.behave = answers(500, { error: { message: 'broken' } })
  assert.equal((await call('/responses', body)).status, 500)
  assert.ok(paths().every((path) => path === '/v1/responses'))
  upstream.behave = (got, response) =>
    got.path === '/v1/responses'
      ? sendJson(response, 404, { message: 'no Route matched with those values' })
      : answers(200, chatAnswer)(got, response)
  const first = await call('/responses', body)
  assert.deepEqual([first.status, first.json().output[0].content[0].text], [200, 'héllo'])
  assert.deepEqual(paths(), ['/v1/responses', '/v1/chat/completions'])
  assert.equal((await call('/responses', body)).headers['x-bucketry-translated'], 'chat')
  assert.deepEqual(paths(), ['/v1/chat/completions'])
  const tools = [{ type: 'web_search' }]
  const refused = await call('/responses', { ...body, tools })
  assert.match(
    refused.json().error.message,
    /tools\.0\.type.*web_search.*In Codex, set web_search = "disabled" in config\.toml/,
  )
})

test("OpenAI's SDK gets Chat Completions and Responses from a model of Anthropic", async (t) => {
  const { url, upstream } = await startAnthropic(t)
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: modelsApiKey, maxRetries: 0 })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const answer = await client.chat.completions.create({ model: 'lab/big', messages })
  assert.equal(answer.choices[0]?.message.content, 'héllo')
  assert.equal(answer.usage?.total_tokens, 12)
  const response = await client.responses.create({ model: 'lab/big', input: 'Hi' })
  assert.equal(response.output_text, 'héllo')
  upstream.behave = streams(messagesStream)
  const stream = client.chat.completions.stream({ model: 'lab/big', messages })
  const { choices } = await stream.finalChatCompletion()
  assert.equal(choices[0]?.message.content, 'héllo 🦥')
  const [made] = choices[0]?.message.tool_calls ?? []
  assert.deepEqual(
    [made?.id, made?.type === 'function' && made.function.arguments],
    ['toolu_1', '{"x":1}'],
  )
  const streamed = await client.responses.stream({ model: 'lab/big', input: 'Hi' }).finalResponse()
  assert.equal(streamed.output_text, 'héllo 🦥')
  assert.ok(upstream.calls.every(({ path }) => path === '/v1/messages'))
})

test('A connection with the API of the client is preferred, and its bytes are passed on', async (t) => {
  const { call, connect, management } = await startCalling(t)
  const openai = await StrictUpstream.start(t, { flavour: 'openai' })
  const anthropic = await StrictUpstream.start(t, { flavour: 'anthropic' })
  openai.behave = answers(200, chatAnswer)
  await connect('a', fieldsOf(openai))
  await connect('b', fieldsOf(anthropic))
  await management.done('POST', '/routing/combos', { name: 'both', models: ['a/big', 'b/big'] })
  const body = { ...toMessages, model: 'both' }
  const native = await call('/messages', body)
  assert.equal(native.headers['x-bucketry-translated'], undefined)
  assert.deepEqual([openai.calls.length, anthropic.calls.length], [0, 1])
  const busy = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
  anthropic.behave = answers(529, busy)
  const translated = await call('/messages', body)
  assert.deepEqual([translated.status, translated.headers['x-bucketry-translated']], [200, 'chat'])
  assert.equal(translated.headers['x-bucketry-attempts'], '2')
  // What cannot be translated is not the reason why the call fails.
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
  const refused = await call('/messages', { ...body, tools })
  assert.deepEqual([refused.status, refused.json().error.message], [529, 'busy'])
})

test('Fields that change the answer are refused, and those of other models never reach an upstream', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const refused = await call('/messages', {
    ...toMessages,
    tools: [{ type: 'bash_20250124', name: 'bash' }],
  })
  assert.equal(refused.status, 400)
  assert.equal(refused.json().type, 'error')
  assert.match(refused.json().error.message, /tools\.0\.type.*bash_20250124/)
  const smuggled = {
    ...toMessages,
    ...{ models: ['small'], fallbacks: [{ model: 'small' }], extra_body: { model: 'small' } },
    messages: [{ ...user, model: 'small' }],
    metadata: { model: 'small' },
  }
  const reply = await call('/messages', smuggled)
  assert.equal(reply.status, 200)
  assert.doesNotMatch(String(upstream.calls[0]?.body), /small/)
  assert.equal(upstream.calls.length, 1)
})

test('Responses that need what is stored are refused by a model without Responses', async (t) => {
  const { call } = await startAnthropic(t)
  const reply = await call('/responses', { ...toChat, input: 'Hi', previous_response_id: 'resp_1' })
  assert.deepEqual([reply.status, reply.json().error.code], [400, 'previous_response_not_found'])
})

test('Errors of the upstream come in the form of the client', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const error = {
    message: 'maximum context length is 10 tokens',
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
  }
  upstream.behave = answers(400, { error })
  const long = await call('/messages', toMessages)
  assert.deepEqual(
    [long.status, long.json()],
    [
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: `prompt is too long: ${error.message}` },
      },
    ],
  )
  upstream.behave = answers(401, { error: { message: `bad key ${upstream.key}` } })
  const refused = await call('/messages', toMessages)
  assert.equal(refused.status, 502)
  assert.doesNotMatch(refused.text, /sk-upstream/)
})

test('An error of Anthropic, for a client of Chat Completions', async (t) => {
  const { call, upstream } = await startAnthropic(t)
  upstream.behave = answers(400, {
    type: 'error',
    error: { type: 'invalid_request_error', message: `no ${upstream.key}` },
  })
  const reply = await call('/chat/completions', toChat)
  assert.equal(reply.status, 400)
  assert.deepEqual(reply.json(), {
    error: { message: 'no ***', type: 'invalid_request_error', code: 'invalid_request_error' },
  })
})

test('A stream that ends with an error, breaks off, or is too large has no end', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const begun = chatChunks.slice(0, 3)
  upstream.behave = streams(sse([...begun, { error: { message: 'broken', code: 500 } }]))
  const failed = await call('/messages', { ...toMessages, stream: true })
  assert.deepEqual(eventsOf(failed.text).at(-1), {
    type: 'error',
    error: { type: 'api_error', message: 'broken' },
  })
  assert.doesNotMatch(failed.text, /message_stop/)
  for (const behave of [
    streams(sse(begun, '')),
    (_, response) =>
      void response.writeHead(200, streamHead).write(sse(begun, ''), () => response.destroy()),
  ] satisfies Behaviour[]) {
    upstream.behave = behave
    const cut = await call('/messages', { ...toMessages, stream: true })
    assert.equal(cut.isComplete, false)
    assert.match(cut.text, /hé/)
    assert.doesNotMatch(cut.text, /message_stop/)
  }
})

test('59: an error before any content is an HTTP error in the form of the client', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const error = { message: 'Too many requests', code: 429 }
  upstream.behave = streams(sse([chunk({ role: 'assistant', content: '' }), { error }]))
  const reply = await call('/messages', { ...toMessages, stream: true })
  assert.deepEqual(
    [reply.status, reply.json()],
    [429, { type: 'error', error: { type: 'rate_limit_error', message: error.message } }],
  )
})

test('An event of 5 MB is translated', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const text = 'x'.repeat(5_000_000)
  upstream.behave = streams(sse([chunk({ content: text }), chunk({}, 'stop')]))
  const reply = await call('/messages', { ...toMessages, stream: true })
  assert.ok(reply.text.includes(text))
  assert.match(reply.text, /message_stop/)
})

test('An empty answer is an error', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const empty = {
    ...chatAnswer,
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
  }
  upstream.behave = answers(200, empty)
  const alone = await call('/messages', toMessages)
  assert.equal(alone.status, 502)
  assert.match(alone.json().error.message, /empty/)
})

test('Tokens of a message are estimated, and marked as such, without asking the upstream', async (t) => {
  const { call, upstream } = await startOpenAi(t)
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(100_000) }
  const content = [
    { type: 'text', text: 'word '.repeat(1_000) },
    { type: 'image', source },
  ]
  const reply = await call('/messages/count_tokens', {
    model: 'lab/big',
    messages: [{ role: 'user', content }],
  })
  assert.equal(reply.status, 200)
  assert.ok(reply.json().input_tokens > 2_000 && reply.json().input_tokens < 4_000)
  assert.equal(reply.headers['x-bucketry-estimated'], 'input_tokens')
  assert.equal(upstream.calls.length, 0)
})

test('A connection that does not translate refuses the other API', async (t) => {
  const upstream = await StrictUpstream.start(t)
  const { call, connect } = await startCalling(t)
  const fields = fieldsOf(upstream)
  await connect('lab', {
    ...fields,
    providerSpecificData: { ...fields.providerSpecificData, translate: false },
  })
  const reply = await call('/messages', toMessages)
  assert.equal(reply.status, 400)
  assert.match(reply.json().error.message, /another API/)
})
