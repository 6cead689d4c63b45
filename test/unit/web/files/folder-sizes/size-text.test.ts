import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FolderCount, sizeText } from '../../../../../web/src/files/folder-sizes/size-text.ts'

const unknown: FolderCount = {
  ...{ id: 'i', bucket: 'b', prefix: 'a/', isCounting: false, problem: null },
  ...{ objects: null, bytes: null, lastModified: null, countedAt: null },
  found: { objects: 1_234, bytes: 2_048 },
}
const known = { ...unknown, objects: 2, bytes: 1_536, countedAt: '2026-01-02T03:04:05.000Z' }

for (const [what, count, isWaiting, text, title] of [
  ['never counted', undefined, false, '', /^$/],
  ['stopped before its end', unknown, false, '', /^$/],
  ['waiting', undefined, true, 'Waiting…', /Waits/],
  ['known and waiting', known, true, 'Waiting…', /Waits/],
  ['counting', { ...known, isCounting: true }, false, '2.00 KiB…', /Counting: 1,234 so far/],
  ['failed', { ...unknown, problem: 'Denied.' }, false, 'Not counted', /^Denied.$/],
  [
    'known, and then failed',
    { ...known, problem: 'Denied.' },
    false,
    '1.50 KiB',
    /^2 .*: Denied.$/,
  ],
  ['known', known, false, '1.50 KiB', /^2 objects, 1,536 bytes, counted .*2026/],
  ['empty', { ...known, objects: 0, bytes: 0 }, false, '0 bytes', /^0 objects/],
] as const) {
  test(`The row of a folder that is ${what} says ${text === '' ? 'nothing' : text}`, () => {
    const shown = sizeText(count, isWaiting)
    assert.equal(shown.text, text)
    assert.match(shown.title, title)
  })
}
