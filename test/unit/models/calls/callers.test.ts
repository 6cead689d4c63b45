import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AttemptLimiter } from '../../../../src/access/attempt-limiter.ts'
import { Callers } from '../../../../src/models/calls/callers.ts'
import { KeyLimits } from '../../../../src/models/calls/key-limits.ts'
import { MemoryKeyValueStore } from '../../../fakes/memory-key-value.ts'
import { requestOf } from '../../wiring/request-of.ts'

const apiKey = 'weak'

function open() {
  const world = { nowMs: 1_000_000, address: '192.0.2.1' }
  const now = () => world.nowMs
  const callers = new Callers({
    ...{ apiKey, now, elapsed: now, keys: { isEmpty: true, find: async () => undefined } },
    limits: new KeyLimits({ tokensOfMonth: async () => 0, now }),
    limiter: new AttemptLimiter(new MemoryKeyValueStore(now), 'guesses'),
    clientAddress: () => world.address,
  })
  const statusOf = async (key: string, bearer?: string) => {
    const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    const headers = { 'x-api-key': key, ...authorization }
    const request = { ...requestOf('POST', '/v1/chat/completions'), headers }
    return callers.admit(request).then(
      () => 200,
      ({ status }: { status: number }) => status,
    )
  }
  return { world, statusOf }
}

test('After five wrong keys even the right one is refused, for 15 minutes', async () => {
  const { world, statusOf } = open()
  for (let count = 0; count < 5; count += 1) assert.equal(await statusOf(`w${count}`), 401)
  assert.equal(await statusOf('w5'), 429)
  assert.equal(await statusOf(apiKey), 429)
  world.address = '192.0.2.2'
  assert.equal(await statusOf(apiKey), 200)
  world.address = '192.0.2.1'
  world.nowMs += 15 * 60_000
  assert.equal(await statusOf(apiKey), 200)
})

test('Guesses at the same time are not compared either', async () => {
  const { statusOf } = open()
  const keys = [...Array.from({ length: 20 }, (_, index) => `w${index}`), apiKey]
  const statuses = await Promise.all(keys.map((key) => statusOf(key)))
  assert.equal(statuses.at(-1), 429)
  assert.ok(statuses.filter((status) => status === 401).length <= 5)
})

test('Addresses of one network of IPv6 are one client', async () => {
  const { world, statusOf } = open()
  for (let count = 0; count < 6; count += 1) {
    world.address = `2001:db8::${count}`
    await statusOf('wrong')
  }
  world.address = '2001:db8::ffff'
  assert.equal(await statusOf(apiKey), 429)
})

test('A model key that is not valid any more is no guess', async () => {
  const { statusOf } = open()
  for (let count = 0; count < 20; count += 1) {
    assert.equal(await statusOf(`bmk_aaaaaaaaaaaa_${'a'.repeat(43)}`), 401)
  }
  assert.equal(await statusOf(apiKey), 200)
})

test('A request with two wrong keys is two guesses', async () => {
  const { statusOf } = open()
  assert.equal(await statusOf('w0', 'w1'), 401)
  assert.equal(await statusOf('w2', 'w3'), 401)
  assert.equal(await statusOf('w4', 'w5'), 429)
  assert.equal(await statusOf(apiKey), 429)
  const other = open()
  for (let count = 0; count < 5; count += 1) await other.statusOf('same', 'same')
  assert.equal(await other.statusOf(apiKey, 'placeholder'), 200)
})
