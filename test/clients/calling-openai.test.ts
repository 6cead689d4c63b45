import assert from 'node:assert/strict'
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import OpenAI, { APIError } from 'openai'
import { openAiEvents, sendEvents, sendJson, streamHead } from '../fakes/strict-upstream.ts'
import { modelsApiKey, startWithUpstream } from '../support/calling.ts'

async function start(t: TestContext) {
  const calling = await startWithUpstream(t)
  const client = new OpenAI({ baseURL: `${calling.url}/v1`, apiKey: modelsApiKey, maxRetries: 0 })
  return { ...calling, client }
}

const messages = [{ role: 'user' as const, content: 'Hi' }]

test('The SDK of OpenAI streams, with tools and images', async (t) => {
  const { client, upstream } = await start(t)
  const image = `data:image/png;base64,${Buffer.alloc(100_000, 3).toString('base64')}`
  const stream = await client.chat.completions.create({
    model: 'lab/big',
    stream: true,
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: image } }] }],
  })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  assert.equal(text, 'héllo 🦥')
  const sent = JSON.parse(String(upstream.calls[0]?.body))
  assert.equal(sent.model, 'big')
  assert.equal(sent.messages[0].content[0].image_url.url, image)
  assert.equal(sent.tools.length, 1)
})

test('The SDK of OpenAI gets answers, embeddings and errors', async (t) => {
  const { client, upstream } = await start(t)
  const answer = await client.chat.completions.create({ model: 'lab/big', messages })
  assert.equal(answer.choices[0]?.message.content, 'héllo')
  assert.equal(answer.usage?.total_tokens, 12)
  upstream.behave = (_, response) =>
    sendJson(response, 200, {
      data: [{ embedding: [0.5, 0.25], index: 0 }],
      usage: { prompt_tokens: 1 },
    })
  const { data } = await client.embeddings.create({
    model: 'lab/small',
    input: 'x',
    encoding_format: 'float',
  })
  assert.deepEqual(data[0]?.embedding, [0.5, 0.25])
  upstream.behave = (_, response) =>
    sendJson(response, 400, {
      error: { message: 'too hot', type: 'invalid_request_error', code: 'bad' },
    })
  await assert.rejects(client.chat.completions.create({ model: 'lab/big', messages }), (error) => {
    assert.ok(error instanceof APIError)
    assert.deepEqual([error.status, error.code], [400, 'bad'])
    assert.match(error.message, /too hot/)
    return true
  })
  await assert.rejects(client.chat.completions.create({ model: 'none', messages }), {
    status: 404,
    code: 'model_not_found',
  })
})

test('The SDK of OpenAI uploads audio', async (t) => {
  const { client, upstream } = await start(t)
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-audio-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'silence.wav')
  writeFileSync(file, Buffer.concat([Buffer.from('RIFF'), Buffer.alloc(500_000)]))
  upstream.behave = (_, response) => sendJson(response, 200, { text: 'silence' })
  const { text } = await client.audio.transcriptions.create({
    model: 'lab/big',
    file: createReadStream(file),
  })
  assert.equal(text, 'silence')
  assert.equal(upstream.calls[0]?.model, 'big')
  assert.ok(upstream.calls[0]?.body.includes(Buffer.alloc(500_000)))
})

test('The SDK of OpenAI cancels a stream', async (t) => {
  const { client, upstream } = await start(t)
  upstream.behave = (_, response) =>
    void response.writeHead(200, streamHead).write(openAiEvents('big').slice(0, 2).join(''))
  const stream = await client.chat.completions.create({ model: 'lab/big', messages, stream: true })
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'hé') break
  await upstream.calls[0]?.left
})

test('The SDK of OpenAI does not take a stream that breaks off for complete', async (t) => {
  const { client, upstream } = await start(t)
  upstream.behave = (_, response) => {
    response.writeHead(200, streamHead)
    response.write(openAiEvents('big').slice(0, 2).join(''), () => response.destroy())
  }
  const stream = await client.chat.completions.create({ model: 'lab/big', messages, stream: true })
  await assert.rejects(async () => {
    for await (const _ of stream);
  })
  upstream.behave = (_, response) => sendEvents(response, openAiEvents('big'))
})
