import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasWords } from '../../../../../web/src/models/listed/has-words.ts'

for (const [search, isFound] of [
  ['', true],
  ['  ', true],
  ['gpt', true],
  ['GPT lab', true],
  [' small  gpt', true],
  ['gpt openai', false],
  ['none', false],
] as const) {
  test(`hasWords ${isFound ? 'finds' : 'does not find'} "${search}"`, () => {
    assert.equal(hasWords('lab/GPT-small lab', search), isFound)
  })
}
