import assert from 'node:assert/strict'
import { connect as connectTcp } from 'node:net'
import { test } from 'node:test'
import {
  anthropicEvents,
  openAiEvents,
  StrictUpstream,
  sendJson,
  streamHead,
} from '../fakes/strict-upstream.ts'
import { assertWithin } from '../support/assert-within.ts'
import { fieldsOf, modelsApiKey, startCalling, startWithUpstream } from '../support/calling.ts'
import { until } from '../support/management-client.ts'
import { sha256Of } from '../support/test-bytes.ts'
import { shareOf } from '../support/test-groups.ts'

const chat = { model: 'lab/big', stream: true }

for (const [name, events] of [
  ['OpenAI', openAiEvents('big')],
  ['Anthropic', anthropicEvents('big')],
] as const) {
  test(`A stream of ${name} that is cut at any byte never passes for complete, nor is it repeated`, async (t) => {
    const flavour = name === 'OpenAI' ? 'openai' : 'anthropic'
    const first = await StrictUpstream.start(t, { flavour, key: 'sk-1' })
    const second = await StrictUpstream.start(t, { flavour, key: 'sk-2' })
    const { call, management } = await startCalling(t)
    const path = flavour === 'openai' ? '/chat/completions' : '/messages'
    const whole = Buffer.from(events.join(''))
    // The events before only announce the answer.
    const withContent = events.findIndex((event) => event.includes('hé')) + 1
    const firstContent = Buffer.byteLength(events.slice(0, withContent).join(''))
    // Another connection and model each time, so that none is paused.
    const enabledModels = Array.from({ length: whole.length }, (_, at) => `m${at}`)
    const fields = (upstream: StrictUpstream, priority: number) => ({
      ...{ provider: `${flavour}-compatible-lab`, apiKey: upstream.key, priority },
      providerSpecificData: { baseUrl: `${upstream.origin}/v1`, prefix: 'lab', enabledModels },
    })
    for (const [priority, upstream] of [first, second].entries()) {
      upstream.models = new Set(enabledModels)
      await management.done('POST', '/routing/connections', fields(upstream, priority))
    }
    let at = 0
    first.behave = (_, response) => {
      response.writeHead(200, streamHead)
      response.write(whole.subarray(0, at), () => response.destroy())
    }
    second.behave = (_, response) => void response.writeHead(200, streamHead).end(whole)
    const cuts = shareOf([...whole.keys()], 4)
    for (at of cuts) {
      const { status, body, isComplete } = await call(path, { model: `lab/m${at}`, stream: true })
      assert.equal(status, 200)
      // What ends before its first content is asked of the other one; what ends later is not.
      const hasBegun = at >= firstContent
      assert.equal(isComplete, !hasBegun, `cut at ${at}`)
      assert.deepEqual(body, hasBegun ? whole.subarray(0, at) : whole, `cut at ${at}`)
    }
    assert.equal(second.calls.length, cuts.filter((cut) => cut < firstContent).length)
  })
}

test('Events arrive one by one, as they were sent, whatever pieces they come in', async (t) => {
  const { upstream, call } = await startWithUpstream(t)
  const whole = Buffer.from(openAiEvents('big').join(''))
  const seen: number[] = []
  let received = 0
  upstream.behave = async (_, response) => {
    response.writeHead(200, streamHead)
    for (const byte of whole) {
      response.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    // The client has everything so far, though the stream goes on.
    await until(() => received === whole.length)
    response.end()
  }
  const { body, isComplete } = await call('/chat/completions', chat, {
    onData(bytes) {
      received += bytes.length
      seen.push(bytes.length)
    },
  })
  assert.deepEqual(body, whole)
  assert.equal(isComplete, true)
  assert.ok(seen.length > 5)
})

test('An event that follows another after a pause is not held back', async (t) => {
  const { upstream, call } = await startWithUpstream(t)
  const events = openAiEvents('big')
  let received = ''
  upstream.behave = async (_, response) => {
    response.writeHead(200, streamHead)
    let sent = ''
    for (const [index, event] of events.entries()) {
      response.write(event)
      sent += event
      // The first one only announces the answer.
      if (index > 0) await until(() => received === sent)
    }
    response.end()
  }
  await call('/chat/completions', chat, {
    onData: (bytes) => {
      received += bytes.toString()
    },
  })
  assert.equal(received, events.join(''))
})

test('A large answer passes unchanged, and a slow client slows its upstream', async (t) => {
  const { upstream, port } = await startWithUpstream(t)
  const piece = Buffer.from(`data: ${'x'.repeat(64 * 1024 - 8)}\n\n`)
  const total = 1024
  let sent = 0
  upstream.behave = async (_, response) => {
    response.writeHead(200, streamHead)
    for (; sent < total; sent += 1) {
      if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve))
    }
    response.end()
  }
  const body = JSON.stringify(chat)
  const socket = connectTcp(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.pause()
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer ${modelsApiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  // The upstream stops when all buffers on the way are full.
  let before = -1
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    const isStill = sent > 0 && sent === before
    before = sent
    return isStill
  })
  assert.ok(sent < total / 2, `${sent} of ${total} pieces are on the way`)
  const pieces: Buffer[] = []
  socket.on('data', (bytes) => pieces.push(bytes))
  socket.resume()
  await new Promise((resolve) => socket.once('close', resolve))
  const reply = Buffer.concat(pieces)
  const bytes = dechunked(reply.subarray(reply.indexOf('\r\n\r\n') + 4))
  const expected = Buffer.concat(Array.from({ length: total }, () => piece))
  assert.equal(sha256Of(bytes), sha256Of(expected))
})

