import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyValueError } from '../../../../src/platform/state/key-value/key-value.ts'
import { open, password, passwordHash } from './login-fixture.ts'

const wrong = { passwordHash: 'f'.repeat(64) }

test('login with the right hash returns a token and its lifetime in seconds', async () => {
  const { signIn } = await open()
  for (const hash of [passwordHash, passwordHash.toUpperCase()]) {
    const reply = await signIn({ passwordHash: hash })
    assert.equal(reply.status, 200)
    assert.deepEqual(Object.keys(reply.json()), ['token', 'expiresIn'])
    assert.match(reply.json().token, /^[A-Za-z0-9_-]{43}$/)
    assert.equal(reply.json().expiresIn, 43_200)
    assert.equal(reply.headers['cache-control'], 'no-store')
  }
})

const badBodies: readonly (readonly [title: string, payload: string | undefined])[] = [
  ['no body', undefined],
  ['JSON that is none', '{"passwordHash":'],
  ['a form', `passwordHash=${passwordHash}`],
  ['no passwordHash', '{"password":"x"}'],
  ['a passwordHash that is no text', '{"passwordHash":1}'],
  ['a passwordHash of null', '{"passwordHash":null}'],
  ['an array', `["${passwordHash}"]`],
  ['null', 'null'],
  ['a prototype', `{"passwordHash":"${passwordHash}","__proto__":{}}`],
]

for (const [title, payload] of badBodies) {
  test(`login with ${title} is 400, and no failure to count`, async () => {
    const { send, store } = await open()
    const headers = { 'content-type': 'application/json' }
    const reply = await send({
      method: 'POST',
      url: '/auth/login',
      ...(payload === undefined ? {} : { payload, headers }),
    })
    assert.equal(reply.status, 400)
    assert.equal(typeof reply.json().message, 'string')
    assert.equal(store.entries.size, 0)
  })
}

test('login takes JSON whatever its type is called, and fields it does not know', async () => {
  const { send } = await open()
  const form = 'application/x-www-form-urlencoded'
  const types = ['text/plain;charset=UTF-8', form, 'a/b', 'json', '', '/', ';', undefined]
  for (const type of types) {
    const payload = Buffer.from(JSON.stringify({ passwordHash, remember: true }))
    const headers = { 'content-length': String(payload.length), 'content-type': type }
    const reply = await send({ method: 'POST', url: '/auth/login', payload, headers })
    assert.equal(reply.status, 200, type)
  }
})

test('login with a body over 16 KiB is 413', async () => {
  const { signIn } = await open()
  assert.equal((await signIn({ passwordHash: 'f'.repeat(17_000) })).status, 413)
})

for (const hash of ['f'.repeat(64), '', 'x', passwordHash.slice(1), password, 'z'.repeat(64)]) {
  test(`login with ${hash.slice(0, 12) || 'an empty hash'} is 401`, async () => {
    const { signIn, store } = await open()
    const reply = await signIn({ passwordHash: hash })
    assert.equal(reply.status, 401)
    assert.deepEqual(Object.keys(reply.json()), ['message'])
    assert.equal(reply.headers['www-authenticate'], 'Bearer')
    assert.equal(store.entries.size, 1)
  })
}

test('login is 429 with Retry-After after five failures, even with the right password', async () => {
  const { signIn } = await open()
  for (let count = 0; count < 5; count++) assert.equal((await signIn(wrong)).status, 401)
  for (const body of [wrong, { passwordHash }]) {
    const reply = await signIn(body)
    assert.equal(reply.status, 429)
    assert.equal(reply.headers['retry-after'], '900')
    assert.deepEqual(reply.json(), {
      message: 'Too many failed logins. Try again in 15 minutes.',
    })
  }
  assert.equal((await signIn({ passwordHash }, '192.0.2.2')).status, 200)
})

test('login that succeeds forgets the failures before it', async () => {
  const { signIn } = await open()
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 4; count++) assert.equal((await signIn(wrong)).status, 401)
    assert.equal((await signIn()).status, 200)
  }
})

test('login of many at once tries five passwords and no more', async () => {
  const { signIn } = await open()
  const replies = await Promise.all(Array.from({ length: 20 }, () => signIn(wrong)))
  const statuses = replies.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 401).length, 5)
  assert.equal(statuses.filter((status) => status === 429).length, 15)
})

test('session is valid with the token of a login, until it is over', async () => {
  const { signIn, session, clock } = await open()
  const { token } = (await signIn()).json()
  for (const authorization of [`Bearer ${token}`, `bearer  ${token} `]) {
    const reply = await session(authorization)
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.json(), { valid: true })
  }
  clock.now += 43_200_000
  assert.equal((await session(`Bearer ${token}`)).status, 401)
})

for (const authorization of [
  undefined,
  '',
  'Bearer',
  'Bearer ',
  'Bearer x',
  `Bearer ${'A'.repeat(43)}`,
  `Basic ${'A'.repeat(43)}`,
  'Bearer a b',
]) {
  test(`session with ${authorization ?? 'no Authorization'} is 401 and asks for a token`, async () => {
    const { session } = await open()
    const reply = await session(authorization)
    assert.equal(reply.status, 401)
    assert.equal(reply.headers['www-authenticate'], 'Bearer')
    assert.deepEqual(Object.keys(reply.json()), ['message'])
  })
}

test('session refuses the token in other places than Authorization', async () => {
  const { signIn, send } = await open()
  const { token } = (await signIn()).json()
  const reply = await send({ url: `/auth/session?token=${token}`, headers: { cookie: token } })
  assert.equal(reply.status, 401)
})

