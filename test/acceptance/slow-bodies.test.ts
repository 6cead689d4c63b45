/** Clients that send their bodies slowly: strangers have limits, and those who signed in do not. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startWithUpstream } from '../support/calling.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword } from '../support/management-client.ts'
import { formBody, signedFields } from '../support/post-form.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { signHeaders } from '../support/signed-request.ts'

type World = Awaited<ReturnType<typeof start>>

interface SlowRequest {
  readonly method?: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** A gateway whose monotonic clock the test can advance. */
async function start(t: TestContext) {
  const settings = { COMPATIBILITY: 'aws', DASHBOARD_PASSWORD: dashboardPassword }
  const gateway = await startWithUpstream(t, {}, settings)
  const { management, port } = gateway
  const made = { kind: 'drop', bucket: testBucket, path: 'in/' }
  const drop = await management.done('POST', '/shares', made)
  const locked = await management.done('POST', '/shares', { ...made, password: 'a password' })
  const real = performance.now.bind(performance)
  let skewMs = 0
  t.mock.method(performance, 'now', () => real() + skewMs)
  return {
    ...gateway,
    drop: new URL(drop.url).pathname,
    locked: new URL(locked.url).pathname,
    pass: (ms: number) => {
      skewMs += ms
    },
    /** Sends a head; the body is sent when the gateway asks for it. */
    async begin({ method = 'POST', target, headers = {}, body }: SlowRequest) {
      const connection = await RawConnection.open(port)
      t.after(() => connection.destroy())
      const lines = Object.entries({
        ...{ host: gateway.host, 'content-length': String(Buffer.byteLength(body)) },
        ...{ expect: '100-continue', ...headers },
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      connection.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
      const received = await connection.until('\r\n\r\n')
      return { connection, isAsked: received.startsWith('HTTP/1.1 100') }
    },
  }
}

const json = { 'content-type': 'application/json' }
const urlEncoded = { 'content-type': 'application/x-www-form-urlencoded' }
const zeros = '0'.repeat(64)

function signed(world: World, method: string, target: string, body: string): SlowRequest {
  const { host, credentials } = world
  const headers = signHeaders(
    { method, target, host, headers: { 'content-length': String(body.length) } },
    credentials,
  )
  return { method, target, headers, body }
}

function form(world: World, boundary: string): { type: string; body: Uint8Array } {
  const fields = signedFields({ bucket: testBucket, fields: [['key', 'k']] }, world.credentials)
  return formBody(fields, { file: 'x'.repeat(100) }, boundary)
}

function formRequest(world: World): SlowRequest {
  const { type, body } = form(world, 'b0undary')
  return { target: `/${testBucket}`, headers: { 'content-type': type }, body }
}

/** Whose bodies are read before anybody has signed in, and what follows from a byte after half a minute. */
const strangers: Readonly<
  Record<string, readonly [(world: World) => SlowRequest, status: number, text: string]>
> = {
  'the fields of a form': [formRequest, 400, '<Code>RequestTimeout<'],
  'an upload to a link': [
    ({ drop }) => ({ method: 'PUT', target: `${drop}/a.txt`, body: zeros }),
    503,
    'This link does not work at the moment',
  ],
  'the password of a share': [
    ({ locked }) => ({ target: `${locked}/unlock`, headers: urlEncoded, body: zeros }),
    400,
    'The password could not be read',
  ],
  'a login': [
    () => ({ target: '/auth/login', headers: json, body: zeros }),
    408,
    'did not arrive in time',
  ],
}

for (const [what, [requestOf, status, text]] of Object.entries(strangers)) {
  test(`A stranger cannot send ${what} byte by byte`, async (t) => {
    const world = await start(t)
    const { connection, isAsked } = await world.begin(requestOf(world))
    assert.ok(isAsked, connection.received)
    world.pass(31_000)
    connection.write('-')
    await connection.until(`\r\n\r\nHTTP/1.1 ${status} `)
    await connection.until(text)
  })
}

/** Requests of strangers whose bodies are not read. */
const unread: Readonly<Record<string, readonly [(world: World) => SlowRequest, number]>> = {
  'an unsigned PUT': [() => ({ method: 'PUT', target: `/${testBucket}/k`, body: zeros }), 403],
  'an unsigned DeleteObjects': [() => ({ target: `/${testBucket}?delete`, body: zeros }), 403],
  'an unsigned GET': [() => ({ method: 'GET', target: `/${testBucket}/k`, body: zeros }), 403],
  'a form for a model': [
    () => ({
      ...{ target: '/v1/audio/transcriptions', body: zeros },
      headers: { 'content-type': 'multipart/form-data; boundary=a' },
    }),
    401,
  ],
  'a call of a model': [
    () => ({ target: '/v1/chat/completions', headers: json, body: zeros }),
    401,
  ],
  'a request of the dashboard': [
    () => ({ target: '/-/api/shares', headers: json, body: zeros }),
    401,
  ],
  'a logout': [() => ({ target: '/auth/logout', body: zeros }), 401],
  'an upload to no link': [
    () => ({ method: 'PUT', target: `/-/s/${'x'.repeat(22)}/a`, body: zeros }),
    404,
  ],
}

test('The bodies of other requests of strangers are not read', async (t) => {
  const world = await start(t)
  for (const [what, [requestOf, status]] of Object.entries(unread)) {
    const { connection, isAsked } = await world.begin(requestOf(world))
    assert.equal(isAsked, false, what)
    assert.match(connection.received, new RegExp(`^HTTP/1.1 ${status} `), what)
  }
})

/** Who has signed in may take any time, as a phone on a slow line does. */
const known: Readonly<Record<string, (world: World) => SlowRequest>> = {
  'a signed PUT': (world) => signed(world, 'PUT', `/${testBucket}/slow`, zeros),
  'the file of a signed form': formRequest,
  'a request of the dashboard': ({ management }) => ({
    ...{
      target: '/-/api/shares',
      headers: { ...json, authorization: `Bearer ${management.token}` },
    },
    body: JSON.stringify({ kind: 'drop', bucket: testBucket, path: 'x/' }),
  }),
}

for (const [what, requestOf] of Object.entries(known)) {
  test(`Who has signed in may send ${what} byte by byte`, async (t) => {
    const world = await start(t)
    const drafted = Promise.withResolvers<void>()
    const { drive } = world
    const draft = drive.draft.bind(drive)
    t.mock.method(drive, 'draft', (...given: Parameters<typeof draft>) => {
      drafted.resolve()
      return draft(...given)
    })
    const request = requestOf(world)
    const bytes = Buffer.from(request.body)
    const { connection, isAsked } = await world.begin(request)
    assert.ok(isAsked)
    // What decides who sends the form comes first.
    const isForm = request.target === `/${testBucket}`
    const slowly = isForm ? 40 : 10
    connection.write(bytes.subarray(0, -slowly))
    if (isForm) await drafted.promise
    for (const byte of bytes.subarray(-slowly)) {
      world.pass(40_000)
      connection.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await connection.until('\r\n\r\nHTTP/1.1 20')
  })
}

test('A stranger may send a file at a few KiB a second', async (t) => {
  const world = await start(t)
  const body = 'x'.repeat(256 * 1024)
  const { connection } = await world.begin({ method: 'PUT', target: `${world.drop}/a`, body })
  for (let sent = 0; sent < body.length; sent += 4 * 1024) {
    world.pass(3_000)
    connection.write(body.slice(sent, sent + 4 * 1024))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await connection.until('HTTP/1.1 201')
})
