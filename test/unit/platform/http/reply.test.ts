import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpReply, HttpRequest, StreamBody } from '../../../../src/platform/http/message.ts'
import { startServer, text } from './http-server-fixture.ts'

const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'
const head = 'HEAD / HTTP/1.1\r\nHost: h\r\n\r\n'

/** A stream that reports when it is closed. */
function traced(length: number, chunks: readonly (Uint8Array | Error)[]) {
  let onRelease: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    onRelease = resolve
  })
  const body: StreamBody = {
    length,
    lend: async (borrow) => {
      for (const chunk of chunks) {
        if (chunk instanceof Error) throw chunk
        await borrow(chunk)
      }
    },
    close: async () => onRelease(),
  }
  return { body, released }
}

function bytes(...sizes: number[]): Uint8Array[] {
  return sizes.map((size, index) => Buffer.alloc(size, 97 + index))
}

function ok(body: HttpReply['body']): HttpReply {
  return { status: 200, headers: [], ...(body === undefined ? {} : { body }) }
}

test('A reply has its headers in order, Content-Length, Date and Server', async (t) => {
  const { connect } = await startServer(t, async () => ({
    status: 200,
    headers: [
      ['X-B', '\xe9'],
      ['X-A', '1'],
      ['X-A', '2'],
    ],
    body: 'caf\u00e9',
  }))
  const client = await connect()
  client.write(get)
  const received = await client.until('caf')
  assert.match(
    received,
    /^HTTP\/1\.1 200 OK\r\nX-B: \xe9\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 5\r\nServer: Bucketry\r\nDate: [^\r]+ GMT\r\n/,
  )
  assert.ok(received.endsWith('\r\n\r\ncaf\xc3\xa9'))
})

for (const [name, sizes] of [
  ['in one chunk', [1024]],
  ['in one large chunk', [300_000]],
  ['in several chunks', [10, 0, 70_000, 1]],
  ['of no bytes', []],
] as const) {
  test(`A stream ${name} is sent whole and keeps the connection`, async (t) => {
    const chunks = bytes(...sizes)
    const total = Buffer.concat(chunks).toString('latin1')
    const { connect, outcomes, finished } = await startServer(t, async (request) => {
      if (request.rawPath === '/next') return text('second')
      return ok(traced(total.length, chunks).body)
    })
    const client = await connect()
    client.write(`${get}${get.replace('/ ', '/next ')}`)
    const received = await client.until('second')
    assert.ok(received.includes(`Content-Length: ${total.length}\r\n`))
    assert.ok(received.includes(`\r\n\r\n${total}HTTP/1.1 200 OK\r\n`))
    await finished(2)
    const outcome = outcomes.find(({ rawPath }) => rawPath === '/')
    assert.equal(outcome?.bytesSent, total.length)
    assert.equal(outcome.isAborted, false)
  })
}

for (const [name, length, chunks] of [
  ['is shorter than declared', 100, bytes(50)],
  ['is longer than declared', 100, bytes(60, 60)],
  ['fails in the middle', 100, [...bytes(50), new Error('disk')]],
] as const) {
  test(`A stream that ${name} closes the connection`, async (t) => {
    const { body, released } = traced(length, chunks)
    const { connect, outcomes, finished } = await startServer(t, async () => ok(body))
    const client = await connect()
    client.write(get)
    const received = await client.closed()
    assert.ok(received.length < 400 && !received.includes('fault'))
    await released
    await finished(1)
    assert.ok(outcomes[0]?.failure instanceof Error)
    assert.equal(outcomes[0]?.isAborted, true)
  })
}

test('A stream that fails before its first byte is answered as an internal fault', async (t) => {
  const { body, released } = traced(100, [new Error('disk')])
  const { connect, outcomes, finished } = await startServer(t, async () => ok(body))
  const client = await connect()
  client.write(get)
  await client.until('fault internal')
  await released
  await finished(1)
  assert.equal(outcomes[0]?.status, 500)
})

test('A stream that fails after its first byte is not answered again', async (t) => {
  const { body } = traced(100, [...bytes(50), new Error('disk')])
  const { connect, outcomes, finished } = await startServer(t, async () => ok(body))
  const client = await connect()
  client.write(get)
  assert.ok(!(await client.closed()).includes('fault internal'))
  await finished(1)
  assert.ok(outcomes[0]?.failure instanceof Error)
})

