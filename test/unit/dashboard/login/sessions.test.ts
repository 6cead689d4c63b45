import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sessions } from '../../../../src/dashboard/login/sessions.ts'
import { MemoryKeyValueStore } from '../../../fakes/memory-key-value.ts'

const twelveHoursMs = 12 * 60 * 60 * 1_000

function open() {
  const clock = { now: 1_000_000 }
  const store = new MemoryKeyValueStore(() => clock.now)
  return { clock, store, sessions: new Sessions(store, () => 'hush') }
}

test('begin returns 256 different bits as base64url each time', async () => {
  const { sessions } = open()
  const tokens = new Set(
    await Promise.all(Array.from({ length: 50 }, () => sessions.begin('hush'))),
  )
  assert.equal(tokens.size, 50)
  for (const token of tokens) {
    assert.match(token, /^[A-Za-z0-9_-]{43}$/)
    assert.equal(Buffer.from(token, 'base64url').length, 32)
  }
})

test('a session is valid for twelve hours and not longer', async () => {
  const { clock, sessions } = open()
  const token = await sessions.begin('hush')
  clock.now += twelveHoursMs - 1
  assert.equal(await sessions.isValid(token), true)
  clock.now += 1
  assert.equal(await sessions.isValid(token), false)
})

test('a session survives a restart with the same password and ends with another', async () => {
  const { store, sessions } = open()
  const token = await sessions.begin('hush')
  assert.equal(await new Sessions(store, () => 'hush').isValid(token), true)
  assert.equal(await new Sessions(store, () => 'other').isValid(token), false)
})

test('end ends one session, and ignores unknown tokens', async () => {
  const { sessions } = open()
  const [token, other] = [await sessions.begin('hush'), await sessions.begin('hush')]
  await sessions.end(token)
  await sessions.end(token)
  await sessions.end('no token')
  assert.equal(await sessions.isValid(token), false)
  assert.equal(await sessions.isValid(other), true)
})

test('the oldest session ends when there are more than 1,000', async () => {
  const { sessions } = open()
  const tokens: string[] = []
  for (let count = 0; count < 1_001; count++) tokens.push(await sessions.begin('hush'))
  assert.equal(await sessions.isValid(tokens[0] ?? ''), false)
  assert.equal(await sessions.isValid(tokens[1] ?? ''), true)
  assert.equal(await sessions.isValid(tokens.at(-1) ?? ''), true)
})

test('the store never sees a token or the password', async () => {
  const { store, sessions } = open()
  const token = await sessions.begin('hush')
  const stored = JSON.stringify([...store.entries])
  assert.doesNotMatch(stored, /hush/)
  assert.equal(stored.includes(token), false)
})

for (const token of ['', 'x', 'x'.repeat(43), `${'x'.repeat(42)}:`, 'x'.repeat(100_000)]) {
  test(`isValid refuses ${token.slice(0, 50) || 'nothing'}, of ${token.length} characters`, async () => {
    const { sessions } = open()
    assert.equal(await sessions.isValid(token), false)
  })
}

test('isValid refuses a token whose record was tampered with', async () => {
  const { store, sessions } = open()
  const token = await sessions.begin('hush')
  for (const value of ['', 'x', 'A'.repeat(43)]) {
    for (const entry of store.entries.values()) entry.value = value
    assert.equal(await sessions.isValid(token), false)
  }
})
