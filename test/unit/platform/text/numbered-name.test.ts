import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberedName } from '../../../../src/platform/text/numbered-name.ts'

for (const [name, expected] of [
  ['report.pdf', 'report (2).pdf'],
  ['archive.tar.gz', 'archive (2).tar.gz'],
  ['.profile', '.profile (2)'],
  ['README', 'README (2)'],
  ['v1.2 notes', 'v1.2 notes (2)'],
  ['a.b.c', 'a.b (2).c'],
  ['ends with dot.', 'ends with dot. (2)'],
  ['line\nbreak.txt', 'line\nbreak (2).txt'],
  ['..', '.. (2)'],
] as const) {
  test(`numberedName turns ${JSON.stringify(name)} into ${JSON.stringify(expected)}`, () => {
    assert.equal(numberedName(name, 2), expected)
  })
}
