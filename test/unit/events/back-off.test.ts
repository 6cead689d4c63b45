import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backOffMs } from '../../../src/events/back-off.ts'

test('pauses double up to a minute, and chance shortens them by up to a half', () => {
  const longest = [1, 2, 3, 7, 8, 100, 5_000].map((failures) => backOffMs(failures, () => 0))
  assert.deepEqual(longest, [1_000, 2_000, 4_000, 60_000, 60_000, 60_000, 60_000])
  assert.equal(
    backOffMs(2, () => 0.999_999),
    1_000,
  )
})
