import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamBody } from '../../../../src/platform/http/message.ts'
import { startServer } from './http-server-fixture.ts'

const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'

function bodyOf(chunks: readonly string[], failure?: Error): StreamBody & { isClosed: boolean } {
  return {
    isClosed: false,
    length: undefined,
    async lend(borrow) {
      for (const chunk of chunks) await borrow(Buffer.from(chunk))
      if (failure !== undefined) throw failure
    },
    async close() {
      this.isClosed = true
    },
  }
}

test('A body without a length is sent in chunks, each at once', async (t) => {
  const next = Promise.withResolvers<void>()
  const body: StreamBody = {
    ...bodyOf([]),
    async lend(borrow) {
      await borrow(Buffer.from('one'))
      await next.promise
      await borrow(Buffer.from('two'))
    },
  }
  const { connect } = await startServer(t, async () => ({ status: 200, headers: [], body }))
  const client = await connect()
  client.write(get)
  const first = await client.until('3\r\none\r\n')
  assert.match(first, /transfer-encoding: chunked/i)
  assert.doesNotMatch(first, /content-length/i)
  next.resolve()
  await client.until('3\r\ntwo\r\n0\r\n\r\n')
})

test('An empty body without a length is complete', async (t) => {
  const body = bodyOf([])
  const { connect, outcomes, finished } = await startServer(t, async () => {
    return { status: 200, headers: [], body }
  })
  const client = await connect()
  client.write(get)
  await client.until('\r\n\r\n0\r\n\r\n')
  await finished(1)
  assert.equal(outcomes[0]?.isAborted, false)
  assert.equal(body.isClosed, true)
})

test('A body that fails does not end cleanly', async (t) => {
  const body = bodyOf(['one'], new Error('broken'))
  const { connect, outcomes, finished } = await startServer(t, async () => {
    return { status: 200, headers: [], body }
  })
  const client = await connect()
  client.write(get)
  const received = await client.closed()
  assert.match(received, /one/)
  assert.doesNotMatch(received, /\r\n0\r\n/)
  await finished(1)
  assert.match(String(outcomes[0]?.failure), /broken/)
  assert.equal(body.isClosed, true)
})

test('An HTTP/1.0 client gets it without chunks', async (t) => {
  const { connect } = await startServer(t, async () => {
    return { status: 200, headers: [], body: bodyOf(['one', 'two']) }
  })
  const client = await connect()
  client.write('GET / HTTP/1.0\r\nHost: h\r\n\r\n')
  assert.match(await client.closed(), /\r\n\r\nonetwo$/)
})
