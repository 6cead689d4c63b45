import assert from 'node:assert/strict'
import OpenAI, { toFile } from 'openai'

const client = new OpenAI({ baseURL: `${process.env.ENDPOINT}/v1`, apiKey: process.env.MODELS_KEY })
const model = 'openai/big'
const messages = [{ role: 'user', content: 'Hi' }]

const answer = await client.chat.completions.create({ model, messages })
assert.equal(answer.choices[0].message.content, 'héllo')

let text = ''
const stream = await client.chat.completions.create({ model, messages, stream: true })
for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
assert.equal(text, 'héllo 🦥')

const file = await toFile(Buffer.alloc(300_000, 1), 'speech.wav')
await client.audio.transcriptions.create({ model, file })

const apps = client.withOptions({ baseURL: `${process.env.ENDPOINT}/ai/v1` })
const listed = []
for await (const { id } of apps.models.list()) listed.push(id)
assert.ok(listed.includes(model) && listed.includes('anthropic/big'), listed.join())
assert.equal((await apps.models.retrieve(model)).id, model)
await apps.chat.completions.create({ model: 'solo-openai', messages })

await assert.rejects(client.chat.completions.create({ model: 'none', messages }), { status: 404 })

const canceled = await client.chat.completions.create({
  model: 'openai/stall',
  messages,
  stream: true,
})
for await (const _ of canceled) break
