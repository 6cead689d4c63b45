import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SizedCache } from '../../../../src/platform/process/sized-cache.ts'

test('SizedCache drops values first that were not used since they were added or kept', () => {
  const cache = new SizedCache<string>(10)
  for (const key of ['a', 'b', 'c']) cache.set(key, key, 3)
  assert.equal(cache.get('a'), 'a')
  assert.equal(cache.peek('b'), 'b')
  cache.set('d', 'd', 3)
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.peek(key)),
    ['a', undefined, 'c', 'd'],
  )
  cache.set('e', 'e', 6)
  assert.deepEqual(
    ['a', 'c', 'd', 'e'].map((key) => cache.peek(key)),
    ['a', undefined, undefined, 'e'],
  )
  cache.set('f', 'f', 3)
  assert.deepEqual(
    ['a', 'e', 'f'].map((key) => cache.peek(key)),
    [undefined, 'e', 'f'],
  )
})

test('SizedCache drops used values when all are', () => {
  const cache = new SizedCache<number>(100)
  for (let key = 0; key < 1_000; key++) {
    cache.set(String(key), key)
    assert.equal(cache.get(String(key)), key)
  }
  const kept = Array.from({ length: 1_000 }, (_, key) => cache.peek(String(key)))
  assert.ok(kept.filter((value) => value !== undefined).length <= 100)
  assert.equal(kept.at(-1), 999)
})

test('SizedCache no longer counts a value that was replaced or deleted', () => {
  const cache = new SizedCache<number>(10)
  for (let round = 0; round < 9; round++) cache.set('a', round, 9)
  cache.set('b', 1, 1)
  assert.equal(cache.peek('a'), 8)
  cache.delete('a')
  cache.set('c', 1, 9)
  assert.equal(cache.peek('b'), 1)
  cache.clear()
  assert.equal(cache.peek('b'), undefined)
})

test('SizedCache keeps only the last value when it is larger than the limit', () => {
  const cache = new SizedCache<string>(10)
  cache.set('a', 'a', 5)
  cache.set('b', 'b', 11)
  assert.equal(cache.peek('a'), undefined)
  assert.equal(cache.peek('b'), 'b')
})
