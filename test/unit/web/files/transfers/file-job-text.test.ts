import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileJobReply } from '../../../../../src/dashboard/management/files/file-job-schemas.ts'
import { outcomeText, titleOf } from '../../../../../web/src/files/transfers/file-job-text.ts'

const at = '2026-01-01T00:00:00.000Z'

const job = (changes: Partial<FileJobReply>): FileJobReply => ({
  ...{ id: 'id', action: 'move', bucket: 'files', paths: ['a/b.txt'], count: 1, to: null },
  ...{ trashId: null, undoes: null, state: 'done', done: 1, total: null, skipped: 0 },
  ...{ problems: [], canUndo: false, startedAt: at, endedAt: at, message: null },
  ...changes,
})
const to = (path: string, bucket = 'files') => ({ to: { bucket, paths: [path] } })
const copy = { action: 'copy' } as const

const titles: readonly (readonly [Partial<FileJobReply>, string])[] = [
  [to('a/c.txt'), 'Renaming “b.txt” to “c.txt”'],
  [to('x/y/b.txt'), 'Moving “b.txt” to “files/x/y/”'],
  [{ ...copy, ...to('b.txt', 'other') }, 'Copying “b.txt” to “other”'],
  [{ ...copy, ...to('a/b (2).txt') }, 'Duplicating “b.txt”'],
  [{ action: 'trash', paths: ['a/', 'b'], count: 2 }, 'Deleting 2 items'],
  [{ action: 'restore', paths: [''] }, 'Restoring deleted files of “files”'],
  [{ action: 'empty', paths: [''] }, 'Deleting from the trash of “files”'],
  [{ action: 'restore' }, 'Restoring “b.txt” to “files/a/”'],
  [{ action: 'restore', paths: ['a/', 'b'], count: 2 }, 'Restoring 2 items to “files”'],
  [{ action: 'restore', paths: ['a/b', 'c'], count: 2 }, 'Restoring 2 items'],
  [{ action: 'undelete', undoes: 'one' }, 'Undo: Restoring “b.txt” to “files/a/”'],
  [{ action: 'erase' }, 'Deleting “b.txt” permanently'],
]
const doneTitles: typeof titles = [
  [to('a/c.txt'), 'Renamed “b.txt” to “c.txt”'],
  [to('x/y/b.txt'), 'Moved “b.txt” to “files/x/y/”'],
  [{ ...copy, ...to('b.txt', 'other') }, 'Copied “b.txt” to “other”'],
  [{ ...copy, ...to('a/b (2).txt') }, 'Duplicated “b.txt”'],
  [{ action: 'trash', paths: ['a/', 'b'], count: 2 }, 'Deleted 2 items'],
  [{ action: 'restore', paths: [''] }, 'Restored deleted files of “files”'],
  [{ action: 'empty', paths: [''] }, 'Deleted from the trash of “files”'],
  [{ action: 'restore' }, 'Restored “b.txt” to “files/a/”'],
  [{ action: 'restore', paths: ['a/', 'b'], count: 2 }, 'Restored 2 items to “files”'],
  [{ action: 'restore', paths: ['a/b', 'c'], count: 2 }, 'Restored 2 items'],
  [{ action: 'undelete', undoes: 'one' }, 'Undo: Restored “b.txt” to “files/a/”'],
  [{ action: 'erase' }, 'Deleted “b.txt” permanently'],
]
for (const [changes, title] of doneTitles) {
  test(`a job that is done is called ${title}`, () => assert.equal(titleOf(job(changes)), title))
}
for (const state of ['running', 'failed', 'cancelled'] as const) {
  for (const [changes, title] of titles) {
    test(`a job that is ${state} is called ${title}`, () =>
      assert.equal(titleOf(job({ ...changes, state })), title))
  }
}

test('a job that has skipped something is not called done', () => {
  const skipping = { ...to('x/y/b.txt'), done: 0, skipped: 1 }
  assert.equal(titleOf(job(skipping)), 'Moving “b.txt” to “files/x/y/”')
})

for (const [changes, text] of [
  [{ done: 61 }, '61 moved.'],
  [{ ...copy, done: 1, skipped: 2 }, '1 copied, 2 not copied.'],
  [{ action: 'trash', trashId: 'id', done: 2 }, '2 objects moved to the trash.'],
  [{ action: 'trash', done: 2 }, '2 objects deleted.'],
  [{ action: 'delete', state: 'cancelled' }, 'Stopped. 1 object deleted, the rest was not.'],
] as const) {
  test(`a job ends with: ${text}`, () => assert.equal(outcomeText(job(changes)), text))
}
