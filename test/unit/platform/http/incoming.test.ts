import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { parseRequestTarget } from '../../../../src/platform/http/incoming.ts'
import { startServer, text } from './http-server-fixture.ts'

const refuse = async () => text('refused', 403)
const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'

function put(length: number): string {
  return `PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\n\r\n`
}

test('A small unread body is discarded, and the connection stays open', async (t) => {
  const { connect } = await startServer(t, refuse)
  const client = await connect()
  client.write(put(60_000))
  await client.until('refused')
  client.write('x'.repeat(60_000))
  client.write(get)
  const received = await client.until('refusedHTTP/1.1 403')
  assert.equal(received.includes('Connection: close'), false)
})

test('The rest of a half-read small body is discarded', async (t) => {
  const { connect } = await startServer(t, async (request) => {
    if (request.method === 'GET') return text('next')
    await new Promise((resolve) => request.body.once('data', resolve))
    request.body.pause()
    return text('refused', 400)
  })
  const client = await connect()
  client.write(`${put(50_000)}half`)
  await client.until('refused')
  client.write(`${'x'.repeat(50_000 - 4)}${get}`)
  await client.until('next')
})

test('A client that sends 64 MiB before it reads gets its refusal', async (t) => {
  const { connect } = await startServer(t, refuse)
  const client = await connect()
  client.socket.pause()
  const bytes = 64 * 1024 * 1024
  client.write(put(bytes))
  await new Promise((resolve) => client.socket.write(Buffer.alloc(bytes), resolve))
  client.socket.resume()
  const received = await client.closed()
  assert.match(received, /^HTTP\/1\.1 403[\s\S]*Connection: close[\s\S]*refused$/)
})

test('The end of a large unread body ends the connection in order', async (t) => {
  const { connect } = await startServer(t, refuse)
  const client = await connect()
  client.write(put(500_000))
  await client.until('refused')
  assert.equal(client.isClosed, false)
  client.write(Buffer.alloc(500_000))
  await client.closed()
  assert.equal(client.received.split('HTTP/1.1').length, 2)
})

for (const [what, limits] of [
  ['sends nothing more', { totalMs: 60_000, idleMs: 50 }],
  ['never stops sending', { totalMs: 100, idleMs: 60_000 }],
] as const) {
  test(`A refused client that ${what} is closed`, async (t) => {
    const lingering = { ...limits, connections: 9 }
    const { connect } = await startServer(t, refuse, { lingering })
    const client = await connect()
    client.write('PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n')
    await client.until('refused')
    const timer = setInterval(() => client.write('1\r\nx\r\n'), 5)
    t.after(() => clearInterval(timer))
    if (limits.idleMs < limits.totalMs) clearInterval(timer)
    await client.closed()
  })
}

/** Notes the server's sides of connections, with the client's port. */
function noteServerSockets(t: TestContext): ReadonlyMap<number | undefined, Socket> {
  const sockets = new Map<number | undefined, Socket>()
  const note = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket }
    sockets.set(socket.remotePort, socket)
  }
  subscribe('net.server.socket', note)
  t.after(() => unsubscribe('net.server.socket', note))
  return sockets
}

test('A refused client that keeps sending is read longer than the idle time', async (t) => {
  const sockets = noteServerSockets(t)
  const idleMs = 50
  const lingering = { totalMs: 60_000, idleMs, connections: 9 }
  const { connect } = await startServer(t, refuse, { lingering })
  // Only the test advances the clock: on a busy machine, bytes may arrive later than they were sent.
  let nowMs = performance.now()
  t.mock.method(performance, 'now', () => nowMs)
  const client = await connect()
  client.write('PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n')
  await client.until('refused')
  const socket = sockets.get(client.socket.localPort)
  assert.ok(socket)
  for (let round = 0; round < 5; round += 1) {
    const before = socket.bytesRead
    client.write('1\r\nx\r\n')
    while (socket.bytesRead === before) await new Promise((resolve) => setImmediate(resolve))
    nowMs += idleMs - 1
    // Several times the interval at which the server looks.
    await new Promise((resolve) => setTimeout(resolve, idleMs))
    assert.equal(client.isClosed, false)
  }
  client.write('0\r\n\r\n')
  await client.closed()
})

