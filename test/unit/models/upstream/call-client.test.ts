import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { CallClient, CallStop, NoAnswerError } from '../../../../src/models/upstream/call-client.ts'

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A server that does something with the nth request of each connection. */
async function start(t: TestContext, onRequest: (socket: Socket, count: number) => void) {
  const server = createServer((socket) => {
    let count = 0
    socket.on('error', () => undefined)
    // Head and body may arrive together or not.
    socket.on('data', (bytes) => {
      if (bytes.toString().endsWith('{}')) onRequest(socket, count++)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

function client(t: TestContext) {
  const client = new CallClient({ connectMs: 5_000, idleMs: 5_000 })
  t.after(() => client.close())
  return client
}

const empty = (url: string) => ({
  url,
  headers: ['content-type', 'application/json', 'content-length', '2'],
  body: Buffer.from('{}'),
})

function open(t: TestContext) {
  const calls = client(t)
  return async (url: string): Promise<string> => {
    try {
      const { body } = await calls.send({
        url,
        headers: ['content-type', 'application/json', 'content-length', '2'],
        body: {
          async *[Symbol.asyncIterator]() {
            yield Buffer.from('{}')
          },
        },
        stop: new CallStop(),
      })
      await Array.fromAsync(body)
      return 'answered'
    } catch (error) {
      assert.ok(error instanceof NoAnswerError)
      return error.kind
    }
  }
}

for (const end of ['destroy', 'resetAndDestroy'] as const) {
  test(`A connection that was idle is stale when it ends (${end}), whatever else connects`, async (t) => {
    const answers = await start(t, (socket) => void socket.write(answer))
    let isOtherThere = Promise.resolve('')
    const ends = await start(t, (socket, count) => {
      if (count === 0) {
        socket.write(answer)
        return
      }
      // Another call makes a connection meanwhile.
      isOtherThere = send(answers)
      void isOtherThere.then(() => socket[end]())
    })
    const send = open(t)
    assert.equal(await send(ends), 'answered')
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(await send(ends), 'stale')
    assert.equal(await isOtherThere, 'answered')
  })

  test(`A connection that was made for a call is not stale when it ends (${end})`, async (t) => {
    const send = open(t)
    const ends = await start(t, (socket) => void socket[end]())
    assert.equal(await send(ends), 'closed')
    const begins = await start(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-', () => socket[end]())
    })
    assert.equal(await send(begins), 'closed')
  })
}

test('What arrived of an answer is read before the error that breaks it off', async (t) => {
  const closed = Promise.withResolvers<void>()
  const url = await start(t, (socket) => {
    socket.once('close', closed.resolve)
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok')
  })
  const { body } = await client(t).send({ ...empty(url), stop: new CallStop() })
  // The client has closed its side before anybody reads.
  await closed.promise
  assert.equal(String((await body.next()).value), 'ok')
  await assert.rejects(body.next())
})

test('A call that is stopped rejects with the reason, before and after its answer begins', async (t) => {
  const url = await start(t, (socket, count) => {
    if (count === 0) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok')
  })
  const stop = new CallStop()
  const reason = new Error('enough')
  const { body } = await client(t).send({ ...empty(url), stop })
  await body.next()
  const next = body.next()
  stop.stop(reason)
  await assert.rejects(next, reason)
  await assert.rejects(client(t).send({ ...empty(url), stop }), reason)
})
