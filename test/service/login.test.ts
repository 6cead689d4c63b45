import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { useContractGateway } from '../support/contract-gateway.ts'
import { freshRequest, freshRequests } from '../support/fresh-request.ts'
import { type GatewayProcess, testBucket } from '../support/gateway-process.ts'
import {
  dashboardPassword,
  filesWith,
  idsAt,
  passwordHash,
  startModelsGateway,
  temporaryFolder,
} from '../support/models-gateway.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { startRedis, type TestRedis } from '../support/start-redis.ts'

const right = passwordHash(dashboardPassword)
const wrong = passwordHash('guess')

interface Try {
  readonly hash: string
  readonly from?: string
  readonly forwardedFor?: string
}

function login({ url }: GatewayProcess, { hash, from, forwardedFor }: Try) {
  return freshRequest(`${url}/auth/login`, {
    method: 'POST',
    body: JSON.stringify({ passwordHash: hash }),
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    ...(from === undefined ? {} : { from }),
  })
}

async function tokenOf(gateway: GatewayProcess, from = '127.0.0.1'): Promise<string> {
  const { status, text } = await login(gateway, { hash: right, from })
  assert.equal(status, 200, text)
  return JSON.parse(text).token
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** The statuses of GET /auth/session on both workers. */
async function sessionStatuses({ url }: GatewayProcess, token: string): Promise<number[]> {
  const replies = await freshRequests(4, `${url}/auth/session`, bearer(token))
  return replies.map(({ status }) => status)
}
const everywhere = (status: number) => Array<number>(4).fill(status)

const stores = {
  'the database': { start: async (): Promise<TestRedis | undefined> => undefined, skip: false },
  Redis: { start: startRedis, skip: await absenceOfRedis() },
} as const

async function absenceOfRedis(): Promise<string | false> {
  const redis = await startRedis()
  await redis?.stop()
  return redis === undefined ? 'no redis-server or valkey-server on PATH' : false
}

for (const [store, { start, skip }] of Object.entries(stores)) {
  describe(`Login with AUTH_KV in ${store}`, { skip }, () => {
    let redis: TestRedis | undefined
    const settings: Record<string, string> = { DASHBOARD_PASSWORD: dashboardPassword }
    before(async () => {
      redis = await start()
      if (redis !== undefined) settings.AUTH_KV = redis.url
    })
    const gateway = useContractGateway(settings)
    after(() => redis?.stop())

    test('POST /auth/login returns a token of 256 bits for 12 hours', async () => {
      for (const hash of [right, right.toUpperCase()]) {
        const { status, text, headers } = await login(gateway(), { hash })
        assert.equal(status, 200)
        const { token, ...rest } = JSON.parse(text)
        assert.match(token, /^[A-Za-z0-9_-]{43}$/)
        assert.deepEqual(rest, { expiresIn: 43_200 })
        assert.match(String(headers['content-type']), /^application\/json/)
        assert.equal(headers['cache-control'], 'no-store')
        assert.equal(headers['access-control-allow-origin'], undefined)
      }
    })

    test('GET /auth/session is valid on every worker until the logout', async () => {
      const token = await tokenOf(gateway())
      const { status, text } = await freshRequest(`${gateway().url}/auth/session`, bearer(token))
      assert.deepEqual([status, JSON.parse(text)], [200, { valid: true }])
      assert.deepEqual(await sessionStatuses(gateway(), token), everywhere(200))
      const out = await freshRequest(`${gateway().url}/auth/logout`, {
        method: 'POST',
        ...bearer(token),
      })
      assert.deepEqual([out.status, out.text], [204, ''])
      assert.deepEqual(await sessionStatuses(gateway(), token), everywhere(401))
    })

    test('GET /auth/session is 401 without an issued token', async () => {
      const token = await tokenOf(gateway())
      const values = ['', 'Bearer', 'Bearer ', `Basic ${token}`, token, `Bearer ${token}x`]
      values.push(`Bearer ${'A'.repeat(43)}`, `Bearer ${token.toLowerCase()}`)
      for (const authorization of values) {
        const reply = await freshRequest(`${gateway().url}/auth/session`, {
          headers: { authorization },
        })
        assert.equal(reply.status, 401, authorization)
        assert.equal(typeof JSON.parse(reply.text).message, 'string')
      }
    })

    test('POST /auth/logout of an unknown token is 204 too', async () => {
      const reply = await freshRequest(`${gateway().url}/auth/logout`, {
        method: 'POST',
        ...bearer('A'.repeat(43)),
      })
      assert.equal(reply.status, 204)
    })

    test('POST /auth/login is 400 unless the body is JSON with a passwordHash', async () => {
      for (const body of ['', 'no', '[]', '{}', '{"passwordHash":5}', '{"passwordHash":null}']) {
        const options = { method: 'POST', body, from: '127.0.0.9' }
        const { status, text } = await freshRequest(`${gateway().url}/auth/login`, options)
        assert.equal(status, 400, body)
        assert.equal(typeof JSON.parse(text).message, 'string')
      }
    })

    test('Another method is 405 with Allow', async () => {
      for (const [path, allow] of [
        ['/auth/login', 'POST'],
        ['/auth/session', 'GET, HEAD'],
        ['/auth/logout', 'POST'],
      ]) {
        const { status, headers } = await freshRequest(`${gateway().url}${path}`, {
          method: 'DELETE',
        })
        assert.deepEqual([status, headers.allow], [405, allow])
      }
    })

    test('Five failures, on whatever worker, make it 429 for this client on all of them', async () => {
      const from = '127.0.0.2'
      const token = await tokenOf(gateway(), from)
      for (let failure = 1; failure <= 5; failure++) {
        assert.equal((await login(gateway(), { hash: wrong, from })).status, 401)
      }
      for (const hash of [right, right, right, right, wrong, wrong]) {
        const { status, headers, text } = await login(gateway(), { hash, from })
        assert.equal(status, 429)
        const seconds = Number(headers['retry-after'])
        assert.ok(Number.isInteger(seconds) && seconds > 840 && seconds <= 900, String(seconds))
        assert.equal(typeof JSON.parse(text).message, 'string')
      }
      // Others can sign in, and an existing session of this client stays valid.
      assert.equal((await login(gateway(), { hash: right, from: '127.0.0.3' })).status, 200)
      assert.deepEqual(await sessionStatuses(gateway(), token), everywhere(200))
    })

    test('A successful login clears the count', async () => {
      const from = '127.0.0.4'
      for (const hash of [wrong, wrong, wrong, wrong, right, wrong, wrong, wrong, wrong, right]) {
        const { status } = await login(gateway(), { hash, from })
        assert.equal(status, hash === right ? 200 : 401)
      }
    })

    test('Tries at the same time are no more than five', async () => {
      const from = '127.0.0.5'
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => login(gateway(), { hash: wrong, from })),
      )
      const statuses = replies.map(({ status }) => status)
      assert.equal(statuses.filter((status) => status === 401).length, 5)
      assert.equal(statuses.filter((status) => status === 429).length, 15)
    })

    test('X-Forwarded-For of a client is not believed', async () => {
      const from = '127.0.0.6'
      for (let failure = 1; failure <= 5; failure++) {
        const reply = await login(gateway(), {
          hash: wrong,
          from,
          forwardedFor: `10.1.1.${failure}`,
        })
        assert.equal(reply.status, 401)
      }
      const blocked = await login(gateway(), { hash: right, from, forwardedFor: '10.1.1.9' })
      assert.equal(blocked.status, 429)
    })
  })
}

