import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyMemory } from '../../../../src/models/calls/body-memory.ts'

const tooMuch = (status: number, message: RegExp) => ({ status, message })

test('A key, and an address, take a part of the memory only', () => {
  const memory = new BodyMemory(100)
  const [home, work] = ['192.0.2.1', '2001:db8::1']
  const ann = memory.holder('ann', home)
  ann(400)
  assert.throws(() => ann(1), tooMuch(429, /from this address/))
  assert.throws(() => memory.holder('bob', home)(1), tooMuch(429, /from this address/))
  const away = memory.holder('ann', work)
  away(200)
  assert.throws(() => away(1), tooMuch(429, /from this key/))
  // The addresses of one host.
  const bob = memory.holder('bob', '2001:db8::2')
  bob(200)
  assert.throws(() => bob(1), tooMuch(429, /from this address/))
  assert.throws(() => memory.holder('carl', '192.0.2.9')(1), tooMuch(503, /bodies of all calls/))
  // Whatever was refused took nothing.
  ann(-400)
  memory.holder('carl', '192.0.2.9')(400)
  assert.throws(() => ann(1), tooMuch(503, /bodies of all calls/))
})

test('MODELS_API_KEY may take all memory', () => {
  const memory = new BodyMemory(100)
  const owner = memory.holder('', '192.0.2.1')
  owner(800)
  assert.throws(() => owner(1), tooMuch(503, /bodies of all calls/))
  owner(-800)
  memory.holder('ann', '192.0.2.1')(400)
})
