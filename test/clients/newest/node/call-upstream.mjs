import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { toFile } from 'openai'

/** Prints what clients get of the models at an endpoint, as JSON, for a comparison with another endpoint. */
const { ENDPOINT, MODELS_KEY: apiKey, OPENAI_MODEL, ANTHROPIC_MODEL, WAV, IMAGE } = process.env
const openai = new OpenAI({ baseURL: `${ENDPOINT}/v1`, apiKey, maxRetries: 0 })
const anthropic = new Anthropic({ baseURL: ENDPOINT, apiKey, maxRetries: 0 })
const say = (content) => ({ model: OPENAI_MODEL, messages: [{ role: 'user', content }] })
const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const weather = { name: 'weather', description: 'of a city 🌦', parameters }
const tools = [{ type: 'function', function: weather }]
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex')

async function bytesOf(call) {
  const answer = await call.asResponse()
  const body = new Uint8Array(await answer.arrayBuffer())
  return { status: answer.status, type: answer.headers.get('content-type'), hash: hash(body) }
}

async function textOf(stream, textIn) {
  let text = ''
  for await (const event of await stream) text += textIn(event) ?? ''
  return { length: text.length, hash: hash(text) }
}

const openAiText = (chunk) => chunk.choices[0]?.delta.content
const responseText = (event) =>
  event.type === 'response.output_text.delta' ? event.delta : undefined
const anthropicText = (event) => event.delta?.text
const chat = openai.chat.completions
const claude = { ...say('long'), model: ANTHROPIC_MODEL, max_tokens: 1000 }
const picture = [
  { type: 'text', text: 'what is this' },
  {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${readFileSync(IMAGE, 'base64')}` },
  },
]
const options = { stream: true, stream_options: { include_usage: true } }
const file = () => toFile(readFileSync(WAV), 'speech.wav', { type: 'audio/wav' })

const calls = {
  answer: () => chat.create(say('short')),
  stream: () => textOf(chat.create({ ...say('long'), ...options }), openAiText),
  bytes: () => bytesOf(chat.create({ ...say('long'), ...options })),
  tool: () => chat.create({ ...say('weather'), tools }),
  'streamed tool': () => bytesOf(chat.create({ ...say('weather'), tools, stream: true })),
  image: () => chat.create(say(picture)),
  response: async () =>
    (await openai.responses.create({ model: OPENAI_MODEL, input: 'short' })).output_text,
  'response stream': () =>
    textOf(
      openai.responses.create({ model: OPENAI_MODEL, input: 'long', stream: true }),
      responseText,
    ),
  'response tool': async () => {
    const tools = [{ type: 'function', strict: false, ...weather }]
    const asked = { model: OPENAI_MODEL, input: 'weather', tools }
    const { output } = await openai.responses.create(asked)
    return output.map(({ type, name, arguments: given }) => ({ type, name, given }))
  },
  embedding: () => openai.embeddings.create({ model: OPENAI_MODEL, input: ['a', 'ü 🦥'] }),
  transcription: async () =>
    await openai.audio.transcriptions.create({ model: OPENAI_MODEL, file: await file() }),
  'wrong request': () => chat.create(say('too hot')),
  message: () => anthropic.messages.create({ ...claude, messages: say('short').messages }),
  'message stream': () =>
    textOf(anthropic.messages.create({ ...claude, stream: true }), anthropicText),
  'message bytes': () => bytesOf(anthropic.messages.create({ ...claude, stream: true })),
  canceled: async () => {
    const stream = await chat.create({ ...say('endless'), stream: true })
    for await (const chunk of stream) if (openAiText(chunk)) return chunk
  },
}

const results = {}
for (const name of process.env.CALLS.split(',')) {
  results[name] = await calls[name]().catch(({ status, error, message }) => ({
    ...{ status, error, message },
  }))
}
console.log(JSON.stringify(results))
