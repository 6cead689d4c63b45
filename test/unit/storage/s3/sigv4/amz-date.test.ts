import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAmzDate, parseAmzDate } from '../../../../../src/storage/s3/sigv4/amz-date.ts'

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
