import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeMemory } from '../../../../src/platform/process/buffers.ts'

test('freeMemory frees bytes with memory of their own immediately', () => {
  const before = process.memoryUsage().arrayBuffers
  for (let index = 0; index < 10_000; index++) {
    const bytes = Buffer.allocUnsafeSlow(64 * 1024).fill(1)
    freeMemory(bytes)
    assert.equal(bytes.length, 0)
  }
  assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 * 1024)
})

test('freeMemory keeps bytes that share their memory with others', () => {
  const whole = Buffer.from(new ArrayBuffer(8)).fill(1)
  freeMemory(whole.subarray(0, 4))
  freeMemory(Buffer.from('in the pool'))
  freeMemory(Buffer.from(new SharedArrayBuffer(8)))
  assert.deepEqual([...whole], [1, 1, 1, 1, 1, 1, 1, 1])
})
