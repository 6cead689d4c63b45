import assert from 'node:assert/strict'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, streamText } from 'ai'

const provider = createOpenAICompatible({
  name: 'bucketry',
  baseURL: `${process.env.ENDPOINT}/v1`,
  apiKey: process.env.MODELS_KEY,
})
const { textStream } = streamText({ model: provider('openai/big'), prompt: 'Hi' })
let text = ''
for await (const piece of textStream) text += piece
assert.equal(text, 'héllo 🦥')

// It knows the limits of models by their own names, without a prefix.
const anthropic = createAnthropic({
  baseURL: `${process.env.ENDPOINT}/ai/v1`,
  apiKey: process.env.MODELS_KEY,
})
const answer = await generateText({ model: anthropic('solo-anthropic'), prompt: 'Hi' })
assert.equal(answer.text, 'héllo')
