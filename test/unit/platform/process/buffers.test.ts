import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferPool } from '../../../../src/platform/process/buffers.ts'

test('BufferPool reuses a returned buffer once', () => {
  const pool = new BufferPool(16, 2)
  const first = pool.take()
  assert.equal(first.length, 16)
  assert.notEqual(pool.take(), first)
  pool.give(first)
  assert.equal(pool.take(), first)
  assert.notEqual(pool.take(), first)
})

test('BufferPool keeps up to its maximum of buffers of its size, until it is cleared', () => {
  const pool = new BufferPool(16, 2)
  const buffers = [pool.take(), pool.take(), pool.take()]
  pool.give(Buffer.alloc(8))
  for (const buffer of buffers) pool.give(buffer)
  const again = [pool.take(), pool.take(), pool.take()]
  assert.equal(again.filter((buffer) => buffers.includes(buffer)).length, 2)
  for (const buffer of again) pool.give(buffer)
  pool.clear()
  assert.ok(!again.includes(pool.take()))
})
