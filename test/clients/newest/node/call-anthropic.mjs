import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: process.env.ENDPOINT, apiKey: process.env.MODELS_KEY })
const request = {
  model: 'anthropic/big',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'Hi' }],
}

const answer = await client.messages.create(request)
assert.equal(answer.usage.output_tokens, 5)

let text = ''
for await (const event of await client.messages.create({ ...request, stream: true })) {
  if (event.type === 'content_block_delta') text += event.delta.text
}
assert.equal(text, 'héllo')

// Over an upstream that has only Chat Completions: the helper reads each event of the stream, and knows their order.
const input_schema = { type: 'object', properties: {} }
const withTools = {
  ...{ ...request, model: 'openai/big', thinking: { type: 'enabled', budget_tokens: 1024 } },
  tools: ['read', 'list'].map((name) => ({ name, input_schema })),
}
const blocks = []
const stream = client.messages.stream({ ...withTools, max_tokens: 2048 })
const { content, stop_reason, usage } = await stream
  .on('contentBlock', ({ type }) => blocks.push(type))
  .finalMessage()
assert.deepEqual(blocks, ['thinking', 'text', 'tool_use', 'tool_use'])
assert.deepEqual(
  content.map(({ thinking, text, input }) => thinking ?? text ?? input),
  ['Both at once.', 'Looking.', { path: 'a.txt' }, { all: true }],
)
assert.deepEqual([stop_reason, usage.output_tokens], ['tool_use', 13])
const results = content
  .filter(({ type }) => type === 'tool_use')
  .map(({ id: tool_use_id }) => ({ type: 'tool_result', tool_use_id, content: 'done' }))
const next = [
  { role: 'assistant', content },
  { role: 'user', content: results },
]
const last = client.messages.stream({
  ...{ ...withTools, max_tokens: 2048 },
  messages: [...request.messages, ...next],
})
assert.equal(await last.finalText(), 'héllo 🦥')

await client.messages.countTokens({ model: request.model, messages: request.messages })

const apps = client.withOptions({ baseURL: `${process.env.ENDPOINT}/ai` })
const listed = []
for await (const { id, display_name } of apps.models.list({ limit: 2 })) {
  listed.push(id)
  assert.equal(display_name, id)
}
assert.equal(new Set(listed).size, 6, listed.join())
assert.equal((await apps.models.retrieve('solo-anthropic')).type, 'model')
await assert.rejects(apps.models.retrieve('none'), { status: 404 })
await apps.messages.create({ ...request, model: 'solo-anthropic' })

await assert.rejects(client.messages.create({ ...request, model: 'none' }), { status: 404 })
