import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sendJson, streamHead } from '../fakes/strict-upstream.ts'
import { saying, startCalling, startWithUpstream } from '../support/calling.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { until } from '../support/management-client.ts'

/** A gateway whose model `odd/m` is at a socket that answers as it likes, once it has got a request. */
async function startOdd(t: TestContext, answer: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  const calling = await startCalling(t)
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await calling.connect('odd', {
    apiKey: 'k',
    providerSpecificData: { baseUrl, enabledModels: ['m'] },
  })
  return calling
}

const chat = { model: 'odd/m' }
const jsonHead = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

for (const [what, head] of [
  ['two lengths', `${jsonHead}Content-Length: 2\r\nContent-Length: 12\r\n\r\n`],
  ['a length and chunks', `${jsonHead}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`],
  ['a length that is no number', `${jsonHead}Content-Length: 2, 12\r\n\r\n`],
] as const) {
  test(`An answer with ${what} is a failure`, async (t) => {
    const { call } = await startOdd(t, (socket) => void socket.end(`${head}{}{"evil":1}`))
    const { status, text } = await call('/chat/completions', chat)
    assert.equal(status, 502)
    assert.ok(!text.includes('evil'))
  })
}

test('Compressed answers, which nobody asked for, are not unpacked here', async (t) => {
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '), { level: 9 })
  const { call, upstream } = await startWithUpstream(t)
  collectGarbage()
  const before = process.memoryUsage().rss
  for (const status of [200, 500]) {
    for (const type of ['application/json', 'text/event-stream']) {
      upstream.behave = (_, response) =>
        void response
          .writeHead(status, { 'content-type': type, 'content-encoding': 'gzip' })
          .end(bomb)
      const body = saying(`${status} ${type}`, { model: 'lab/big' })
      const reply = await call('/chat/completions', body)
      assert.equal(reply.status, status)
      if (status === 200) assert.deepEqual(reply.body, bomb)
      else assert.equal(reply.headers['content-encoding'], undefined)
    }
  }
  assert.ok(process.memoryUsage().rss - before < 60_000_000)
})

test('A line of 100 MB in a stream passes in bounded memory, and what follows is counted', async (t) => {
  const { call, upstream, management } = await startWithUpstream(t)
  upstream.behave = async (_, response) => {
    response.writeHead(200, streamHead).write('data: {"choices":[{"delta":{"content":"')
    const piece = Buffer.alloc(1024 * 1024, 'x')
    for (let count = 0; count < 100; count += 1) {
      if (!response.write(piece)) await once(response, 'drain')
    }
    response.end(
      '"}}]}\n\ndata: {"usage":{"prompt_tokens":7,"completion_tokens":5}}\n\ndata: [DONE]\n\n',
    )
  }
  const cpu = process.cpuUsage()
  const { status, body, isComplete } = await call('/chat/completions', {
    ...{ model: 'lab/big', stream: true },
  })
  assert.deepEqual([status, isComplete], [200, true])
  assert.ok(body.length > 100_000_000)
  assert.ok(process.cpuUsage(cpu).user < 5_000_000)
  await until(async () => {
    const { rows } = await management.done('GET', '/usage')
    return rows[0]?.inputTokens === 7 && rows[0].outputTokens === 5
  })
})

for (const [what, value, least, most] of [
  ['in the past', new Date(0).toUTCString(), 0, 1],
  ['far in the future', 'Fri, 31 Dec 9999 23:59:59 GMT', 60, 60],
  ['a number of centuries', '99999999999', 0, 60],
  ['no time', 'soon', 0, 1],
  ['negative', '-5', 0, 1],
] as const) {
  test(`A Retry-After that is ${what} makes nobody wait for long`, async (t) => {
    const { call, upstream } = await startWithUpstream(t)
    upstream.behave = (_, response) =>
      sendJson(response, 503, { error: { message: 'x' } }, { 'retry-after': value })
    const { status, headers } = await call('/chat/completions', { model: 'lab/big' })
    assert.equal(status, 503)
    const seconds = Number(headers['retry-after'] ?? 0)
    assert.ok(seconds >= least && seconds <= most, String(seconds))
    // Nobody else is paused.
    upstream.behave = (_, response) => sendJson(response, 200, { ok: true })
    const other = saying('other', { model: 'lab/big' })
    assert.equal((await call('/chat/completions', other)).status, 200)
  })
}
