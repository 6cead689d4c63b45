import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Entry } from '../../../../../web/src/files/entries/entry.ts'
import { isTyping, typedIndex, typedMore } from '../../../../../web/src/files/entries/type-ahead.ts'

const entries = ['Alpha', 'beta', 'Beta 2', 'Ärger', 'gamma'].map(
  (name): Entry => ({ kind: 'folder', key: `${name}/`, name }),
)

describe('typedIndex', () => {
  const cases = [
    ['the first row without an active one', -1, 'b', 1],
    ['any case, also beyond ASCII', 0, 'äR', 3],
    ['the same letter goes on', 1, 'b', 2],
    ['a repeated letter goes on and around', 2, 'bb', 1],
    ['more letters keep a row that fits', 1, 'be', 1],
    ['spaces belong to names', 1, 'beta 2', 2],
    ['nothing', 0, 'zz', -1],
  ] as const
  for (const [what, active, text, expected] of cases) {
    test(what, () => assert.equal(typedIndex(entries, active, text), expected))
  }
})

test('a pause begins a new name', () => {
  const first = typedMore({ text: '', atMs: 0 }, 'a', 10)
  const second = typedMore(first, 'b', 900)
  assert.equal(second.text, 'ab')
  assert.equal(isTyping(second, 1_950), false)
  assert.equal(typedMore(second, 'c', 1_950).text, 'c')
})
