import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { linkedKey } from '../../../../../../web/src/files/preview/text/linked-key.ts'
import { languageOf, textView } from '../../../../../../web/src/files/preview/text/text-view.ts'

describe('linkedKey', () => {
  for (const [address, key] of [
    ['b.png', 'notes/b.png'],
    ['./img/b%20c.png?raw=1#x', 'notes/img/b c.png'],
    ['../é ü.png', 'é ü.png'],
    ['../../../../b', 'b'],
    ['/top.md', 'top.md'],
    ['#heading', undefined],
    ['//evil.example/x.png', undefined],
    ['https://evil.example/x.png', undefined],
    ['javascript:alert(1)', undefined],
    ['\\\\evil.example/x', undefined],
    ['%ff', undefined],
    ['http://[', undefined],
    ['/', undefined],
  ] as const) {
    test(address, () => assert.equal(linkedKey(address, 'notes/a?#.md'), key))
  }
})

describe('textView', () => {
  for (const [key, type, size, view] of [
    ['README.md', '', 10, 'markdown'],
    ['README.md', '', 10_000_000, undefined],
    ['a', 'application/ld+json', 10, 'json'],
    ['a.json', 'text/plain', 10, 'json'],
    ['a.csv', 'application/octet-stream', 10_000_000_000, 'table'],
    ['a.txt', 'text/plain', 10, undefined],
    ['a.md/b', 'text/plain', 10, undefined],
  ] as const) {
    test(`of ${key} as ${type}, ${size} bytes`, () => assert.equal(textView(key, type, size), view))
  }
})

test('languageOf is the end of the name', () => {
  assert.equal(languageOf('a/b.TS'), 'ts')
  assert.equal(languageOf('a.b/Makefile'), 'makefile')
  assert.equal(languageOf('a.log'), undefined)
})
