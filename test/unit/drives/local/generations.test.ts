import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Generations } from '../../../../src/drives/local/generations.ts'

test('Generations keeps what was set until two generations have come', () => {
  const memory = new Generations<number>(2)
  memory.set('a', 1)
  memory.set('b', 2)
  memory.set('c', 3)
  assert.equal(memory.get('b'), 2)
  memory.set('d', 4)
  memory.set('e', 5)
  assert.equal(memory.get('a'), undefined)
  assert.equal(memory.get('e'), 5)
})

test('Generations keeps what is used, and forgets what is deleted', () => {
  const memory = new Generations<number>(2)
  memory.set('used', 1)
  for (let i = 0; i < 20; i++) {
    memory.set(`other ${i}`, i)
    assert.equal(memory.get('used'), 1)
  }
  memory.delete('used')
  assert.equal(memory.get('used'), undefined)
})

test('Generations never holds more than two generations', () => {
  const memory = new Generations<number>(100)
  for (let i = 0; i < 1000; i++) memory.set(String(i), i)
  const held = Array.from({ length: 1000 }, (_, i) => memory.get(String(i))).filter(
    (v) => v !== undefined,
  )
  assert.ok(held.length <= 200, String(held.length))
})
