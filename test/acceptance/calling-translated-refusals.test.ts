import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Behaviour, sendJson } from '../fakes/strict-upstream.ts'
import { startWithUpstream } from '../support/calling.ts'

const user = { role: 'user', content: 'Hi' }
const toMessages = { model: 'lab/big', max_tokens: 100, messages: [user] }
const chatAnswer = {
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'big' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
}

const answers =
  (status: number, body: object): Behaviour =>
  (_, response) =>
    sendJson(response, status, body)

/** A gateway whose model has only Chat Completions. */
async function startAnswering(t: TestContext) {
  const calling = await startWithUpstream(t)
  calling.upstream.behave = answers(200, chatAnswer)
  return calling
}

/** Has no reasoning, one temperature, and another name for the limit of tokens. */
const picky: Behaviour = ({ body }, response) => {
  const sent = JSON.parse(String(body))
  const refused = (message: string, code: string) =>
    sendJson(response, 400, { error: { message, code } })
  if (sent.reasoning_effort !== undefined)
    refused('"big" does not support thinking', 'invalid_request_error')
  else if (sent.temperature !== undefined)
    refused("'temperature' does not support 0.5 with this model", 'unsupported_value')
  else if (sent.max_tokens !== undefined)
    refused(
      "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.",
      'unsupported_parameter',
    )
  else sendJson(response, 200, chatAnswer)
}

test('A call is sent again without a field that the model does not have', async (t) => {
  const { call, upstream } = await startAnswering(t)
  upstream.behave = picky
  const effort = { output_config: { effort: 'high' } }
  const first = await call('/messages', { ...toMessages, ...effort, temperature: 0.5 })
  assert.deepEqual(
    [first.status, first.headers['x-bucketry-ignored']],
    [200, 'reasoning_effort, temperature'],
  )
  assert.equal(upstream.calls.length, 4)
  // The limit has its other name at once from then on. What a call does without, others still send.
  await call('/messages', toMessages)
  const sent = JSON.parse(String(upstream.calls[4]?.body))
  assert.deepEqual([sent.max_tokens, sent.max_completion_tokens], [undefined, 100])
  assert.equal(upstream.calls.length, 5)
  upstream.behave = answers(200, chatAnswer)
  const last = await call('/messages', { ...toMessages, ...effort, temperature: 0.5 })
  const all = JSON.parse(String(upstream.calls.at(-1)?.body))
  assert.deepEqual([all.temperature, all.reasoning_effort], [0.5, 'high'])
  assert.equal(last.headers['x-bucketry-ignored'], undefined)
})

test('A limit of tokens is never left out', async (t) => {
  const { call, upstream } = await startAnswering(t)
  // vLLM, about a prompt that leaves no room.
  const message =
    "'max_tokens' or 'max_completion_tokens' is too large: 100. It leaves no room for your request."
  upstream.behave = ({ body }, response) =>
    /max_(?:completion_)?tokens/.test(String(body))
      ? sendJson(response, 400, { error: { message } })
      : sendJson(response, 200, chatAnswer)
  assert.equal((await call('/messages', toMessages)).status, 400)
  // An error that asks for the other name each time.
  const unsupported = 'max_tokens is not supported, use max_completion_tokens'
  upstream.behave = answers(400, { error: { message: unsupported } })
  assert.equal((await call('/messages', toMessages)).status, 400)
  upstream.behave = answers(200, chatAnswer)
  await call('/messages', toMessages)
  assert.equal(JSON.parse(String(upstream.calls.at(-1)?.body)).max_tokens, 100)
  for (const { body } of upstream.calls)
    assert.match(String(body), /max_(?:completion_)?tokens":100/)
})

test('The log of calls quotes neither an upstream nor a client', async (t) => {
  const { call, upstream, management } = await startAnswering(t)
  const error = { message: `cannot answer "my secret text" with ${upstream.key}` }
  // With a result beside it, it is no error until it is read.
  upstream.behave = answers(200, { ...chatAnswer, error })
  const reply = await call('/messages', toMessages)
  assert.deepEqual([reply.status, reply.json().type], [502, 'error'])
  assert.match(reply.json().error.message, /my secret text/)
  assert.doesNotMatch(reply.text, /sk-upstream/)
  const content = [{ type: 'my secret text' }]
  const body = { ...toMessages, messages: [{ role: 'user', content }] }
  assert.equal((await call('/messages', body)).status, 400)
  const logged = await management.done('GET', '/calls')
  assert.equal(logged.calls.length, 2)
  assert.doesNotMatch(JSON.stringify(logged), /secret|sk-upstream/)
})

test('What an answer without content used counts, and so does a cost that the upstream reports', async (t) => {
  const { call, upstream, management } = await startAnswering(t)
  const usage = { prompt_tokens: 9, completion_tokens: 3, cost: 0.5 }
  const choice = (content: string) => ({
    ...{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } },
  })
  upstream.behave = answers(200, { ...chatAnswer, usage, choices: [choice('')] })
  assert.equal((await call('/messages', toMessages)).status, 502)
  const failed = upstream.calls.length
  upstream.behave = answers(200, { ...chatAnswer, usage, choices: [choice('Hi')] })
  for (const stream of [false, true])
    assert.equal((await call('/messages', { ...toMessages, stream })).status, 200)
  const { rows } = await management.done('GET', '/usage')
  const [{ inputTokens, dollars, errors }] = rows
  const attempts = failed + 2
  assert.deepEqual([inputTokens, dollars, errors], [9 * attempts, 0.5 * attempts, failed])
})
