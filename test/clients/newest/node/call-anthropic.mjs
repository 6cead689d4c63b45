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

await assert.rejects(client.messages.create({ ...request, model: 'none' }), { status: 404 })
