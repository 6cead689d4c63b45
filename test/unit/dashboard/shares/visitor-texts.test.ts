import assert from 'node:assert/strict'
import { test } from 'node:test'
import { de } from '../../../../src/dashboard/shares/texts/de.ts'
import { en } from '../../../../src/dashboard/shares/texts/en.ts'
import {
  dayText,
  momentText,
  sizeText,
  textsFor,
} from '../../../../src/dashboard/shares/texts/visitor-texts.ts'

for (const [accepted, language] of [
  [undefined, 'en'],
  ['', 'en'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en'],
  ['fr-FR, DE;q=0.3', 'de'],
  ['en;q=0.2, de;q=0.7', 'de'],
  ['fr, *;q=0.5, de;q=0.1', 'en'],
  ['de;q=0, fr', 'en'],
  ['constructor, __proto__', 'en'],
  [';;;,,q=9', 'en'],
] as const) {
  test(`a visitor who accepts ${accepted} reads ${language}`, () => {
    const headers = { 'accept-language': accepted }
    assert.equal(textsFor({ headers }).language, language)
  })
}

test('sizeText has three significant digits', () => {
  const sizes = [0, 1, 1_023, 1_024, 1_536, 123_456_789, 2 ** 50, 2 ** 60]
  assert.deepEqual(
    sizes.map((size) => sizeText(size, en)),
    ['0 bytes', '1 byte', '1023 bytes', '1 KiB', '1.5 KiB', '118 MiB', '1 PiB', '1020 PiB'],
  )
  assert.equal(sizeText(1_536, de), '1,5 KiB')
})

test('times are in UTC and in the form of the language', () => {
  const atMs = Date.UTC(2026, 2, 4, 5, 6)
  assert.equal(momentText(atMs, en), '4 March 2026 at 05:06 UTC')
  assert.equal(momentText(atMs, de), '4. März 2026 um 05:06 UTC')
  assert.equal(dayText(atMs, en), '4 Mar 2026')
  assert.equal(dayText(atMs, de), '04.03.2026')
})
