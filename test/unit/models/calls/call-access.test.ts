import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiError } from '../../../../src/platform/json-api/api-error.ts'
import { callersOf } from '../../../support/models-app.ts'
import { requestOf } from '../../app/start/request-of.ts'

const apiKey = 'weak'

function open() {
  const world = { nowMs: 1_000_000, address: '192.0.2.1' }
  const now = () => world.nowMs
  const callAccess = callersOf(apiKey, { now, clientAddress: () => world.address })
  const statusOf = async (key: string, bearer?: string) => {
    const authorization = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    const headers = { 'x-api-key': key, ...authorization }
    const request = { ...requestOf('POST', '/v1/chat/completions'), headers }
    return callAccess.admit(request).then(
      () => 200,
      ({ status }: { status: number }) => status,
    )
  }
  /** Of GET /v1/models, with the reason of a refusal. */
  const listing = async (key: string) => {
    const request = { ...requestOf('GET', '/v1/models'), headers: { 'x-api-key': key } }
    return callAccess.admitToList(request).then(
      () => '200',
      ({ status, message, headers }: ApiError) =>
        `${status} ${message} ${headers['retry-after'] ?? ''}`,
    )
  }
  return { world, statusOf, listing }
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

test('Guesses at the list and at calls are counted together', async () => {
  const { world, statusOf, listing } = open()
  for (let count = 0; count < 3; count += 1)
    assert.match(await listing(`w${count}`), /^401 Invalid/)
  for (let count = 3; count < 5; count += 1) assert.equal(await statusOf(`w${count}`), 401)
  // docs/contract/model-list.md, "Access": a refusal is 401. It does not tell whether the key is right.
  const blocked = '401 Too many wrong API keys from this address. Try again later. 900'
  assert.equal(await listing('w5'), blocked)
  assert.equal(await listing(apiKey), blocked)
  assert.equal(await statusOf(apiKey), 429)
  world.nowMs += 15 * 60_000
  assert.equal(await listing(apiKey), '200')
})

test('Guesses at the list at the same time are not compared either', async () => {
  const { listing } = open()
  const keys = [...Array.from({ length: 20 }, (_, index) => `w${index}`), apiKey]
  const replies = await Promise.all(keys.map((key) => listing(key)))
  assert.ok(replies.filter((reply) => reply.startsWith('401 Invalid')).length <= 5)
  assert.match(replies.at(-1) ?? '', /^401 Too many/)
})

test('The right key lists after wrong ones of its address, and ends their count', async () => {
  const { listing } = open()
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 4; count += 1) assert.match(await listing('wrong'), /^401 Invalid/)
    assert.equal(await listing(apiKey), '200')
  }
})
