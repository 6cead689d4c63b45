import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { HttpHandler, StreamBody } from '../../../../src/platform/http/message.ts'
import { BodyReading } from '../../../../src/platform/http/read-body.ts'
import { makeCertificate } from '../../../support/certificates.ts'
import { startServer, text } from './http-server-fixture.ts'

const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'
const getEndless = 'GET /endless HTTP/1.1\r\nHost: h\r\n\r\n'
const getLarge = 'GET /large HTTP/1.1\r\nHost: h\r\n\r\n'
const largeBytes = 128 * 1024 * 1024
const mebibyte = 1024 * 1024
const endless: StreamBody = {
  length: Number.MAX_SAFE_INTEGER,
  async lend(borrow) {
    for (;;) await borrow(Buffer.alloc(mebibyte))
  },
  close: async () => undefined,
}

const handler: HttpHandler = async ({ rawPath }) => {
  if (rawPath === '/large') return { status: 200, headers: [], body: Buffer.alloc(largeBytes) }
  return rawPath === '/endless' ? { status: 200, headers: [], body: endless } : text('served')
}
const refuseExtra: HttpHandler = async () => text('extra', 503)

/** Reads bodies. The client of `/known` has been authenticated. `/held` gets no reply. */
function bodyReader() {
  const received = new Map<string, number>()
  const note = (path: string, bytes: number) => {
    received.set(path, (received.get(path) ?? 0) + bytes)
  }
  const handler: HttpHandler = async (request) => {
    const { rawPath } = request
    if (rawPath === '/') return text('served')
    if (rawPath === '/known') request.markKnown()
    note(rawPath, 1)
    if (rawPath === '/held') return new Promise(() => undefined)
    const take = ({ length }: Buffer) => void note(rawPath, length)
    await new BodyReading(request, { idleTimeoutMs: 60_000, take }).done
    return text('stored')
  }
  return {
    handler,
    async arrived(path: string, bytes = 0) {
      while ((received.get(path) ?? 0) < 1 + bytes) {
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

function identity(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-tls-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { caFile, certFile, keyFile } = makeCertificate(folder)
  const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
  return { tls, ca: readFileSync(caFile) }
}

for (const protocol of ['HTTP', 'HTTPS'] as const) {
  const dial = async (t: TestContext, port: number, ca: Buffer, request: string) => {
    const socket =
      protocol === 'HTTP'
        ? connect({ port, host: '127.0.0.1' })
        : connectTls({ port, host: '127.0.0.1', ca })
    socket.on('error', () => undefined)
    t.after(() => socket.destroy())
    await once(socket, protocol === 'HTTP' ? 'connect' : 'secureConnect')
    socket.write(request)
    return socket
  }

  test(`At the limit a client that reads nothing loses its ${protocol} connection to a new one`, async (t) => {
    const { tls, ca } = identity(t)
    // Only the test advances the clock: on a busy machine, a client might seem slow at once.
    let nowMs = performance.now()
    t.mock.method(performance, 'now', () => nowMs)
    let slowClients = 0
    const { port, outcomes, finished } = await startServer(t, handler, {
      ...(protocol === 'HTTPS' ? { tls } : {}),
      ...{ maxConnections: 1, refuseExtra, longestLagMs: 100, checkEveryMs: 20 },
      onSlowClient: () => {
        slowClients += 1
      },
    })
    const deaf = await dial(t, port, ca, getEndless)
    deaf.pause()
    const attempt = async (): Promise<string> => {
      const client = await dial(t, port, ca, get)
      const [bytes] = await once(client, 'data')
      client.destroy()
      return String(bytes)
    }
    let reply = await attempt()
    assert.match(reply, /extra$/)
    while (!reply.endsWith('served')) {
      nowMs += 20
      reply = await attempt()
    }
    assert.equal(slowClients, 1)
    const ended = () => outcomes.find(({ rawPath }) => rawPath === '/endless')
    while (ended() === undefined) await finished(outcomes.length + 1)
    assert.equal(ended()?.isAborted, true)
  })

  test(`At the limit strangers that send their bodies slowly lose their ${protocol} connections first`, async (t) => {
    const { tls, ca } = identity(t)
    // Whole milliseconds add up exactly.
    let nowMs = Math.ceil(performance.now())
    t.mock.method(performance, 'now', () => nowMs)
    const reader = bodyReader()
    const { port, outcomes, finished } = await startServer(t, reader.handler, {
      ...(protocol === 'HTTPS' ? { tls } : {}),
      // Only connections that arrive look at the others.
      ...{ maxConnections: 3, refuseExtra, checkEveryMs: 3_600_000 },
    })
    const put = async (path: string) => {
      const head = `PUT ${path} HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\nx`
      const client = await dial(t, port, ca, head)
      await reader.arrived(path, 1)
      return client
    }
    await put('/known')
    await put('/stranger')
    const quick = await put('/quick')
    // The first look, after a second, finds who is waited for; lags count from then on.
    const lostAt: Readonly<Record<number, string>> = { 6: '/stranger', 31: '/known' }
    for (let second = 0; second <= 31; second += 1) {
      const client = await dial(t, port, ca, get)
      const [bytes] = await once(client, 'data')
      const lost = lostAt[second]
      assert.match(String(bytes), lost === undefined ? /extra$/ : /served$/, String(second))
      if (lost !== undefined) {
        while (!outcomes.some(({ isAborted, rawPath }) => isAborted && rawPath === lost)) {
          await finished(outcomes.length + 1)
        }
        // The place stays taken.
        client.write('GET /held HTTP/1.1\r\nHost: h\r\n\r\n')
        await reader.arrived('/held')
      }
      nowMs += 1_000
      quick.write('x'.repeat(32 * 1024))
      await reader.arrived('/quick', 1 + (second + 1) * 32 * 1024)
    }
    const ends = outcomes.filter(({ isAborted }) => isAborted).map(({ rawPath }) => rawPath)
    assert.deepEqual(ends, ['/stranger', '/known'])
  })

  test(`A client that takes one large write bit by bit over ${protocol} is not cut`, async (t) => {
    const { tls, ca } = identity(t)
    // Time passes while the client reads, and only then.
    let nowMs = performance.now()
    t.mock.method(performance, 'now', () => nowMs)
    const { port, outcomes, finished } = await startServer(t, handler, {
      ...(protocol === 'HTTPS' ? { tls } : {}),
      ...{ idleWriteMs: 500, checkEveryMs: 50 },
    })
    const client = await dial(t, port, ca, getLarge)
    await readSlowly(client, () => {
      nowMs += 10
    })
    await finished(1)
    assert.equal(outcomes[0]?.isAborted, false)
    assert.ok((outcomes[0]?.durationMs ?? 0) > 500)
  })
}

/** Reads all of the large reply, about a MiB every 10 ms. */
async function readSlowly(client: Socket, onPause: () => void): Promise<void> {
  let received = 0
  let pauseAt = mebibyte
  await new Promise<void>((resolve, reject) => {
    client.on('close', () => reject(new Error(`closed after ${received} bytes`)))
    client.on('data', (bytes) => {
      received += bytes.length
      if (received > largeBytes) resolve()
      if (received < pauseAt) return
      pauseAt += mebibyte
      client.pause()
      onPause()
      setTimeout(() => client.resume(), 10)
    })
  })
}