test('X-Forwarded-For counts from a proxy of TRUST_PROXY', async (t) => {
  const gateway = await startModelsGateway(t, { TRUST_PROXY: '127.0.0.7' })
  const throughProxy = (hash: string, forwardedFor: string) =>
    login(gateway, { hash, forwardedFor, from: '127.0.0.7' })
  for (let failure = 1; failure <= 5; failure++) {
    // What the client itself wrote in front is not believed.
    const reply = await throughProxy(wrong, `192.0.2.${failure}, 198.51.100.1`)
    assert.equal(reply.status, 401)
  }
  assert.equal((await throughProxy(right, '198.51.100.1')).status, 429)
  assert.equal((await throughProxy(right, '198.51.100.2')).status, 200)
  const direct = await login(gateway, { hash: right, forwardedFor: '198.51.100.1' })
  assert.equal(direct.status, 200)
})

test('A proxy that TRUST_PROXY does not name is logged once by all workers together', async (t) => {
  const gateway = await startModelsGateway(t)
  for (let turn = 0; turn < 6; turn++) {
    await login(gateway, { hash: right, forwardedFor: '198.51.100.1', from: '127.0.0.8' })
  }
  await until(async () => gateway.logs().includes('set TRUST_PROXY=127.0.0.8'))
  await gateway.stop()
  assert.equal(gateway.logs().split('set TRUST_PROXY=').length, 2)
})

