import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'
import { callPaths } from '../../../../src/models/calls/call-paths.ts'
import { waitingStream } from '../../../../src/models/calls/waiting-stream.ts'
import type { HttpReply } from '../../../../src/platform/http/message.ts'
import { ApiError } from '../../../../src/platform/json-api/api-error.ts'
import { anthropicEvents, openAiEvents } from '../../../fakes/strict-upstream.ts'

const pathOf = (path: string) => {
  const found = callPaths.find((one) => one.path === path)
  assert.ok(found)
  return found
}

/** Begins to wait, and settles the reply after two signs. @returns what the client gets */
async function waited(path: string, settle: () => HttpReply): Promise<string> {
  const coming = Promise.withResolvers<HttpReply>()
  const given = { path: pathOf(path), target: `/v1${path}`, model: 'lab/big', patienceMs: 1 }
  const reply = await waitingStream(coming.promise, given)
  assert.equal(reply.status, 200)
  assert.deepEqual(reply.headers, [['content-type', 'text/event-stream; charset=utf-8']])
  assert.ok(typeof reply.body === 'object' && 'lend' in reply.body)
  const pieces: Uint8Array[] = []
  await reply.body.lend(async (piece) => {
    pieces.push(Buffer.from(piece))
    if (pieces.length !== 2) return
    try {
      coming.resolve(settle())
    } catch (error) {
      coming.reject(error)
    }
  })
  await reply.body.close()
  return Buffer.concat(pieces).toString()
}

const streamOf = (events: readonly string[], onClose?: () => void): HttpReply => ({
  status: 200,
  headers: [['content-type', 'text/event-stream']],
  body: {
    length: undefined,
    lend: async (borrow) => {
      for (const event of events) await borrow(Buffer.from(event))
    },
    close: async () => onClose?.(),
  },
})

const refused = (body: object): HttpReply => ({
  ...{ status: 400, headers: [['content-type', 'application/json']] },
  body: Buffer.from(JSON.stringify(body)),
})

function throwing(error: Error): () => never {
  return () => {
    throw error
  }
}

const unavailable = new ApiError(503, 'All connections are paused.', { code: 'x' })

test('A reply that comes in time is the reply', async () => {
  const reply = streamOf([])
  const given = { path: pathOf('/chat/completions'), target: '/v1', model: 'a', patienceMs: 60_000 }
  assert.equal(await waitingStream(Promise.resolve(reply), given), reply)
  await assert.rejects(waitingStream(Promise.reject(unavailable), given), unavailable)
})

test('A late stream follows comments, or pings for Anthropic, and is closed', async () => {
  let closed = 0
  const close = () => {
    closed += 1
  }
  const chat = await waited('/chat/completions', () => streamOf(openAiEvents('big'), close))
  assert.equal(chat.replaceAll(': wait\n\n', ''), openAiEvents('big').join(''))
  const messages = await waited('/messages', () => streamOf(anthropicEvents('big'), close))
  const ping = 'event: ping\ndata: {"type": "ping"}\n\n'
  assert.ok(messages.startsWith(ping + ping))
  assert.equal(messages.replaceAll(ping, ''), anthropicEvents('big').join(''))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(closed, 2)
})

test("A late failure is an error to OpenAI's SDK, in chats and responses", async () => {
  const bodies = [
    await waited('/chat/completions', throwing(unavailable)),
    await waited('/chat/completions', () =>
      refused({ error: { message: 'All connections are paused.', code: 'x' } }),
    ),
  ]
  const responses = await waited('/responses', throwing(unavailable))
  for (const text of [...bodies, responses]) {
    const client = new OpenAI({
      ...{ apiKey: 'k', maxRetries: 0 },
      fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const events =
      text === responses
        ? await client.responses.create({ model: 'a', input: 'a', stream: true })
        : await client.chat.completions.create({ model: 'a', messages: [], stream: true })
    await assert.rejects(
      async () => {
        for await (const event of events) assert.fail(JSON.stringify(event))
      },
      (error: unknown) => {
        assert.ok(error instanceof OpenAI.APIError)
        assert.match(error.message, /All connections are paused/)
        return true
      },
    )
  }
})

test("A late failure is the event error of Anthropic's API", async () => {
  const own = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const ofGateway = { type: 'api_error', message: 'All connections are paused.' }
  for (const [settle, error] of [
    [throwing(unavailable), ofGateway],
    [() => refused(own), own.error],
  ] as const) {
    const text = await waited('/messages', settle)
    const event = `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`
    assert.ok(text.endsWith(event), text)
  }
})

test('A late answer that is no stream is an error, and what breaks stays broken', async () => {
  const json: HttpReply = { ...streamOf(['{}']), headers: [['content-type', 'application/json']] }
  const text = await waited('/chat/completions', () => json)
  assert.match(text, /without streaming/)
  await assert.rejects(
    waited('/chat/completions', throwing(new Error('no ApiError'))),
    /no ApiError/,
  )
})
