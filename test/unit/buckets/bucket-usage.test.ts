import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BucketUsage, type CountedBytes } from '../../../src/buckets/bucket-usage.ts'

function open() {
  const clock = { nowMs: 1_000_000 }
  const counts = new Map<string, CountedBytes>()
  const state = { reads: 0, isDown: false, failures: 0 }
  const usage = new BucketUsage({
    async read(buckets) {
      state.reads += 1
      if (state.isDown) throw new Error('down')
      return new Map([...counts].filter(([bucket]) => buckets.includes(bucket)))
    },
    now: () => clock.nowMs,
    onFailure: () => {
      state.failures += 1
    },
  })
  return { clock, counts, state, usage }
}

test('what this process has written since the count is added', async () => {
  const { clock, counts, usage, state } = open()
  counts.set('a', { bytes: 100, countedAtMs: clock.nowMs - 60_000 })
  assert.equal(await usage.bytesIn(['a']), 100)
  usage.wrote('a', 5)
  clock.nowMs += 2_000
  usage.wrote('a', 7)
  usage.wrote('other', 1_000)
  assert.equal(await usage.bytesIn(['a']), 112)
  assert.equal(state.reads, 1)
})

test('a newer count replaces what was written before it began', async () => {
  const { clock, counts, usage } = open()
  counts.set('a', { bytes: 100, countedAtMs: clock.nowMs - 60_000 })
  await usage.bytesIn(['a'])
  usage.wrote('a', 5)
  clock.nowMs += 20_000
  usage.wrote('a', 7)
  counts.set('a', { bytes: 105, countedAtMs: clock.nowMs - 5_000 })
  // The count that is known is used while the new one is read.
  await usage.bytesIn(['a'])
  await new Promise(setImmediate)
  assert.equal(await usage.bytesIn(['a']), 112)
})

test('nothing is known until every bucket was counted', async () => {
  const { clock, counts, usage } = open()
  counts.set('a', { bytes: 100, countedAtMs: 1 })
  assert.equal(await usage.bytesIn(['a', 'b']), undefined)
  counts.set('b', { bytes: 1, countedAtMs: 1 })
  clock.nowMs += 5_000
  assert.equal(await usage.bytesIn(['a', 'b']), 101)
  assert.equal(await usage.bytesIn([]), 0)
})

test('a database that does not respond leaves the figures as they are', async () => {
  const { clock, counts, usage, state } = open()
  state.isDown = true
  assert.equal(await usage.bytesIn(['a']), undefined)
  state.isDown = false
  counts.set('a', { bytes: 100, countedAtMs: 1 })
  clock.nowMs += 5_000
  assert.equal(await usage.bytesIn(['a']), 100)
  state.isDown = true
  clock.nowMs += 5_000
  assert.equal(await usage.bytesIn(['a']), 100)
  await new Promise(setImmediate)
  assert.equal(await usage.bytesIn(['a']), 100)
  assert.equal(state.failures, 2)
})

test('a clock that is set back does not keep an old count', async () => {
  const { clock, counts, usage, state } = open()
  counts.set('a', { bytes: 100, countedAtMs: 1 })
  await usage.bytesIn(['a'])
  clock.nowMs -= 500_000
  await usage.bytesIn(['a'])
  assert.equal(state.reads, 2)
})
