import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withIndex } from '../../../../../web/src/files/browse/visible-range.ts'

const range = { startIndex: 10, endIndex: 12, overscan: 1, count: 20 }

test('withIndex returns the visible rows and those around them', () => {
  assert.deepEqual(withIndex(range, -1), [9, 10, 11, 12, 13])
  assert.deepEqual(withIndex({ ...range, endIndex: 19 }, -1).at(-1), 19)
  assert.deepEqual(withIndex({ startIndex: 0, endIndex: 0, overscan: 1, count: 0 }, -1), [])
})

test('withIndex adds the active row in order', () => {
  assert.deepEqual(withIndex(range, 2), [2, 9, 10, 11, 12, 13])
  assert.deepEqual(withIndex(range, 18), [9, 10, 11, 12, 13, 18])
  assert.deepEqual(withIndex(range, 11), [9, 10, 11, 12, 13])
  assert.deepEqual(withIndex(range, 25), [9, 10, 11, 12, 13])
})