test('HEAD sends the length of the body without the body, and frees it', async (t) => {
  const { body, released } = traced(1234, bytes(1234))
  const { connect } = await startServer(t, async () => ok(body))
  const client = await connect()
  client.write(`${head}`)
  const received = await client.until('\r\n\r\n')
  await released
  assert.match(received, /Content-Length: 1234\r\n/)
  assert.ok(received.endsWith('\r\n\r\n'))
})

test('HEAD keeps the Content-Length of the handler', async (t) => {
  const { connect } = await startServer(t, async () => ({
    status: 200,
    headers: [['Content-Length', '77']],
  }))
  const client = await connect()
  client.write(`${head}${head}`)
  const received = await client.until('\r\n\r\nHTTP/1.1')
  assert.equal(received.match(/Content-Length: 77\r\n/g)?.length, 2)
})

for (const status of [204, 304]) {
  test(`A reply with status ${status} has neither body nor Content-Length`, async (t) => {
    const { connect } = await startServer(t, async () => text('must not appear', status))
    const client = await connect()
    client.write(`${get}${get}`)
    const received = await client.until('\r\n\r\nHTTP/1.1')
    assert.equal(received.includes('must not appear'), false)
    assert.equal(received.includes('Content-Length'), false)
  })
}

test('A reply without body has Content-Length 0', async (t) => {
  const { connect } = await startServer(t, async () => ok(undefined))
  const client = await connect()
  client.write(get)
  assert.match(await client.until('\r\n\r\n'), /Content-Length: 0\r\n/)
})

test('A header value that HTTP does not allow is answered as an internal fault', async (t) => {
  const { connect } = await startServer(t, async () => ({
    status: 200,
    headers: [['X-A', 'a\r\nX-Injected: 1']],
    body: 'x',
  }))
  const client = await connect()
  client.write(get)
  assert.equal((await client.until('fault internal')).includes('Injected'), false)
})

test('A client that disconnects within a stream releases its resources', async (t) => {
  let release: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const endless: StreamBody = {
    length: 1e12,
    lend: async (borrow) => {
      for (;;) await borrow(Buffer.alloc(65_536))
    },
    close: async () => release(),
  }
  const { connect, outcomes, finished } = await startServer(t, async () => ok(endless))
  const client = await connect()
  client.write(get)
  await client.until('\r\n\r\n')
  client.destroy()
  await released
  await finished(1)
  assert.equal(outcomes[0]?.isAborted, true)
  assert.ok((outcomes[0]?.bytesSent ?? 0) < 1e12)
})

test('A client that disconnects before the reply releases a stream that never began', async (t) => {
  const { body, released } = traced(10, bytes(10))
  const handler = async (request: HttpRequest) => {
    await new Promise((resolve) => request.signal.addEventListener('abort', resolve))
    return ok(body)
  }
  const { connect } = await startServer(t, handler, { halfOpenMs: 100 })
  const client = await connect()
  client.write(get)
  client.destroy()
  await released
})

test('A client that reads nothing is disconnected, a slow handler is not', async (t) => {
  const { connect, outcomes, finished } = await startServer(
    t,
    async (request) => {
      if (request.rawPath === '/slow') {
        await new Promise((resolve) => setTimeout(resolve, 400))
        return text('slow but fine')
      }
      return ok({
        length: 1e12,
        lend: async (borrow) => {
          for (;;) await borrow(Buffer.alloc(1024 * 1024))
        },
        close: async () => undefined,
      })
    },
    { idleWriteMs: 100, checkEveryMs: 20 },
  )
  const slow = await connect()
  slow.write('GET /slow HTTP/1.1\r\nHost: h\r\n\r\n')
  const deaf = await connect()
  deaf.socket.pause()
  deaf.write(get)
  await slow.until('slow but fine')
  await finished(2)
  assert.deepEqual(outcomes.map((outcome) => [outcome.rawPath, outcome.isAborted]).sort(), [
    ['/', true],
    ['/slow', false],
  ])
})