test('Of too many refused clients that keep sending the first is closed', async (t) => {
  const lingering = { totalMs: 60_000, idleMs: 60_000, connections: 2 }
  const { connect } = await startServer(t, refuse, { lingering })
  const clients = []
  for (const _ of [1, 2, 3]) {
    const client = await connect()
    client.write(put(1_000_000))
    await client.until('refused')
    clients.push(client)
  }
  await clients[0]?.closed()
  for (const client of clients.slice(1)) {
    client.write(Buffer.alloc(1_000_000))
    await client.closed()
    assert.equal(client.received.split('HTTP/1.1').length, 2)
  }
})

test('A refused client that leaves within its body is not taken for a broken one', async (t) => {
  const refusals: unknown[] = []
  const { connect, finished } = await startServer(t, refuse, {
    onRefuse: (refusal) => refusals.push(refusal),
  })
  const client = await connect()
  client.write(`${put(1_000_000)}part`)
  await client.until('refused')
  await finished(1)
  client.socket.end()
  assert.equal((await client.closed()).split('HTTP/1.1').length, 2)
  assert.deepEqual(refusals, [])
})

test('A refusal instead of 100 Continue ends our side at once, and late bytes do no harm', async (t) => {
  const { connect } = await startServer(t, refuse)
  const client = await connect()
  let hasEnded = false
  client.socket.on('end', () => {
    hasEnded = true
  })
  const allowed = { allowHalfOpen: true }
  Object.assign(client.socket, allowed)
  client.write(put(1_000_000).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'))
  await client.until('refused')
  while (!hasEnded) await new Promise((resolve) => setImmediate(resolve))
  client.write(Buffer.alloc(1_000_000))
  client.socket.end()
  await client.closed()
  assert.equal(client.socket.errored, null)
})

test('A small unread body of a client that closes afterwards is read before the end', async (t) => {
  const { connect } = await startServer(t, refuse)
  const client = await connect()
  client.write(put(60_000).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  await client.until('refused')
  client.write('x'.repeat(60_000))
  await client.closed()
  assert.equal(client.socket.errored, null)
})

test('A 408 closes the connection soon, even if its client keeps sending', async (t) => {
  const { connect } = await startServer(t, async () => text('too late', 408))
  const client = await connect()
  client.write(put(60_000))
  const received = await client.until('too late')
  assert.match(received, /Connection: close/)
  const timer = setInterval(() => client.write('x'), 50)
  t.after(() => clearInterval(timer))
  await client.closed()
})

const targets: readonly (readonly [string, string, string])[] = [
  ['/', '/', ''],
  ['/b/k', '/b/k', ''],
  ['/b/k?uploads', '/b/k', 'uploads'],
  ['/b/k?a=1?b=2', '/b/k', 'a=1?b=2'],
  ['/b/k?', '/b/k', ''],
  ['/b//../%2F+%zz', '/b//../%2F+%zz', ''],
  ['/b/k#fragment', '/b/k#fragment', ''],
  ['http://host:9000/b/k?x', '/b/k', 'x'],
  ['HTTPS://host/b', '/b', ''],
  ['http://host', '/', ''],
  ['http://host?list-type=2', '/', 'list-type=2'],
  ['//host/key', '//host/key', ''],
]

for (const [target, rawPath, rawQuery] of targets) {
  test(`A request target ${target} is split without change`, () => {
    assert.deepEqual(parseRequestTarget(target), { rawPath, rawQuery })
  })
}

for (const target of ['*', 'host:443', '', 'ftp://host/x', 'b/k', 'http://']) {
  test(`A request target ${JSON.stringify(target)} names no path`, () => {
    assert.equal(parseRequestTarget(target), undefined)
  })
}
