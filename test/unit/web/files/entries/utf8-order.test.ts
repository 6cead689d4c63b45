import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compareUtf8, rightBefore } from '../../../../../web/src/files/entries/utf8-order.ts'

const text = fc.string({ maxLength: 8, unit: 'binary' })

describe('compareUtf8', () => {
  test('orders as the bytes of UTF-8 do', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b))
        assert.equal(Math.sign(compareUtf8(a, b)), expected)
      }),
    )
  })

  test('puts U+FFFD before an emoji, which UTF-16 does not', () => {
    assert.ok(compareUtf8('\ufffd', '😀') < 0)
    assert.ok('\ufffd' > '😀')
  })
})

describe('rightBefore', () => {
  test('comes before the key and is well-formed', () => {
    fc.assert(
      fc.property(
        text.filter((key) => key !== ''),
        (key) => {
          const before = rightBefore(key)
          assert.ok(compareUtf8(before, key) < 0, JSON.stringify({ key, before }))
          assert.ok(before.isWellFormed())
        },
      ),
    )
  })

  test('leaves the neighbours in an ordinary folder out', () => {
    const before = rightBefore('IMG_0100.jpg')
    assert.ok(compareUtf8('IMG_0099.jpg', before) < 0)
    assert.ok(compareUtf8('IMG_0100.jpf', before) < 0)
  })
})
