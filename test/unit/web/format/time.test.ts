import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAge, formatCountdown, formatDuration } from '../../../../web/src/format/time.ts'

const now = Date.parse('2026-08-22T12:00:00Z')
const secondMs = 1_000
const hourMs = 3_600 * secondMs

for (const [offsetMs, text] of [
  [0, 'just now'],
  [-59 * secondMs, 'just now'],
  [-61 * secondMs, '1 minute ago'],
  [-119 * secondMs, '1 minute ago'],
  [-23.9 * hourMs, '23 hours ago'],
  [-49 * hourMs, '2 days ago'],
  [-15 * 24 * hourMs, '2 weeks ago'],
  [-800 * 24 * hourMs, '2 years ago'],
  [2.5 * hourMs, 'in 2 hours'],
  [7 * 24 * hourMs - secondMs, 'in 7 days'],
] as const) {
  test(`formatAge formats ${offsetMs} ms as ${text}`, () =>
    assert.equal(formatAge(now + offsetMs, now), text))
}

for (const [seconds, text] of [
  [0, '0 seconds'],
  [-5, '0 seconds'],
  [1.9, '1 second'],
  [60, '1 minute'],
  [3_725, '1 hour 2 minutes'],
  [86_400 + 59, '1 day'],
  [273_600, '3 days 4 hours'],
] as const) {
  test(`formatDuration formats ${seconds} s as ${text}`, () =>
    assert.equal(formatDuration(seconds), text))
}

for (const [milliseconds, text] of [
  [900_000, '15:00'],
  [899_001, '15:00'],
  [61_000, '1:01'],
  [1, '0:01'],
  [0, '0:00'],
  [-1, '0:00'],
] as const) {
  test(`formatCountdown formats ${milliseconds} ms as ${text}`, () =>
    assert.equal(formatCountdown(milliseconds), text))
}
