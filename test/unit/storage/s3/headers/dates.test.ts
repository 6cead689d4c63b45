import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  formatAmzDate,
  formatHttpDate,
  parseAmzDate,
  parseHttpDate,
} from '../../../../../src/storage/s3/headers/dates.ts'

const rfcExampleMs = Date.UTC(1994, 10, 6, 8, 49, 37)

test('parseHttpDate reads the three forms of RFC 9110 section 5.6.7', () => {
  assert.equal(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT'), rfcExampleMs)
  assert.equal(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT'), rfcExampleMs)
  assert.equal(parseHttpDate('Sun Nov  6 08:49:37 1994'), rfcExampleMs)
})

test('parseHttpDate reads a two-digit year more than 50 years ahead as a past one', () => {
  const in2026 = Date.UTC(2026, 5, 1)
  assert.equal(parseHttpDate('Monday, 06-Nov-76 00:00:00 GMT', in2026), Date.UTC(2076, 10, 6))
  assert.equal(parseHttpDate('Sunday, 06-Nov-77 00:00:00 GMT', in2026), Date.UTC(1977, 10, 6))
})

test('parseHttpDate returns undefined for a text that is not an HTTP date', () => {
  for (const text of [
    '',
    '0',
    'yesterday',
    '2024-01-01T00:00:00Z',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT, x',
  ]) {
    assert.equal(parseHttpDate(text), undefined, text)
  }
})

test('parseHttpDate reads any white space that a signature does not tell from a space', () => {
  for (const text of [
    'Sun,\t06 Nov 1994 08:49:37 GMT',
    'Sun,  06 Nov 1994 \t 08:49:37 GMT',
    'Sunday,\t06-Nov-94  08:49:37 GMT',
    'Sun Nov 6 08:49:37 1994',
    'Sun\tNov\t6\t08:49:37\t1994',
  ]) {
    assert.equal(parseHttpDate(text), rfcExampleMs, JSON.stringify(text))
  }
})

test('formatHttpDate and parseHttpDate are inverse for whole seconds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800 }), (seconds) => {
      assert.equal(parseHttpDate(formatHttpDate(seconds * 1000)), seconds * 1000)
    }),
  )
})

test('parseAmzDate reads what formatAmzDate writes', () => {
  const seconds = fc.integer({ min: 0, max: Date.UTC(2199, 0) / 1000 })
  fc.assert(
    fc.property(seconds, (s) => {
      const text = formatAmzDate(s * 1000)
      assert.match(text, /^\d{8}T\d{6}Z$/)
      assert.equal(parseAmzDate(text), s * 1000)
    }),
  )
})

test('parseAmzDate refuses dates and times that do not exist', () => {
  for (const text of [
    '20260231T000000Z',
    '20250229T000000Z',
    '20260431T000000Z',
    '20260100T000000Z',
    '20260132T000000Z',
    '20260001T000000Z',
    '20261301T000000Z',
    '20260101T240000Z',
    '20260101T250000Z',
    '20260101T006000Z',
    '20260101T000060Z',
    '20260101T000000z',
    ' 20260101T000000Z',
    '20260101T000000Z\n',
  ]) {
    assert.equal(parseAmzDate(text), undefined, text)
  }
  assert.equal(parseAmzDate('20240229T235959Z'), Date.UTC(2024, 1, 29, 23, 59, 59))
})
