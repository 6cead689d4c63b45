import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { namePieces, visibleName } from '../../../../../web/src/files/entries/visible-name.ts'

describe('visibleName', () => {
  for (const [name, shown] of [
    ['plain name.txt', 'plain name.txt'],
    ['photo\u202egpj.exe', 'photo[U+202E]gpj.exe'],
    ['a\u200bb', 'a[U+200B]b'],
    ['tab\there', 'tab[U+0009]here'],
    ['\ufefftext', '[U+FEFF]text'],
    ['  two before', '··two before'],
    ['one after ', 'one after·'],
    ['   ', '···'],
    ['', '(no name)'],
    ['Документы', 'Документы'],
    ['مستند', 'مستند'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['a\u200cb', 'a[U+200C]b'],
    ['👩\u200d👧.png', '👩\u200d👧.png'],
    ['👩🏽\u200d🚀.png', '👩🏽\u200d🚀.png'],
    ['a\u200db', 'a[U+200D]b'],
    ['lone \ud800', 'lone [U+D800]'],
    ['null\u0000', 'null[U+0000]'],
  ] as const) {
    test(`shows ${JSON.stringify(name)} as ${JSON.stringify(shown)}`, () => {
      assert.equal(visibleName(name), shown)
    })
  }

  test('replaces all characters that change the text direction', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        assert.doesNotMatch(visibleName(name), /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/)
      }),
    )
  })
})

test('namePieces marks replaced characters', () => {
  assert.deepEqual(namePieces('a\u202eb'), [
    { text: 'a', isMark: false },
    { text: '[U+202E]', isMark: true },
    { text: 'b', isMark: false },
  ])
})
