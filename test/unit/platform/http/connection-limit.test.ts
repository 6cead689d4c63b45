import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { HttpHandler } from '../../../../src/platform/http/message.ts'
import { makeCertificate } from '../../../support/certificates.ts'
import { type Fixture, startServer, text } from './http-server-fixture.ts'

const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'
const refuseExtra: HttpHandler = async () => text('extra', 503)

/** A handler that answers when the test lets it. */
function heldHandler() {
  const releases: (() => void)[] = []
  const handler: HttpHandler = () =>
    new Promise((resolve) => releases.push(() => resolve(text('served'))))
  return {
    handler,
    async running(count: number) {
      while (releases.length < count) await new Promise((resolve) => setImmediate(resolve))
    },
    releaseAll() {
      for (const release of releases) release()
    },
  }
}

async function busyClients(fixture: Fixture, count: number) {
  const clients = []
  for (let index = 0; index < count; index++) {
    const client = await fixture.connect()
    client.write(get)
    clients.push(client)
  }
  return clients
}

test('At the limit of connections a new one is refused and closed, and the others go on', async (t) => {
  let fullCount = 0
  const held = heldHandler()
  const fixture = await startServer(t, held.handler, {
    maxConnections: 2,
    refuseExtra,
    onFull: () => {
      fullCount += 1
    },
  })
  const busy = await busyClients(fixture, 2)
  await held.running(2)
  const [extra] = await busyClients(fixture, 1)
  assert.match(
    String(await extra?.closed()),
    /^HTTP\/1\.1 503[\s\S]*Connection: close[\s\S]*extra$/,
  )
  assert.equal(fullCount, 1)
  held.releaseAll()
  for (const client of busy) assert.match(await client.until('served'), /200 OK/)
})

test('A refused upload of a connection beyond the limit can be read', async (t) => {
  const held = heldHandler()
  const fixture = await startServer(t, held.handler, { maxConnections: 1, refuseExtra })
  await busyClients(fixture, 1)
  await held.running(1)
  const extra = await fixture.connect()
  extra.socket.pause()
  extra.write('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 8000000\r\n\r\n')
  await new Promise((resolve) => extra.socket.write(Buffer.alloc(8_000_000), resolve))
  extra.socket.resume()
  assert.match(await extra.closed(), /^HTTP\/1\.1 503[\s\S]*extra$/)
})

test('At the limit the connection that is idle longest makes room', async (t) => {
  const fixture = await startServer(t, async () => text('served'), {
    maxConnections: 2,
    refuseExtra,
    minIdleMs: 0,
  })
  const [first, second] = await busyClients(fixture, 2)
  await first?.until('served')
  await second?.until('served')
  first?.write(get)
  await first?.until('servedHTTP')
  const [third] = await busyClients(fixture, 1)
  await third?.until('served')
  await second?.closed()
  assert.equal(first?.isClosed, false)
})

test('A connection that never sends its request does not keep its slot', async (t) => {
  const fixture = await startServer(t, async () => text('served'), {
    maxConnections: 1,
    refuseExtra,
    minIdleMs: 0,
  })
  const silent = await fixture.connect()
  silent.write('GET / HTTP/1.1\r\nHo')
  const [client] = await busyClients(fixture, 1)
  await client?.until('served')
  await silent.closed()
})

test('A connection that has only just become idle is not closed for another', async (t) => {
  const fixture = await startServer(t, async () => text('served'), {
    maxConnections: 1,
    refuseExtra,
    minIdleMs: 60_000,
  })
  const [idle] = await busyClients(fixture, 1)
  await idle?.until('served')
  const [extra] = await busyClients(fixture, 1)
  await extra?.until('extra')
  idle?.write(get)
  await idle?.until('servedHTTP')
})

test('ReplySlots become free when connections close', async (t) => {
  const fixture = await startServer(t, async () => text('served'), {
    maxConnections: 1,
    refuseExtra,
  })
  for (let turn = 0; turn < 5; turn++) {
    const [client] = await busyClients(fixture, 1)
    await client?.until('served')
    client?.socket.end()
    await client?.closed()
  }
})

