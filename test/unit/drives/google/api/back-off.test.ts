import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { backOffMs, retryAfterMs } from '../../../../../src/drives/google/api/back-off.ts'

test('backOffMs doubles from half a second to 32 s', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((failures) => backOffMs(failures, () => 1))
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000])
})

test('backOffMs leaves a random half of each wait to chance', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (failures, chance) => {
        const longest = backOffMs(failures, () => 1)
        const wait = backOffMs(failures, () => chance)
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
