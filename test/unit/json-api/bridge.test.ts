import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import { type BridgeOptions, bridge } from '../../../src/json-api/bridge.ts'
import { enteredRequest } from '../../../src/json-api/entry.ts'
import { createJsonApp, type JsonApp } from '../../../src/json-api/json-app.ts'
import { type Fixture, startServer } from '../http/http-server-fixture.ts'

interface BridgeFixture extends Fixture {
  readonly failures: readonly unknown[]
  /** Writes these bytes on a new connection and returns the reply up to `text`. */
  exchange(bytes: string, text: string): Promise<string>
}

async function start(
  t: TestContext,
  addRoutes: (app: JsonApp) => void,
  options: BridgeOptions = {},
): Promise<BridgeFixture> {
  const failures: unknown[] = []
  const app = createJsonApp({ onFailure: (error) => failures.push(error) })
  addRoutes(app)
  const fixture = await startServer(t, await bridge(app, options), { halfOpenMs: 100 })
  t.after(() => app.close())
  return {
    ...fixture,
    failures,
    async exchange(bytes, text) {
      const connection = await fixture.connect()
      connection.write(bytes)
      return connection.until(text)
    },
  }
}

function addEcho(app: JsonApp): void {
  app.route({
    method: 'POST',
    url: '/echo',
    bodyLimit: 100,
    schema: { operationId: 'echo', body: z.object({ text: z.string() }) },
    handler: async ({ body, ip, id }) => ({ ...body, ip, id }),
  })
}

const post = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

test('bridge carries request and reply, and names the operation for the log', async (t) => {
  const { exchange, outcomes, finished } = await start(t, addEcho)
  // One character is one byte on the wire.
  const body = Buffer.from('{"text":"é"}').toString('latin1')
  const reply = await exchange(`${post}Content-Length: ${body.length}\r\n\r\n${body}`, '}')
  assert.match(reply, /^HTTP\/1\.1 200 OK\r\nx-request-id: [0-9A-F]{16}\r\n/)
  const id = /x-request-id: (\S+)/.exec(reply)?.[1]
  const answer = Buffer.from(reply.slice(reply.indexOf('{')), 'latin1').toString()
  assert.deepEqual(JSON.parse(answer), { text: 'é', ip: '127.0.0.1', id })
  await finished(1)
  assert.deepEqual(outcomes[0]?.logFields, { operation: 'echo' })
})

test('bridge passes the client address to the app', async (t) => {
  const { exchange } = await start(t, addEcho, { clientAddress: () => '203.0.113.7' })
  const reply = await exchange(`${post}Content-Length: 10\r\n\r\n{"text":1}`, '}')
  assert.match(reply, /400/)
  const again = await exchange(`${post}Content-Length: 12\r\n\r\n{"text":"a"}`, '}')
  assert.match(again, /"ip":"203\.0\.113\.7"/)
})

test('bridge hands the path on byte for byte', async (t) => {
  const { exchange } = await start(t, (app) => {
    app.get('/v1/*', async ({ params, url }) => ({ url, rest: (params as { '*': string })['*'] }))
  })
  const reply = await exchange('GET /v1/a/../b%2F%2e?c=/../d HTTP/1.1\r\nHost: x\r\n\r\n', '}')
  assert.match(reply, /"url":"\/v1\/a\/\.\.\/b%2F%2e\?c=\/\.\.\/d","rest":"a\/\.\.\/b\/\."/)
})

test('bridge reads a chunked body, and keeps the connection for the next request', async (t) => {
  const { connect, finished, outcomes } = await start(t, addEcho)
  const connection = await connect()
  const body = '4\r\n{"te\r\n8\r\nxt":"a"}\r\n0\r\n\r\n'
  for (const count of [1, 2]) {
    connection.write(`${post}Transfer-Encoding: chunked\r\n\r\n${body}`)
    await finished(count)
  }
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    [200, 200],
  )
})

test('bridge asks for a body only when the app reads it', async (t) => {
  const { exchange } = await start(t, addEcho)
  const expecting = 'Expect: 100-continue\r\nContent-Length:'
  const wanted = await exchange(`${post}${expecting} 12\r\n\r\n`, '\r\n\r\n')
  assert.match(wanted, /^HTTP\/1\.1 100 /)
  for (const [request, status] of [
    [`${post}${expecting} 101\r\n\r\n`, 413],
    [`${post.replace('/echo', '/nowhere')}${expecting} 12\r\n\r\n`, 404],
    [`${post.replace('POST', 'PUT')}${expecting} 12\r\n\r\n`, 405],
    [`${post.replace('/json', '/xml')}${expecting} 12\r\n\r\n`, 415],
  ] as const) {
    assert.match(await exchange(request, '}'), new RegExp(`^HTTP/1\\.1 ${status} `))
  }
})

