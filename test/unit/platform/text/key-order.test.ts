import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  compareKeys,
  keyBefore,
  sortKeys,
  successorOfPrefix,
} from '../../../../src/platform/text/key-order.ts'

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('a', 'b', '/', '\0', '\u007f', 'é', '\ud7ff', '\ue000', '\uffff', '😀'),
    fc.constantFrom('\u{10000}', '\u{10ffff}'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 6,
})

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

describe('compareKeys', () => {
  it('orders as the UTF-8 bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(Math.sign(compareKeys(a, b)), compareBytes(a, b))
      }),
      { numRuns: 5000 },
    )
  })

  it('puts U+FFFF before U+10000, which UTF-16 does not', () => {
    assert.ok(compareKeys('\uffff', '\u{10000}') < 0)
    assert.ok('\uffff' > '\u{10000}')
  })
})

describe('sortKeys', () => {
  it('sorts as the UTF-8 bytes, in place', () => {
    fc.assert(
      fc.property(fc.array(text), (keys) => {
        const expected = keys.toSorted(compareBytes)
        assert.equal(sortKeys(keys), keys)
        assert.deepEqual(keys, expected)
      }),
    )
  })
})

describe('successorOfPrefix', () => {
  it('is greater than every string with the prefix, and nothing else is between', () => {
    fc.assert(
      fc.property(text, text, (prefix, other) => {
        const successor = successorOfPrefix(prefix)
        if (successor === undefined) {
          assert.match(prefix, /^\u{10ffff}*$/u)
          return
        }
        assert.ok(compareBytes(prefix + other, successor) < 0)
        const isInside = compareBytes(other, prefix) >= 0 && compareBytes(other, successor) < 0
        assert.equal(isInside, other.startsWith(prefix))
      }),
      { numRuns: 5000 },
    )
  })

  const successors: [prefix: string, successor: string | undefined][] = [
    ['', undefined],
    ['a/', 'a0'],
    ['a\ud7ff', 'a\ue000'],
    ['a\uffff', 'a\u{10000}'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}\u{10ffff}', undefined],
  ]
  for (const [prefix, successor] of successors) {
    it(`returns ${JSON.stringify(successor)} for ${JSON.stringify(prefix)}`, () => {
      assert.equal(successorOfPrefix(prefix), successor)
    })
  }
})

describe('keyBefore', () => {
  it('comes before the key and is well-formed', () => {
    fc.assert(
      fc.property(
        text.filter((key) => key !== ''),
        (key) => {
          const before = keyBefore(key)
          assert.ok(compareKeys(before, key) < 0, JSON.stringify({ key, before }))
          assert.ok(before.isWellFormed())
        },
      ),
    )
  })

  it('excludes the preceding keys of an ordinary folder', () => {
    const before = keyBefore('IMG_0100.jpg')
    assert.ok(compareKeys('IMG_0099.jpg', before) < 0)
    assert.ok(compareKeys('IMG_0100.jpf', before) < 0)
  })
})
