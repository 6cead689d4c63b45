import assert from 'node:assert/strict'
import { createHash, type Hash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { GatewayProcess } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { RoutingClient, startModelsGateway, temporaryFolder } from '../support/models-gateway.ts'

const key = 'models-api-key'
const mebibyte = 1024 * 1024
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

/** A gateway in one process, whose model `lab/big` is at an upstream that answers like this. */
async function start(t: TestContext, answer: RequestListener, folder = temporaryFolder(t)) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const gateway = await startModelsGateway(t, { WORKERS: '1', MODELS_API_KEY: key }, folder)
  const routing = await RoutingClient.signIn(gateway.url)
  const { port } = server.address() as AddressInfo
  await routing.done('POST', '/connections', {
    ...{ kind: 'openai-compatible', apiKey: 'sk-upstream-0123456789' },
    providerSpecificData: {
      ...{ baseUrl: `http://127.0.0.1:${port}/v1`, prefix: 'lab', enabledModels: ['big'] },
    },
  })
  return { gateway, routing }
}

function residentMebibytes({ pid }: GatewayProcess): number {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
  return Number(kib) / 1024
}

/** Pieces that differ, so that none can be lost, doubled or moved without another hash. */
function* pieces(count: number): Generator<Buffer> {
  const piece = Buffer.alloc(mebibyte, 'some audio ')
  for (let index = 0; index < count; index += 1) {
    piece.writeUInt32BE(index, index % 1_000)
    yield Buffer.from(piece)
  }
}

async function send(
  target: { write(bytes: Buffer): boolean; once(event: 'drain', then: () => void): unknown },
  bytes: Iterable<Buffer>,
  hash: Hash,
): Promise<void> {
  for (const piece of bytes) {
    hash.update(piece)
    if (!target.write(piece)) await new Promise<void>((resolve) => target.once('drain', resolve))
  }
}

test('A GiB goes to the upstream and another one comes back, unchanged, in little memory', async (t) => {
  const sent = createHash('sha256')
  const received = createHash('sha256')
  const answered = createHash('sha256')
  const { gateway } = await start(t, async (incoming, response) => {
    for await (const piece of incoming) received.update(piece as Buffer)
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    await send(response, pieces(1_024), answered)
    response.end()
  })
  const before = residentMebibytes(gateway)
  const head = (model: string) =>
    `--a\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n--a\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`
  const call = request(`${gateway.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'multipart/form-data; boundary=a' },
  })
  const replied = once(call, 'response')
  call.write(head('lab/big'))
  sent.update(head('big'))
  let mostMebibytes = 0
  const watch = setInterval(() => {
    mostMebibytes = Math.max(mostMebibytes, residentMebibytes(gateway))
  }, 100)
  t.after(() => clearInterval(watch))
  await send(call, pieces(1_024), sent)
  const end = Buffer.from('\r\n--a--\r\n')
  sent.update(end)
  call.end(end)
  const [response] = await replied
  const got = createHash('sha256')
  for await (const piece of response) got.update(piece)
  assert.equal(response.statusCode, 200)
  assert.equal(received.digest('hex'), sent.digest('hex'))
  assert.equal(got.digest('hex'), answered.digest('hex'))
  assert.equal(response.complete, true)
  // The first 64 MiB of a form are held while its model is looked for.
  const grown = mostMebibytes - before
  assert.ok(grown < 400, `${grown} MiB`)
})

test('A client that reads none of 1,000 endless streams takes bounded memory, and others are served', async (t) => {
  const event = Buffer.from(`data: ${'x'.repeat(16_000)}\n\n`)
  let open = 0
  let left = 0
  const { gateway } = await start(t, async (incoming, response) => {
    let body = ''
    for await (const piece of incoming) body += piece
    if (!body.includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
      return
    }
    open += 1
    response.on('close', () => {
      left += 1
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = () => {
      while (!response.destroyed && response.write(event)) {
        // Until the way to the client is full.
      }
    }
    response.on('drain', write)
    write()
  })
  const before = residentMebibytes(gateway)
  const body = JSON.stringify({ model: 'lab/big', stream: true })
  const call = `POST /v1/chat/completions HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const sockets = Array.from({ length: 1_000 }, () => {
    const socket = connect(gateway.port, '127.0.0.1').on('error', () => undefined)
    socket.pause()
    socket.write(call)
    return socket
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  const deadlineMs = performance.now() + 60_000
  while (open < 1_000 && performance.now() < deadlineMs) await pause(100)
  assert.equal(open, 1_000)
  // Whatever is still on its way arrives.
  let known = 0
  while (residentMebibytes(gateway) > known + 1 && performance.now() < deadlineMs) {
    known = residentMebibytes(gateway)
    await pause(1_000)
  }
  const grown = residentMebibytes(gateway) - before
  t.diagnostic(`${grown.toFixed(0)} MiB for 1,000 streams`)
  assert.ok(grown < 1_000, `${grown} MiB`)
  const startedAtMs = performance.now()
  const other = await fetch(`${gateway.url}/v1/chat/completions`, {
    ...{ method: 'POST', headers, body: JSON.stringify({ model: 'lab/big' }) },
  })
  assert.equal(other.status, 200)
  assert.ok(performance.now() - startedAtMs < 20_000)
  for (const socket of sockets) socket.destroy()
  await until(() => left === 1_000)
})

test('What a process has counted is stored when it is stopped, streams under way included', async (t) => {
  const folder = temporaryFolder(t)
  const { gateway } = await start(
    t,
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"usage":{"prompt_tokens":7,"completion_tokens":5}}\n\n')
    },
    folder,
  )
  const reply = await fetch(`${gateway.url}/v1/chat/completions`, {
    ...{ method: 'POST', headers, body: JSON.stringify({ model: 'lab/big', stream: true }) },
  })
  const reader = reply.body?.getReader()
  await reader?.read()
  await Promise.all([gateway.stop(), reader?.read().catch(() => undefined)])
  const again = await startModelsGateway(t, { WORKERS: '1', MODELS_API_KEY: key }, folder)
  const { token } = await RoutingClient.signIn(again.url)
  const usage = await fetch(`${again.url}/-/api/usage`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { rows } = (await usage.json()) as { rows: { requests: number; outputTokens: number }[] }
  assert.deepEqual(
    rows.map(({ requests, outputTokens }) => [requests, outputTokens]),
    [[1, 5]],
  )
})

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