test('Logins from a page of another origin get 403 and count for no lockout', async (t) => {
  const gateway = await startModelsGateway(t, { PUBLIC_URL: 'https://s3.example.org' })
  const send = (headers: Readonly<Record<string, string>>, hash = wrong) =>
    freshRequest(`${gateway.url}/auth/login`, {
      method: 'POST',
      body: JSON.stringify({ passwordHash: hash }),
      headers: { 'content-type': 'text/plain', ...headers },
    })
  for (let turn = 0; turn < 4; turn++) {
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://e.example' },
      { 'sec-fetch-site': 'same-site', origin: 'https://other.example.org' },
      { origin: 'https://e.example' },
      { origin: 'null' },
    ]) {
      const { status, text } = await send(headers, right)
      assert.equal(status, 403)
      assert.equal(typeof JSON.parse(text).message, 'string')
    }
  }
  for (const headers of [
    {},
    { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:5173' },
    { origin: 'https://s3.example.org' },
    { origin: gateway.url },
  ]) {
    assert.equal((await send(headers, right)).status, 200, JSON.stringify(headers))
  }
})

test('Sessions and failures survive a restart, and no file has a token', async (t) => {
  const folder = temporaryFolder(t)
  const first = await startModelsGateway(t, {}, folder)
  const token = await tokenOf(first)
  for (let failure = 1; failure <= 5; failure++) {
    await login(first, { hash: wrong, from: '127.0.0.2' })
  }
  await first.stop()
  for (const secret of [token, dashboardPassword, right]) {
    assert.deepEqual(filesWith(folder, secret), [])
    assert.equal(first.logs().includes(secret), false)
  }
  assert.ok(filesWith(folder, 'login-failures').length > 0)

  const second = await startModelsGateway(t, {}, folder)
  assert.deepEqual(await sessionStatuses(second, token), everywhere(200))
  assert.equal((await login(second, { hash: right, from: '127.0.0.2' })).status, 429)
  await second.stop()

  const third = await startModelsGateway(t, { DASHBOARD_PASSWORD: 'a-new-one' }, folder)
  assert.deepEqual(await sessionStatuses(third, token), everywhere(401))
})

test('Without DASHBOARD_PASSWORD the dashboard is 503, and the rest is served', async (t) => {
  const gateway = await startModelsGateway(t, { DASHBOARD_PASSWORD: '' })
  const token = 'A'.repeat(43)
  const replies = [
    await login(gateway, { hash: right }),
    await freshRequest(`${gateway.url}/auth/session`, bearer(token)),
    await freshRequest(`${gateway.url}/auth/logout`, { method: 'POST', ...bearer(token) }),
    await freshRequest(`${gateway.url}/-/api/routing`, bearer(token)),
  ]
  for (const { status, text } of replies) {
    assert.equal(status, 503)
    assert.match(JSON.parse(text).message, /DASHBOARD_PASSWORD/)
  }
  assert.ok((await idsAt(gateway.url)).length > 0)
})