function dechunked(body: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; ; ) {
    const line = body.indexOf('\r\n', at)
    const length = Number.parseInt(body.toString('latin1', at, line), 16)
    if (length === 0) return Buffer.concat(pieces)
    pieces.push(body.subarray(line + 2, line + 2 + length))
    at = line + 2 + length + 2
  }
}

for (const [when, stream, begins] of [
  ['before the first token', true, false],
  ['during a stream', true, true],
  ['without streaming', false, false],
] as const) {
  for (const ends of ['destroys its connection', 'ends its side'] as const) {
    test(`A client that ${ends} ${when} cancels the upstream within a second`, async (t) => {
      const { upstream, port, lines } = await startWithUpstream(t)
      const body = JSON.stringify({ ...chat, stream })
      await assertWithin(1_000, () => leave())
      // Somebody has pressed Stop, which is no error.
      await until(() => JSON.stringify(lines).includes('"aborted":true'))
      assert.ok(!JSON.stringify(lines).includes('BrokenAnswerError'))

      /** Calls, and leaves. Resolves with the milliseconds until the upstream notices. */
      async function leave(): Promise<number> {
        const arrived = Promise.withResolvers<void>()
        upstream.behave = (_, response) => {
          if (stream) response.writeHead(200, streamHead)
          if (begins) response.write(openAiEvents('big')[1])
          else if (stream) response.flushHeaders()
          arrived.resolve()
        }
        const socket = connectTcp(port, '127.0.0.1')
        let reply = ''
        socket.on('data', (bytes) => {
          reply += bytes.toString('latin1')
        })
        // A connection that is cut may end with a reset.
        socket.on('error', () => undefined)
        socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${modelsApiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        )
        await arrived.promise
        if (begins) await new Promise((resolve) => socket.once('data', resolve))
        const leftAtMs = performance.now()
        if (ends === 'ends its side') socket.end()
        else socket.destroy()
        await upstream.calls.at(-1)?.left
        const tookMs = performance.now() - leftAtMs
        if (ends === 'ends its side') {
          // It still reads: what it has got must not pass for a whole answer.
          await new Promise((resolve) => socket.once('close', resolve))
          assert.ok(!reply.endsWith('0\r\n\r\n'), reply)
        }
        socket.destroy()
        return tookMs
      }
    })
  }
}

test('A stream that stalls ends, and not cleanly', async (t) => {
  const { upstream, call } = await startWithUpstream(t, {}, { MODELS_IDLE_SECONDS: '1' })
  const [, first = ''] = openAiEvents('big')
  upstream.behave = (_, response) => void response.writeHead(200, streamHead).write(first)
  const { text, isComplete } = await call('/chat/completions', chat)
  assert.equal(text, first)
  assert.equal(isComplete, false)
  await upstream.calls[0]?.left
})

test('Trailers and compressed answers do no harm', async (t) => {
  const { upstream, call } = await startWithUpstream(t)
  upstream.behave = (_, response) => {
    response.writeHead(200, { ...streamHead, trailer: 'x-end' })
    response.write(openAiEvents('big').join(''))
    response.addTrailers({ 'x-end': '1' })
    response.end()
  }
  const { text, headers, isComplete } = await call('/chat/completions', chat)
  assert.equal(text, openAiEvents('big').join(''))
  assert.equal(headers.trailer, undefined)
  assert.equal(isComplete, true)
  const { gzipSync } = await import('node:zlib')
  const zipped = gzipSync('{"usage":{"prompt_tokens":1}}')
  upstream.behave = (_, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(zipped)
  }
  const reply = await call('/chat/completions', { model: 'lab/big' })
  assert.equal(reply.headers['content-encoding'], 'gzip')
  assert.deepEqual(reply.body, zipped)
})

test('The keys of upstreams are in no answer, log line, metric or error', async (t) => {
  const { upstream, call, url, lines, management } = await startWithUpstream(
    t,
    {},
    { METRICS_TOKEN: 'metrics' },
  )
  const echo = { error: { message: `key ${upstream.key} is not good for this` } }
  const statuses = [400, 401, 403, 404, 429, 500]
  await management.done(
    'PATCH',
    `/routing/connections/${(await management.done('GET', '/routing')).connections[0].id}`,
    {
      providerSpecificData: {
        ...fieldsOf(upstream).providerSpecificData,
        enabledModels: statuses.map((one) => `m${one}`),
      },
    },
  )
  upstream.models = new Set(statuses.map((one) => `m${one}`))
  const texts: string[] = []
  for (const one of statuses) {
    upstream.behave = (_, response) => sendJson(response, one, echo, { 'x-note': 'a' })
    const { text, headers } = await call('/chat/completions', { model: `lab/m${one}` })
    texts.push(text, JSON.stringify(headers))
  }
  const metrics = await fetch(`${url}/-/metrics`, { headers: { authorization: 'Bearer metrics' } })
  texts.push(await metrics.text(), JSON.stringify(lines))
  for (const path of ['/usage', '/routing/pauses', '/failures', '/routing']) {
    texts.push(JSON.stringify(await management.done('GET', path)))
  }
  for (const text of texts) assert.ok(!text.includes(upstream.key), text.slice(0, 300))
  assert.ok(texts.some((text) => text.includes('key *** is not good')))
})
