import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SendMemory } from '../../../../../../src/storage/drives/google/uploads/send-memory.ts'

const mebibyte = 1024 * 1024

test('SendMemory holds early parts up to its limit', () => {
  const { parts } = new SendMemory()
  assert.ok(parts.take(48 * mebibyte))
  assert.equal(parts.take(1), false)
  parts.give(8 * mebibyte)
  assert.ok(parts.take(8 * mebibyte))
})

test('SendMemory gives early parts and each stream less with more streams', () => {
  const memory = new SendMemory()
  memory.enter()
  assert.equal(memory.share, 16 * mebibyte)
  for (let streams = 1; streams < 64; streams++) memory.enter()
  assert.equal(memory.parts.take(mebibyte), false)
  assert.equal(memory.share, mebibyte)
  for (let streams = 64; streams > 1; streams--) memory.leave()
  assert.ok(memory.parts.take(48 * mebibyte))
  assert.equal(memory.share, 16 * mebibyte)
})

test('SendMemory always leaves a stream a minimum', () => {
  const memory = new SendMemory(8 * mebibyte)
  for (let streams = 0; streams < 1_000; streams++) memory.enter()
  assert.equal(memory.share, mebibyte / 2)
})