test('logout is 204 without a body and ends the session; again it is 204 too', async () => {
  const { signIn, session, logout } = await open()
  const { token } = (await signIn()).json()
  for (let count = 0; count < 2; count++) {
    const reply = await logout(`Bearer ${token}`)
    assert.equal(reply.status, 204)
    assert.equal(reply.text, '')
    assert.equal((await session(`Bearer ${token}`)).status, 401)
  }
  assert.equal((await logout('Bearer never-was-one')).status, 204)
})

test('logout leaves other sessions alone', async () => {
  const { signIn, session, logout } = await open()
  const [first, second] = [(await signIn()).json(), (await signIn()).json()]
  await logout(`Bearer ${first.token}`)
  assert.equal((await session(`Bearer ${second.token}`)).status, 200)
})

test('logout ignores any body', async () => {
  const { signIn, session, send } = await open()
  for (const payload of ['{"broken":', '\0', '{}', 'x'.repeat(2 * 1024 * 1024)]) {
    for (const type of [
      'application/json',
      'text/plain',
      'multipart/form-data',
      'json',
      undefined,
    ]) {
      const authorization = `Bearer ${(await signIn()).json().token}`
      const headers = { authorization, 'content-type': type }
      const body = Buffer.from(payload)
      const reply = await send({ method: 'POST', url: '/auth/logout', payload: body, headers })
      assert.deepEqual([reply.status, reply.text], [204, ''])
      assert.equal((await session(authorization)).status, 401)
    }
  }
})

test('logout without a token is 401', async () => {
  const { send } = await open()
  assert.equal((await send({ method: 'POST', url: '/auth/logout' })).status, 401)
})

for (const [method, url, allow] of [
  ['GET', '/auth/login', 'POST'],
  ['PUT', '/auth/login', 'POST'],
  ['OPTIONS', '/auth/login', 'POST'],
  ['POST', '/auth/session', 'GET, HEAD'],
  ['GET', '/auth/logout', 'POST'],
  ['DELETE', '/auth/logout', 'POST'],
] as const) {
  test(`${method} ${url} is 405 with Allow`, async () => {
    const { send } = await open()
    const reply = await send({ method, url })
    assert.equal(reply.status, 405)
    assert.equal(reply.headers.allow, allow)
    assert.equal(typeof reply.json().message, 'string')
  })
}

test('every endpoint returns 503 without a configured password, except for a wrong method', async () => {
  const { send, signIn, session, logout, failures } = await open({ isOff: true })
  const authorization = `Bearer ${'A'.repeat(43)}`
  const replies = [
    await signIn(),
    await signIn({}),
    await session(authorization),
    await logout(authorization),
    await send({ method: 'POST', url: '/-/api/thing', headers: { authorization } }),
  ]
  for (const reply of replies) {
    assert.equal(reply.status, 503)
    assert.match(reply.json().message, /DASHBOARD_PASSWORD/)
  }
  assert.equal((await send({ url: '/auth/login' })).status, 405)
  assert.deepEqual(failures, [])
})

test('everything is 503 while AUTH_KV does not answer, and the reason is reported', async () => {
  const { signIn, session, logout, store, failures } = await open()
  const { token } = (await signIn()).json()
  store.problem = new KeyValueError('redis is down')
  const authorization = `Bearer ${token}`
  for (const reply of [await signIn(), await session(authorization), await logout(authorization)]) {
    assert.equal(reply.status, 503)
    assert.deepEqual(Object.keys(reply.json()), ['message'])
    assert.doesNotMatch(reply.text, /redis/)
  }
  assert.deepEqual(failures, [store.problem, store.problem, store.problem])
  store.problem = undefined
  assert.equal((await session(authorization)).status, 200)
})

test('session lets a request with a session pass and refuses others unread', async () => {
  const { signIn, send } = await open()
  const { token } = (await signIn()).json()
  const request = { method: 'POST', url: '/-/api/thing' } as const
  const headers = { authorization: `Bearer ${token}` }
  assert.equal((await send({ ...request, headers })).status, 200)
  const refused = await send({
    ...request,
    payload: 'not json',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(refused.status, 401)
  assert.equal(refused.headers['www-authenticate'], 'Bearer')
})

test('logins that a page of another origin sends are 403 and count as no failures', async () => {
  const { send, signIn } = await open()
  for (let turn = 0; turn < 6; turn++) {
    const reply = await send({
      method: 'POST',
      url: '/auth/login',
      headers: { origin: 'https://elsewhere.example' },
      payload: wrong,
      remoteAddress: '192.0.2.1',
    })
    assert.equal(reply.status, 403)
    assert.match(reply.json().message, /PUBLIC_URL/)
  }
  assert.equal((await signIn()).status, 200)
})

test('all sessions end at once, with that of the request', async () => {
  const { signIn, session, send, failures } = await open()
  const tokens = []
  for (let index = 0; index < 3; index++) tokens.push((await signIn()).json().token)
  const end = (token: string) =>
    send({
      method: 'DELETE',
      url: '/-/api/sessions',
      headers: { authorization: `Bearer ${token}` },
    })
  assert.equal((await end('x'.repeat(43))).status, 401)
  assert.equal((await session(`Bearer ${tokens[2]}`)).status, 200)
  assert.equal((await end(tokens[1])).status, 204)
  for (const token of tokens) assert.equal((await session(`Bearer ${token}`)).status, 401)
  assert.equal((await session(`Bearer ${(await signIn()).json().token}`)).status, 200)
  assert.deepEqual(failures, [])
})
