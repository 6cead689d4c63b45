import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { codeRanges } from '../../../../../../web/src/files/preview/text/code-ranges.ts'

// Its types would add those of browsers to every test.
const highlighter: {
  highlight(text: string, options: { readonly language: string }): { readonly value: string }
} = createRequire(import.meta.url)('highlight.js/lib/common')

function shown(text: string, language: string): Record<string, string[]> {
  const ranges = codeRanges(highlighter.highlight(text, { language }).value)
  return Object.fromEntries(
    Object.entries(ranges).map(([group, places]) => [
      group,
      Array.from({ length: places.length / 2 }, (_, at) =>
        text.slice(places[at * 2], places[at * 2 + 1]),
      ),
    ]),
  )
}

describe('codeRanges', () => {
  test('finds the places behind escaped characters', () => {
    const found = shown(`if (a < b && c > "<d>&'") { return 17 } // é 😀 <end>`, 'javascript')
    assert.deepEqual(found.keyword, ['if', 'return'])
    assert.deepEqual(found.string, [`"<d>&'"`])
    assert.deepEqual(found.number, ['17'])
    assert.deepEqual(found.comment, ['// é 😀 <end>'])
  })

  test('lets the inner element count', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code to colour
    const { string, keyword } = shown('const a = `x ${null} y`', 'javascript')
    assert.deepEqual(keyword, ['const', 'null'])
    assert.deepEqual(string?.at(-1), '} y`')
  })

  test('finds nothing in plain text', () => assert.deepEqual(codeRanges('a &lt; b'), {}))
})
