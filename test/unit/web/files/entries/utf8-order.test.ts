import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { compareUtf8, rightBefore } from '../../../../../web/src/files/entries/utf8-order.ts'

const text = fc.string({ maxLength: 8, unit: 'binary' })

describe('compareUtf8', () => {
  test('sorts by UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b))
        assert.equal(Math.sign(compareUtf8(a, b)), expected)
      }),
    )
  })

  test('sorts U+FFFD before an emoji, unlike UTF-16', () => {
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

  test('excludes the preceding keys of an ordinary folder', () => {
    const before = rightBefore('IMG_0100.jpg')
    assert.ok(compareUtf8('IMG_0099.jpg', before) < 0)
    assert.ok(compareUtf8('IMG_0100.jpf', before) < 0)
  })
})
