import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { KeyValueError } from '../../../../src/platform/state/key-value/key-value.ts'
import { open, password, passwordHash } from './login-fixture.ts'

function changeOf(send: Awaited<ReturnType<typeof open>>['send'], token: string) {
  return (body: object) =>
    send({
      ...{ method: 'PUT', url: '/-/api/password', payload: body },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

test('the password is changed by somebody who knows it, and every session ends', async () => {
  const { signIn, session, send } = await open()
  const other = (await signIn()).json().token
  const { token } = (await signIn()).json()
  const change = changeOf(send, token)
  const refused = await change({ passwordHash: hashOf('no'), password: 'another one' })
  assert.deepEqual([refused.status, refused.json().field], [403, 'passwordHash'])
  for (const bad of ['short', "it's long enough", ' spaced out ', 'two\nlines here']) {
    const reply = await change({ passwordHash, password: bad })
    assert.deepEqual([reply.status, reply.json().field], [400, 'password'], bad)
  }
  assert.equal((await session(`Bearer ${token}`)).status, 200)
  assert.equal((await change({ passwordHash, password: 'a better one' })).status, 204)
  for (const ended of [token, other]) {
    assert.equal((await session(`Bearer ${ended}`)).status, 401)
  }
  assert.equal((await signIn()).status, 401)
  assert.equal((await signIn({ passwordHash: hashOf('a better one') })).status, 200)
})

test('an ended session stays ended when its password returns', async () => {
  const { signIn, session, send } = await open()
  const { token } = (await signIn()).json()
  const next = 'for a while'
  await changeOf(send, token)({ passwordHash, password: next })
  const later = (await signIn({ passwordHash: hashOf(next) })).json().token
  const back = { passwordHash: hashOf(next), password }
  assert.equal((await changeOf(send, later)(back)).status, 204)
  assert.equal((await session(`Bearer ${token}`)).status, 401)
})

test('a change whose sessions cannot be removed is made all the same', async (t) => {
  const { signIn, store, send, session } = await open()
  const { token } = (await signIn()).json()
  t.mock.method(store, 'set', () => Promise.reject(new KeyValueError('down')))
  const body = { passwordHash, password: 'another one' }
  assert.equal((await changeOf(send, token)(body)).status, 204)
  assert.equal((await session(`Bearer ${token}`)).status, 401)
})

test('a sign-in with a password that is replaced meanwhile has no session', async (t) => {
  const { signIn, store, send, session } = await open()
  const { token } = (await signIn()).json()
  const remove = t.mock.method(store, 'delete', async () => {
    remove.mock.restore()
    await changeOf(send, token)({ passwordHash, password: 'another one' })
  })
  const late = (await signIn(undefined, '198.51.100.7')).json().token
  assert.equal((await session(`Bearer ${late}`)).status, 401)
})

test('five wrong present passwords lock the address, as at the sign-in', async () => {
  const { signIn, send } = await open()
  const change = changeOf(send, (await signIn()).json().token)
  for (let count = 0; count < 5; count += 1) {
    assert.equal(
      (await change({ passwordHash: hashOf('no'), password: 'another one' })).status,
      403,
    )
  }
  assert.equal((await change({ passwordHash, password: 'another one' })).status, 429)
})

test('a password that is not in a file is not changed, and the reply says what to do', async () => {
  const { signIn, send } = await open({ isFixed: true })
  const reply = await changeOf(
    send,
    (await signIn()).json().token,
  )({
    ...{ passwordHash, password: 'another one' },
  })
  assert.equal(reply.status, 409)
  assert.match(reply.json().message, /DASHBOARD_PASSWORD/)
})
