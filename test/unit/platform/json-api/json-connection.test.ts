import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import type { StreamBody } from '../../../../src/platform/http/message.ts'
import {
  type JsonHandlerOptions,
  jsonHandler,
} from '../../../../src/platform/json-api/json-handler.ts'
import {
  type Access,
  JsonBytes,
  type Route,
  route,
} from '../../../../src/platform/json-api/route.ts'
import { type Fixture, startServer } from '../http/http-server-fixture.ts'

interface JsonFixture extends Fixture {
  readonly failures: readonly unknown[]
  /** Writes these bytes on a new connection and returns the reply up to `text`. */
  exchange(bytes: string, text: string): Promise<string>
}

/** Serves these routes over HTTP. */
async function start(
  t: TestContext,
  routes: readonly Route[],
  options: JsonHandlerOptions = {},
): Promise<JsonFixture> {
  const failures: unknown[] = []
  const handler = jsonHandler(routes, { onFailure: (error) => failures.push(error), ...options })
  const fixture = await startServer(t, handler, { halfOpenMs: 100 })
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

function echo(access: Access = { admit: () => undefined }): Route {
  return route({
    ...{ method: 'POST', path: '/echo', operationId: 'echo', summary: 'x', bodyLimit: 100 },
    access,
    body: z.object({ text: z.string() }),
    reply: z.object({ text: z.string(), id: z.string() }),
    answer: async ({ body, request: { id } }) => ({ ...body, id }),
  })
}

function getter(path: string, answer: Route['answer']): Route {
  return {
    ...route({ method: 'GET', path, operationId: 'get', summary: 'x', answer }),
    reply: z.unknown(),
  }
}

const post = 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'

test('a handler of JSON carries request and reply, and names the operation for the log', async (t) => {
  const { exchange, outcomes, finished } = await start(t, [echo()])
  // One character is one byte on the wire.
  const body = Buffer.from('{"text":"é"}').toString('latin1')
  const reply = await exchange(`${post}Content-Length: ${body.length}\r\n\r\n${body}`, '}')
  assert.match(reply, /^HTTP\/1\.1 200 OK\r\nx-request-id: [0-9A-F]{16}\r\n/)
  const id = /x-request-id: (\S+)/.exec(reply)?.[1]
  const answer = Buffer.from(reply.slice(reply.indexOf('{')), 'latin1').toString()
  assert.deepEqual(JSON.parse(answer), { text: 'é', id })
  await finished(1)
  assert.deepEqual(outcomes[0]?.logFields, { operation: 'echo' })
})

test('a handler of JSON reads a chunked body, and keeps the connection for the next request', async (t) => {
  const { connect, finished, outcomes } = await start(t, [echo()])
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

test('a handler of JSON asks for a body only when a route reads it', async (t) => {
  const { exchange } = await start(t, [echo()])
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

test('a handler of JSON refuses a chunked body as soon as it is too large', async (t) => {
  const { exchange } = await start(t, [echo()])
  const reply = await exchange(
    `${post}Transfer-Encoding: chunked\r\n\r\n65\r\n${' '.repeat(0x65)}\r\n`,
    '}',
  )
  assert.match(reply, /^HTTP\/1\.1 413 /)
})

test('a handler of JSON answers 408 when a body stands still', async (t) => {
  const { exchange, failures } = await start(t, [echo()], { bodyIdleMs: 50 })
  const reply = await exchange(`${post}Content-Length: 12\r\n\r\n{"te`, '}')
  assert.match(reply, /^HTTP\/1\.1 408 /)
  assert.match(reply, /\{"message":"The body did not arrive in time\."\}/)
  assert.deepEqual(failures, [])
})

test('a handler of JSON answers 408 when a body without a session trickles, and closes', async (t) => {
  const { connect } = await start(t, [echo()], { bodyTotalMs: 200 })
  const connection = await connect()
  connection.write(`${post}Content-Length: 100\r\n\r\n{"text":"`)
  const timer = setInterval(() => connection.write('a'), 10)
  t.after(() => clearInterval(timer))
  assert.match(await connection.closed(), /^HTTP\/1\.1 408 [\s\S]*Connection: close/)
})

test('a handler of JSON gives a body with a session as much time as it needs', async (t) => {
  const known = echo({ admit: () => undefined, knowsClients: true })
  const { connect } = await start(t, [known], { bodyTotalMs: 50 })
  const connection = await connect()
  connection.write(`${post}Content-Length: 12\r\n\r\n{"text":`)
  await new Promise((resolve) => setTimeout(resolve, 200))
  connection.write('"a"}')
  assert.match(await connection.until('}'), /^HTTP\/1\.1 200 /)
})

test('a handler of JSON takes a request without a body for one, whatever type it claims', async (t) => {
  const end = route({
    ...{ method: 'POST', path: '/end', operationId: 'end', summary: 'x', status: 204 },
    answer: async () => undefined,
  })
  const { exchange } = await start(t, [end])
  const reply = await exchange(
    'POST /end HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n',
    '\r\n\r\n',
  )
  assert.match(reply, /^HTTP\/1\.1 204 /)
  assert.doesNotMatch(reply, /^content-(length|type)/im)
})

test('a handler of JSON answers HEAD with the length of the body and without it', async (t) => {
  const { connect } = await start(t, [getter('/item', async () => ({ name: 'a' }))])
  const connection = await connect()
  connection.write('HEAD /item HTTP/1.1\r\nHost: x\r\n\r\n')
  const head = await connection.until('\r\n\r\n')
  assert.match(head, /\r\ncontent-length: 12\r\n/i)
  connection.write('HEAD /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const both = await connection.closed()
  assert.match(both.slice(head.length), /^HTTP\/1\.1 404 [^{]*\r\n\r\n$/)
})

test('a handler of JSON ends a request when its client disconnects, without a failure', async (t) => {
  let reached: () => void = () => undefined
  const running = new Promise<void>((resolve) => {
    reached = resolve
  })
  const slowRoute = getter('/slow', () => {
    reached()
    return new Promise(() => undefined)
  })
  const { connect, finished, outcomes, failures } = await start(t, [echo(), slowRoute])
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

test('a handler of JSON closes the body of a reply that comes after its client has gone', async (t) => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  const body: StreamBody = {
    length: 2,
    lend: () => Promise.reject(new Error('it is not sent')),
    close: async () => close(),
  }
  const late = getter('/late', async () => {
    reach()
    await released
    return new JsonBytes(body)
  })
  const { connect, finished } = await start(t, [late])
  const connection = await connect()
  connection.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n')
  await reached
  connection.destroy()
  await finished(1)
  release()
  await closed
})
