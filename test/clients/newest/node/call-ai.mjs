import assert from 'node:assert/strict'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'

const provider = createOpenAICompatible({
  name: 'bucketry',
  baseURL: `${process.env.ENDPOINT}/v1`,
  apiKey: process.env.MODELS_KEY,
})
const { textStream } = streamText({ model: provider('openai/big'), prompt: 'Hi' })
let text = ''
for await (const piece of textStream) text += piece
assert.equal(text, 'héllo 🦥')
