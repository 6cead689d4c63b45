import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { backOffMs, retryAfterMs } from '../../../../src/platform/process/back-off.ts'

const backOff = { firstMs: 500, longestMs: 32_000 }

test('backOffMs doubles from the first wait to the longest', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((failures) =>
    backOffMs(failures, backOff, () => 1),
  )
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000])
})

test('backOffMs randomizes half of each wait', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (failures, chance) => {
        const longest = backOffMs(failures, backOff, () => 1)
        const wait = backOffMs(failures, backOff, () => chance)
        assert.ok(wait >= longest / 2 && wait <= longest)
      },
    ),
  )
})

test('retryAfterMs reads seconds and dates, and nothing else', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  assert.equal(retryAfterMs('7', now), 7000)
  assert.equal(retryAfterMs('Sat, 21 Nov 2026 12:00:30 GMT', now), 30_000)
  assert.equal(retryAfterMs('Sat, 21 Nov 2026 11:00:00 GMT', now), 0)
  assert.equal(retryAfterMs('soon', now), undefined)
  assert.equal(retryAfterMs(undefined, now), undefined)
})