test('bridge refuses a chunked body as soon as it is too large', async (t) => {
  const { exchange } = await start(t, addEcho)
  const reply = await exchange(
    `${post}Transfer-Encoding: chunked\r\n\r\n65\r\n${' '.repeat(0x65)}\r\n`,
    '}',
  )
  assert.match(reply, /^HTTP\/1\.1 413 /)
})

test('bridge answers 408 when a body stands still', async (t) => {
  const { exchange, failures } = await start(t, addEcho, { bodyIdleMs: 50 })
  const reply = await exchange(`${post}Content-Length: 12\r\n\r\n{"te`, '}')
  assert.match(reply, /^HTTP\/1\.1 408 /)
  assert.match(reply, /\{"message":"The body did not arrive in time\."\}/)
  assert.deepEqual(failures, [])
})

test('bridge answers 408 when a body without a session trickles, and closes', async (t) => {
  const { connect } = await start(t, addEcho, { bodyTotalMs: 200 })
  const connection = await connect()
  connection.write(`${post}Content-Length: 100\r\n\r\n{"text":"`)
  const timer = setInterval(() => connection.write('a'), 10)
  t.after(() => clearInterval(timer))
  assert.match(await connection.closed(5_000), /^HTTP\/1\.1 408 [\s\S]*Connection: close/)
})

test('bridge gives a body with a session as much time as it needs', async (t) => {
  const addGuarded = (app: JsonApp) => {
    app.addHook('onRequest', async () => {
      const entered = enteredRequest()
      if (entered !== undefined) entered.hasSession = true
    })
    addEcho(app)
  }
  const { connect } = await start(t, addGuarded, { bodyTotalMs: 50 })
  const connection = await connect()
  connection.write(`${post}Content-Length: 12\r\n\r\n{"text":`)
  await new Promise((resolve) => setTimeout(resolve, 200))
  connection.write('"a"}')
  assert.match(await connection.until('}'), /^HTTP\/1\.1 200 /)
})

test('bridge takes a request without a body for one, whatever type it claims', async (t) => {
  const { exchange } = await start(t, (app) => {
    app.post('/end', async (_, reply) => reply.code(204).send())
  })
  const reply = await exchange(
    'POST /end HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n',
    '\r\n\r\n',
  )
  assert.match(reply, /^HTTP\/1\.1 204 /)
  assert.doesNotMatch(reply, /^content-(length|type)/im)
})

test('bridge answers HEAD with the length of the body and without it', async (t) => {
  const { connect } = await start(t, (app) => {
    app.get('/item', async () => ({ name: 'a' }))
  })
  const connection = await connect()
  connection.write('HEAD /item HTTP/1.1\r\nHost: x\r\n\r\n')
  const head = await connection.until('\r\n\r\n')
  assert.match(head, /\r\ncontent-length: 12\r\n/)
  connection.write('HEAD /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const both = await connection.closed()
  assert.match(both.slice(head.length), /^HTTP\/1\.1 404 [^{]*\r\n\r\n$/)
})

test('bridge ends a request when its client disconnects, without a failure', async (t) => {
  let reached: () => void = () => undefined
  const running = new Promise<void>((resolve) => {
    reached = resolve
  })
  const { connect, finished, outcomes, failures } = await start(t, (app) => {
    addEcho(app)
    app.get('/slow', () => {
      reached()
      return new Promise(() => undefined)
    })
  })
  const slow = await connect()
  slow.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await running
  slow.destroy()
  await finished(1)
  const sending = await connect()
  sending.write(`${post}Expect: 100-continue\r\nContent-Length: 12\r\n\r\n`)
  await sending.until('100 Continue')
  sending.write('{"te')
  sending.destroy()
  await finished(2)
  assert.deepEqual(
    outcomes.map(({ isAborted, failure }) => [isAborted, failure]),
    [
      [true, undefined],
      [true, undefined],
    ],
  )
  assert.deepEqual(failures, [])
})
