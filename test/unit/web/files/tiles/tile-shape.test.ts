import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tileShape } from '../../../../../web/src/files/tiles/tile-shape.ts'

test('a phone has two tiles beside each other, a desktop as many as have room', () => {
  assert.equal(tileShape(294, true).columns, 2)
  assert.equal(tileShape(364, true).columns, 2)
  assert.equal(tileShape(600, true).columns, 4)
  assert.equal(tileShape(1_030, false).columns, 5)
  assert.equal(tileShape(1_800, false).columns, 10)
})

test('there is a column before the width is known', () => {
  assert.equal(tileShape(0, true).columns, 1)
  assert.equal(tileShape(0, false).columns, 1)
})