test('The management API is 401 without a session', async (t) => {
  const gateway = await startModelsGateway(t)
  for (const [method, path] of [
    ['GET', ''],
    ['PUT', ''],
    ['GET', '/export'],
    ['POST', '/import'],
    ['POST', '/connections'],
    ['POST', '/connections/any/test'],
  ] as const) {
    for (const options of [{}, bearer('A'.repeat(43))]) {
      const url = `${gateway.url}/-/api/routing${path}`
      const { status } = await freshRequest(url, { method, ...options })
      assert.equal(status, 401, `${method} ${path}`)
    }
  }
})

async function redisOrSkip(t: TestContext): Promise<TestRedis | undefined> {
  const redis = await startRedis()
  if (redis === undefined) t.skip('no redis-server or valkey-server on PATH')
  else t.after(() => redis.stop())
  return redis
}

test('Without AUTH_KV the dashboard answers 503 until it returns; S3 and the model list keep working', async (t) => {
  const redis = await redisOrSkip(t)
  if (redis === undefined) return
  const gateway = await startModelsGateway(t, { AUTH_KV: redis.url })
  const token = await tokenOf(gateway)
  assert.deepEqual(await sessionStatuses(gateway, token), everywhere(200))
  await redis.stop()
  assert.deepEqual(await sessionStatuses(gateway, token), everywhere(503))
  assert.equal((await login(gateway, { hash: right })).status, 503)
  const routing = await freshRequest(`${gateway.url}/-/api/routing`, bearer(token))
  assert.equal(routing.status, 503)
  const target = `/${testBucket}/during.txt`
  const put = await signedFetch(gateway, { method: 'PUT', target, body: 'x' })
  assert.equal(put.status, 200)
  assert.equal(await (await signedFetch(gateway, { method: 'GET', target })).text(), 'x')
  assert.ok((await idsAt(gateway.url)).length > 0)
  assert.equal((await fetch(`${gateway.url}/-/healthz`)).status, 200)

  const back = await startRedis({ port: Number(new URL(redis.url).port) })
  t.after(() => back?.stop())
  await until(async () => (await login(gateway, { hash: right })).status === 200)
  // What Redis kept in memory alone is lost with it.
  await until(async () => (await sessionStatuses(gateway, token)).every((status) => status === 401))
  assert.match(gateway.logs(), /AUTH_KV is not responding/)
})

test('A Redis that never answers causes 503 within seconds, and S3 keeps working', async (t) => {
  const redis = await redisOrSkip(t)
  if (redis === undefined) return
  const gateway = await startModelsGateway(t, { AUTH_KV: redis.url })
  const token = await tokenOf(gateway)
  redis.freeze()
  const startedAt = performance.now()
  const pending = freshRequest(`${gateway.url}/auth/session`, bearer(token))
  const target = `/${testBucket}/during.txt`
  assert.equal((await signedFetch(gateway, { method: 'PUT', target, body: 'x' })).status, 200)
  assert.equal((await pending).status, 503)
  assert.ok(performance.now() - startedAt < 10_000)
  redis.thaw()
  await until(async () => (await sessionStatuses(gateway, token)).every((status) => status === 200))
})

test('A gateway starts without its Redis and serves S3', async (t) => {
  const gateway = await startModelsGateway(t, { AUTH_KV: 'redis://127.0.0.1:1' })
  const target = `/${testBucket}/first.txt`
  assert.equal((await signedFetch(gateway, { method: 'PUT', target, body: 'x' })).status, 200)
  assert.equal((await login(gateway, { hash: right })).status, 503)
})

/** Resolves when it holds; fails after 15 s. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 15_000
  while (!(await holds())) {
    assert.ok(performance.now() < deadlineMs, 'it did not come true in time')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
