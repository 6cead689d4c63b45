import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  continuedText,
  cutName,
  endsLikeContinued,
  isCutAt,
  looksContinued,
} from '../../../../../../src/storage/drives/kit/names/long-name.ts'

/** Small, so that random names hit every edge. */
const limit = 9
const name = fc
  .array(fc.constantFrom('a', 'b', '%', '+', '%+', 'é', '日', '😀'), { maxLength: 20 })
  .map((characters) => characters.join(''))

describe('cutName', () => {
  it('returns pieces that fit, are whole code points and make up the name', () => {
    fc.assert(
      fc.property(name, (text) => {
        const pieces = cutName(text, limit)
        const last = pieces.pop() ?? ''
        for (const piece of [...pieces, last]) {
          assert.ok(Buffer.byteLength(piece) <= limit)
          assert.ok(piece.isWellFormed())
        }
        assert.ok(pieces.every((piece) => looksContinued(piece, limit)))
        assert.equal(pieces.map(continuedText).join('') + last, text)
      }),
      { numRuns: 5000 },
    )
  })

  it('leaves a name that fits whole', () => {
    assert.deepEqual(cutName('123456789', limit), ['123456789'])
    assert.deepEqual(cutName('1234567890', limit), ['1234567%+', '890'])
    assert.deepEqual(cutName('123456éxyz', limit), ['123456%+', 'éxyz'])
  })
})

describe('isCutAt', () => {
  it('holds for the pieces of cutName and for no other cuts of the same text', () => {
    const cuts = fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(name, cuts, (text, lengths) => {
        const characters = [...text]
        const pieces = lengths.map((length) => characters.splice(0, length).join(''))
        if (pieces.some((piece) => !looksContinued(`${piece}%+`, limit))) return
        const isCut = pieces.every((piece, index) =>
          isCutAt(pieces.slice(0, index).join(''), piece, limit),
        )
        // With something behind that does not fit, so that every piece is continued.
        const expected = cutName(`${pieces.join('')}0123456789`, limit)
        // Without a fitting code point behind, the last piece is not filled up.
        const others = expected.slice(0, pieces.length - 1).map(continuedText)
        assert.equal(isCut, others.join('|') === pieces.slice(0, -1).join('|'))
      }),
      { numRuns: 5000 },
    )
  })
})

describe('endsLikeContinued', () => {
  it('checks only the last piece', () => {
    assert.ok(endsLikeContinued('1234567%+', limit))
    assert.ok(!endsLikeContinued('12%+', limit))
    assert.ok(!endsLikeContinued('123456789%+', limit))
    assert.ok(endsLikeContinued('12345678901234%+', limit))
  })
})
