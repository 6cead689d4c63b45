import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ProxyFault, proxyFaults, startFaultyProxy } from './faulty-proxy.ts'
import { startStub } from './stub-upstream.ts'

/** A server that reports what it received, behind a proxy. */
async function start(t: TestContext) {
  const got: { readonly method: string | undefined; bytes: number; isWhole: boolean }[] = []
  const stub = await startStub((request, response) => {
    const seen = { method: request.method, bytes: 0, isWhole: false }
    got.push(seen)
    request.on('data', (chunk: Buffer) => {
      seen.bytes += chunk.length
    })
    request.on('error', () => undefined)
    request.on('end', () => {
      seen.isWhole = true
      response.setHeader('x-path', request.url ?? '')
      response.end('an answer of 26 characters')
    })
  })
  t.after(() => stub.close())
  const proxy = await startFaultyProxy(t, stub.origin)
  const send = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(proxy.urlFor(stub.origin) + path, init)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return { got, proxy, send }
}

const put = { method: 'PUT', body: Buffer.alloc(200_000) }

test('the proxy passes requests and answers through unchanged', async (t) => {
  const { got, proxy, send } = await start(t)
  const answer = await send('/a%20b/%41?x', put)
  assert.deepEqual([answer.status, answer.text], [200, 'an answer of 26 characters'])
  assert.equal(answer.headers.get('x-path'), '/a%20b/%41?x')
  assert.deepEqual(got, [{ method: 'PUT', bytes: 200_000, isWhole: true }])
  assert.deepEqual(proxy.requests, [{ method: 'PUT', path: '/a%20b/%41?x' }])
})

interface Effect {
  /** Undefined: the request fails. */
  readonly status: number | undefined
  /** Bytes of the body that reached the server; undefined: it did not get the request. */
  readonly serverGot: number | undefined
}

const effects: Readonly<Record<keyof typeof proxyFaults, Effect>> = {
  'dropped before': { status: undefined, serverGot: undefined },
  'dropped at the first byte': { status: undefined, serverGot: 1 },
  'dropped in the body': { status: undefined, serverGot: 70_000 },
  'dropped after': { status: undefined, serverGot: 200_000 },
  'answer cut off': { status: undefined, serverGot: 200_000 },
  'gateway timeout before': { status: 504, serverGot: undefined },
  'gateway timeout after': { status: 504, serverGot: 200_000 },
  'internal error': { status: 500, serverGot: undefined },
  'bad gateway after': { status: 502, serverGot: 200_000 },
  unavailable: { status: 503, serverGot: undefined },
  'too many requests': { status: 429, serverGot: undefined },
  locked: { status: 423, serverGot: undefined },
  full: { status: 507, serverGot: undefined },
}

for (const [name, { status, serverGot }] of Object.entries(effects)) {
  test(`the fault "${name}" reaches the client and has its effect on the server`, async (t) => {
    const { got, proxy, send } = await start(t)
    proxy.faults.add({ fault: proxyFaults[name as keyof typeof proxyFaults] })
    if (status === undefined) await assert.rejects(send('/a', put), TypeError)
    else assert.equal((await send('/a', put)).status, status)
    assert.equal(got[0]?.bytes, serverGot)
    assert.equal((await send('/a', put)).status, 200)
  })
}

test('a fault applies to matching requests, as often as requested', async (t) => {
  const { proxy, send } = await start(t)
  const fault: ProxyFault = { kind: 'answer', status: 503 }
  proxy.faults.add({ method: 'PUT', path: /^\/b/, skip: 1, times: 2, fault })
  const statuses = []
  for (const path of ['/a', '/b', '/b', '/a', '/b', '/b']) {
    statuses.push((await send(path, put)).status)
    statuses.push((await send(path)).status)
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 503, 200, 200, 200, 503, 200, 200, 200])
  assert.deepEqual(
    proxy.faults.struck.map(({ method, path }) => `${method} ${path}`),
    ['PUT /b', 'PUT /b'],
  )
  assert.equal(proxy.faults.waiting, 0)
})

test('a test can act between a request and the server', async (t) => {
  const { got, proxy, send } = await start(t)
  let gotBefore = -1
  const run = async () => {
    gotBefore = got.length
  }
  proxy.faults.add({ fault: { kind: 'run', run } })
  assert.equal((await send('/a')).status, 200)
  assert.deepEqual([gotBefore, got.length], [0, 1])
})

test('an answer that is cut off starts before it breaks off', async (t) => {
  const { proxy, send } = await start(t)
  proxy.faults.add({ fault: { kind: 'drop-in-answer', bytes: 10 } })
  const answer = await fetch(`http://127.0.0.1:${proxy.port}/a`)
  assert.equal(answer.headers.get('content-length'), '26')
  await assert.rejects(answer.text(), TypeError)
  assert.equal((await send('/a')).text.length, 26)
})
