import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  pageBytes,
  pageCount,
  pageRange,
  pageText,
} from '../../../../../../web/src/files/preview/text/text-pages.ts'

/** All pages, each from the bytes of its range alone. */
function pagesOf(bytes: Uint8Array<ArrayBuffer>, wide?: 'utf-16le'): string[] {
  return Array.from({ length: pageCount(bytes.length) }, (_, page) => {
    const { first, last } = pageRange(page, bytes.length)
    return pageText(bytes.slice(first, last + 1), page, bytes.length, wide)
  })
}

const encode = (text: string) => new TextEncoder().encode(text)

describe('pages of a text', () => {
  test('have every line once, and no line in two pages', () => {
    const text = Array.from({ length: 60_000 }, (_, index) => `line ${index} é€😀\n`).join('')
    const pages = pagesOf(encode(text))
    assert.ok(pages.length > 3)
    assert.equal(pages.join(''), text)
    for (const page of pages) assert.ok(page.endsWith('\n'))
  })

  test('begin with a line that begins at their limit', () => {
    const pages = pagesOf(encode(`${'x'.repeat(pageBytes - 1)}\nsecond`))
    assert.deepEqual(
      pages.map((page) => page.length),
      [pageBytes, 'second'.length],
    )
  })

  for (const letter of ['a', 'é', '€', '😀']) {
    for (const shift of [0, 1, 2, 3]) {
      test(`split a line without end between characters: ${letter} after ${shift}`, () => {
        const text = 'x'.repeat(shift) + letter.repeat(pageBytes)
        assert.equal(pagesOf(encode(text)).join(''), text)
      })
    }
  }

  test('split UTF-16 between its units', () => {
    const text = 'é'.repeat(pageBytes)
    const bytes = new Uint8Array(Buffer.from(text, 'utf16le'))
    assert.equal(pagesOf(bytes, 'utf-16le').join(''), text)
  })

  test('end for bytes that are no text', () => {
    const bytes = new Uint8Array(pageBytes * 2).fill(0x80)
    assert.equal(pagesOf(bytes).join('').length, bytes.length)
  })

  test('are one for an empty text', () => assert.equal(pageCount(0), 1))
})
