import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { RefusedEvent, webhookTarget } from '../../../../src/storage/events/event-targets.ts'
import { makeCertificate } from '../../../support/certificates.ts'

const never = new AbortController().signal

const startServer = (t: TestContext, listener: RequestListener) => listen(t, createServer(listener))

async function listen(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function errorOf(sending: Promise<void>): Promise<Error> {
  const error: unknown = await sending.then(() => undefined).catch((reason: unknown) => reason)
  assert.ok(error instanceof Error)
  return error
}

test('a message is signed, and user and password are a header', async (t) => {
  const got: { request: IncomingMessage; body: string }[] = []
  const url = await startServer(t, async (request, response) => {
    got.push({ request, body: await text(request) })
    response.writeHead(204).end()
  })
  const target = webhookTarget(`${url.replace('//', '//m%40e:p%C3%A4ss@')}/path?query`, {
    secret: 'secret',
  })
  await target.send('{"ä":1}', never)
  const { request, body } = got[0] ?? assert.fail()
  assert.equal(body, '{"ä":1}')
  assert.equal(request.url, '/path?query')
  const { authorization, 'x-bucketry-signature-256': signature } = request.headers
  assert.equal(authorization, `Basic ${Buffer.from('m@e:päss').toString('base64')}`)
  assert.equal(signature, `sha256=${createHmac('sha256', 'secret').update(body).digest('hex')}`)
})

for (const [token, header] of [
  ['abc', 'Bearer abc'],
  ['Basic bWU6cGFzcw==', 'Basic bWU6cGFzcw=='],
] as const) {
  test(`the token ${token} is sent as ${header}`, async (t) => {
    const got: unknown[] = []
    const url = await startServer(t, (request, response) => {
      got.push(request.headers.authorization)
      response.writeHead(204).end()
    })
    await webhookTarget(url, { token }).send('{}', never)
    assert.deepEqual(got, [header])
  })
}

test('a client error is about the message, other failures are about the receiver', async (t) => {
  let status = 0
  const url = await startServer(t, (_, response) => response.writeHead(status).end())
  const target = webhookTarget(url)
  for (const [code, isRefused] of [
    ...([400, 401, 404, 410, 413, 422] as const).map((one) => [one, true] as const),
    ...([304, 408, 429, 500, 502, 503] as const).map((one) => [one, false] as const),
  ]) {
    status = code
    const error = await errorOf(target.send('{}', never))
    assert.equal(error instanceof RefusedEvent, isRefused, String(code))
    assert.equal(error.message, `it answered ${code}`)
  }
})

test('no redirect is followed', async (t) => {
  const paths: (string | undefined)[] = []
  const url = await startServer(t, (request, response) => {
    paths.push(request.url)
    response.writeHead(307, { location: '/other' }).end()
  })
  const { message } = await errorOf(
    webhookTarget(`${url}/first`, { secret: 'secret' }).send('{}', never),
  )
  assert.equal(message, 'it answered 307')
  assert.deepEqual(paths, ['/first'])
})

test('an endless reply is not read to its end, and a broken one has accepted', async (t) => {
  let written = 0
  const url = await startServer(t, (request, response) => {
    response.writeHead(200)
    if (request.url === '/broken') {
      response.write('x', () => response.destroy())
      return
    }
    const chunk = Buffer.alloc(64 * 1024)
    const fill = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
    }
    response.on('drain', fill)
    fill()
  })
  await webhookTarget(`${url}/broken`).send('{}', never)
  await webhookTarget(`${url}/endless`).send('{}', never)
  assert.ok(written < 64 * 1024 * 1024)
})

test('a receiver that does not answer in time has not accepted, one that trickles has', async (t) => {
  const url = await startServer(t, (request, response) => {
    if (request.url === '/silent') return
    response.writeHead(200).write('x')
    const timer = setInterval(() => response.write('x'), 20)
    response.on('close', () => clearInterval(timer))
  })
  const { message } = await errorOf(
    webhookTarget(`${url}/silent`, { answerMs: 200 }).send('', never),
  )
  assert.equal(message, 'it did not answer within 0.2 s')
  // Its time is over as soon as it has begun to answer.
  const { fetch } = globalThis
  const limit = new AbortController()
  t.mock.method(AbortSignal, 'timeout', () => limit.signal)
  t.mock.method(globalThis, 'fetch', async (...given: Parameters<typeof fetch>) => {
    const response = await fetch(...given)
    setImmediate(() => limit.abort())
    return response
  })
  await webhookTarget(`${url}/trickle`).send('', never)
  assert.ok(limit.signal.aborted)
})

test('sending ends with the gateway, and messages do not show the address', async (t) => {
  const closing = new AbortController()
  const url = await startServer(t, () => closing.abort())
  await errorOf(webhookTarget(url).send('', closing.signal))
  for (const address of ['http://hidden:hidden@127.0.0.1:1/hidden', 'http://hidden.invalid/']) {
    const { message } = await errorOf(webhookTarget(address).send('', never))
    assert.match(message, /^it could not be reached/)
    assert.doesNotMatch(message, /hidden|127/)
  }
})

test('a certificate that nobody trusts is not accepted, and named', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-webhook-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { certFile, keyFile } = makeCertificate(folder)
  let requests = 0
  const files = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
  const server = createTlsServer(files, () => {
    requests += 1
  })
  const url = (await listen(t, server)).replace('http:', 'https:')
  const { message } = await errorOf(webhookTarget(url, { secret: 'secret' }).send('{}', never))
  assert.match(message, /^it could not be reached \([A-Z_]*(VERIFY|CERT)[A-Z_]*\)$/)
  assert.equal(requests, 0)
})
