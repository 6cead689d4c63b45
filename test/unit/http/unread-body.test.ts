import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer, text } from './http-server-fixture.ts'

const refuse = async () => text('refused', 403)
const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'

function put(length: number): string {
  return `PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\n\r\n`
}

test('A small unread body is read away and the connection serves on', async (t) => {
  const { connect } = await startServer(t, refuse)
  const client = await connect()
  client.write(put(60_000))
  await client.until('refused')
  client.write('x'.repeat(60_000))
  client.write(get)
  const received = await client.until('refusedHTTP/1.1 403')
  assert.equal(received.includes('Connection: close'), false)
})

test('A small body that was half read is read away', async (t) => {
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

test('A large unread body: the reply can be read, then the connection closes', async (t) => {
  const { connect } = await startServer(t, refuse)
  const client = await connect()
  client.write(put(50_000_000))
  client.write(Buffer.alloc(20_000_000))
  const received = await client.until('refused')
  assert.match(received, /^HTTP\/1\.1 403[\s\S]*Connection: close/)
  await client.closed()
})

test('A large unread body that fits the limit ends the connection in order', async (t) => {
  const { connect } = await startServer(t, refuse)
  const client = await connect()
  client.write(put(500_000))
  await client.until('refused')
  assert.equal(client.isClosed, false)
  client.write(Buffer.alloc(500_000))
  await client.closed()
  assert.equal(client.received.split('HTTP/1.1').length, 2)
})

test('A body that never comes does not hold the connection for long', async (t) => {
  const { connect } = await startServer(t, refuse)
  const client = await connect()
  client.write('PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n')
  await client.until('refused')
  await client.closed(5_000)
})
