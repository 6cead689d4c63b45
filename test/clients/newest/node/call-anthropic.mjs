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
