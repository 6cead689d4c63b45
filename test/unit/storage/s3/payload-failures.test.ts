import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { fakeRequest } from './fake-request.ts'
import { type Headers, Kept, read, rejects, request, streaming } from './payload-fakes.ts'

describe('readPayload, failures', () => {
  test('returns IncompleteBody when the client disconnects, with no write in progress', async () => {
    const body = new Readable({ read: () => undefined })
    const sink = new Kept()
    const headers = { 'content-length': '1000000' }
    const reading = read(fakeRequest({ headers, body }), sink)
    body.push(Buffer.alloc(300_000))
    body.on('error', () => undefined)
    setImmediate(() => body.destroy(new Error('ECONNRESET')))
    const error = await rejects(reading, 'IncompleteBody')
    assert.match(String(error.cause), /ECONNRESET/)
    const written = sink.chunks.length
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(sink.chunks.length, written)
  })

  for (const size of [1_000_000, 4_000_000]) {
    test(`starts no write after it rejected, when the client disconnects during one (${size} bytes)`, async () => {
      const body = new Readable({ read: () => undefined })
      const events: string[] = []
      const slow = {
        write: async () => {
          events.push('begin')
          for (let turn = 0; turn < 20; turn++) {
            await new Promise((resolve) => setImmediate(resolve))
          }
          events.push('end')
        },
      }
      const headers = { 'content-length': `${size}` }
      const reading = read(fakeRequest({ headers, body }), slow).finally(() => {
        events.push('rejected')
      })
      // The second block waits for the write of the first one.
      body.push(Buffer.alloc(900_000))
      while (events.length === 0) await new Promise((resolve) => setImmediate(resolve))
      body.destroy()
      await rejects(reading, 'IncompleteBody')
      for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
      assert.equal(events.at(-1), 'rejected')
      assert.equal(events.at(-2), 'end')
    })
  }

  test('returns IncompleteBody when the client has already disconnected', async () => {
    const body = new Readable({ read: () => undefined }).destroy()
    const headers = { 'content-length': '3' }
    await rejects(read(fakeRequest({ headers, body }), new Kept()), 'IncompleteBody')
  })

  test('returns RequestTimeout when the client sends nothing for the idle timeout', async () => {
    const body = new Readable({ read: () => undefined })
    body.push(Buffer.from('a'))
    const reading = read(fakeRequest({ headers: { 'content-length': '3' }, body }), new Kept(), {
      idleTimeoutMs: 20,
    })
    await rejects(reading, 'RequestTimeout')
    assert.ok(!body.destroyed, 'the connection is needed for the answer')
    assert.equal(body.listenerCount('readable'), 0)
  })

  test('does not count the time of the sink as idle time of the client', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const body = new Readable({ read: () => undefined, highWaterMark: 1 })
    const slow = {
      write: async () => {
        context.mock.timers.tick(1000)
      },
    }
    const headers = { 'content-length': `${3 * 262_144}` }
    const reading = read(fakeRequest({ headers, body }), slow, { idleTimeoutMs: 100 })
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setImmediate(resolve))
      body.push(Buffer.alloc(262_144))
    }
    body.push(null)
    assert.equal((await reading).size, 3 * 262_144)
  })

  test('rejects with the error of the sink', async () => {
    const failure = new Error('disk full')
    let writes = 0
    const full = {
      write: async () => {
        writes++
        throw failure
      },
    }
    const big = Array.from({ length: 10 }, () => Buffer.alloc(262_144))
    await assert.rejects(read(request(big), full), failure)
    assert.equal(writes, 1)
    await assert.rejects(read(request(['abc']), full), failure)
  })

  test('waits for a write in progress before it refuses the body', async () => {
    let isDone = false
    const slow = {
      write: async () => {
        for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
        isDone = true
      },
    }
    const headers = { ...streaming, 'transfer-encoding': 'chunked' }
    const chunk = Buffer.alloc(262_144)
    const reading = read(request(['40000\r\n', chunk, 'broken\r\n'], headers), slow)
    await rejects(reading, 'InvalidRequest')
    assert.ok(isDone)
  })
})

describe('readPayload over a connection', () => {
  async function serve(handle: (body: IncomingMessage) => Promise<string>) {
    const server = createServer((incoming, response) => {
      handle(incoming).then(
        (text) => response.end(text),
        () => response.destroy(),
      )
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const address = server.address()
    assert.ok(typeof address === 'object' && address !== null)
    return { server, port: address.port }
  }
  const readIncoming = (incoming: IncomingMessage) =>
    read(fakeRequest({ headers: incoming.headers as Headers, body: incoming }), new Kept())
  const head = 'PUT /b/k HTTP/1.1\r\nHost: h\r\n'

  test('returns IncompleteBody when the connection ends in the body', async () => {
    const outcome = Promise.withResolvers<unknown>()
    const { server, port } = await serve(async (incoming) => {
      incoming.once('readable', () => socket.destroy())
      await readIncoming(incoming).then(outcome.resolve, outcome.resolve)
      return ''
    })
    const socket = connect(port, '127.0.0.1')
    socket.write(`${head}Content-Length: 100000\r\n\r\nabc`)
    await rejects(
      outcome.promise.then((error) => Promise.reject(error)),
      'IncompleteBody',
    )
    server.close()
  })

  test('a body refused in the middle leaves a connection for the reply', async () => {
    const { server, port } = await serve((incoming) =>
      readIncoming(incoming).then(
        () => 'accepted',
        (error) => error.code,
      ),
    )
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `${head}Content-Length: 100000\r\nx-amz-content-sha256: STREAMING-X\r\n\r\nbroken\r\n`,
    )
    const [reply] = await once(socket, 'data')
    assert.match(String(reply), /200 OK.*InvalidRequest/s)
    socket.destroy()
    server.close()
  })
})
