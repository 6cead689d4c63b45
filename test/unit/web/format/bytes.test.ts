import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAmount, formatBytes, formatExactBytes } from '../../../../web/src/format/bytes.ts'

for (const [bytes, text] of [
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1024, '1.00 KiB'],
  [1536, '1.50 KiB'],
  [10_240, '10.0 KiB'],
  [1024 * 1023.4, '1023 KiB'],
  [1024 * 1023.9, '1.00 MiB'],
  [62_914_560, '60.0 MiB'],
  [5 * 1024 ** 4, '5.00 TiB'],
  [Number.MAX_SAFE_INTEGER, '8.00 PiB'],
] as const) {
  test(`formatBytes formats ${bytes} as ${text}`, () => assert.equal(formatBytes(bytes), text))
}

test('formatBytes never shows more than four digits', () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (bytes) => {
      assert.match(formatBytes(bytes), /^(\d{1,4}|\d\.\d{2}|\d{2}\.\d) ([KMGTPE]iB|bytes?)$/)
    }),
  )
})

test('formatExactBytes shows every digit', () => {
  assert.equal(formatExactBytes(62_914_560), '62,914,560 bytes')
  assert.equal(formatExactBytes(1), '1 byte')
})

test('formatAmount uses the plural', () => {
  assert.equal(formatAmount(1, 'model'), '1 model')
  assert.equal(formatAmount(1_204, 'model'), '1,204 models')
  assert.equal(formatAmount(0, 'alias', 'aliases'), '0 aliases')
})