test('Of very many connections beyond the limit most are closed unanswered', async (t) => {
  const held = heldHandler()
  const fixture = await startServer(t, held.handler, { maxConnections: 1, refuseExtra })
  await busyClients(fixture, 1)
  await held.running(1)
  const silent = await Promise.all(Array.from({ length: 100 }, () => fixture.connect()))
  await Promise.all(silent.slice(70).map((client) => client.closed()))
  assert.equal(silent.filter(({ isClosed }) => isClosed).length, 36)
})

function identity(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-tls-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { caFile, certFile, keyFile } = makeCertificate(folder)
  const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
  return { tls, ca: readFileSync(caFile) }
}

test('The limit counts connections over TLS, and closes the longest idle of them', async (t) => {
  const { tls, ca } = identity(t)
  const { port } = await startServer(t, async () => text('served'), {
    maxConnections: 2,
    refuseExtra,
    minIdleMs: 0,
    tls,
  })
  const open = async () => {
    const client = connectTls({ port, host: '127.0.0.1', ca })
    client.on('error', () => undefined)
    t.after(() => client.destroy())
    client.write(get)
    const [bytes] = await once(client, 'data')
    assert.match(String(bytes), /200 OK/)
    return client
  }
  const first = await open()
  const firstClosed = once(first, 'close')
  const second = await open()
  await open()
  await firstClosed
  assert.equal(second.destroyed, false)
})

test('A TLS handshake that does not end is cut, however its bytes trickle', async (t) => {
  const { tls } = identity(t)
  const { connect } = await startServer(t, async () => text('served'), { tls, handshakeMs: 300 })
  const silent = await connect()
  const slow = await connect()
  slow.write('\x16\x03\x01\x02\x00\x01')
  const timer = setInterval(() => slow.write('\x00'), 20)
  t.after(() => clearInterval(timer))
  await silent.closed()
  await slow.closed()
})

test('A connection over TLS outlives the time for its handshake', {
  timeout: 60_000,
}, async (t) => {
  const { tls, ca } = identity(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const handshakeMs = 20_000
  const { port } = await startServer(t, async () => text('served'), { tls, handshakeMs })
  const client = connectTls({ port, host: '127.0.0.1', ca })
  t.after(() => client.destroy())
  // The server has its side of the handshake when it answers.
  for (let request = 0; request < 2; request += 1) {
    client.write(get)
    const [bytes] = await once(client, 'data')
    assert.match(String(bytes), /200 OK/)
    t.mock.timers.tick(handshakeMs)
  }
  t.mock.timers.reset()
})

test('Plain HTTP on a port of HTTPS is answered in plain HTTP, its body included', async (t) => {
  const { tls } = identity(t)
  const refusals: string[] = []
  const { connect } = await startServer(t, async () => text('served'), {
    tls,
    onRefuse: ({ fault }) => refusals.push(fault),
  })
  const client = await connect()
  client.socket.pause()
  client.write('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 8000000\r\n\r\n')
  await new Promise((resolve) => client.socket.write(Buffer.alloc(8_000_000), resolve))
  client.socket.resume()
  assert.match(await client.until('http-on-tls-port'), /^HTTP\/1\.1 400 /)
  client.socket.end()
  await client.closed()
  assert.deepEqual(refusals, ['http-on-tls-port'])
})

test('A client that resets its connection before its TLS handshake does no harm', async (t) => {
  const { tls } = identity(t)
  const { connect } = await startServer(t, async () => text('served'), { tls })
  const client = await connect()
  client.socket.resetAndDestroy()
  const other = await connect()
  other.write(get)
  await other.until('http-on-tls-port')
})

test('Stopping closes a connection that has not begun its TLS handshake', async (t) => {
  const { tls } = identity(t)
  const { server, connect } = await startServer(t, async () => text('served'), { tls })
  const client = await connect()
  const stopped = server.stop(50)
  await client.closed()
  await stopped
})
