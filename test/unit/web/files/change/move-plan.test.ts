import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  folderLabel,
  movedKey,
  moveTo,
  obstacleOf,
  renameTo,
} from '../../../../../web/src/files/change/move-plan.ts'
import type { Entry } from '../../../../../web/src/files/entries/entry.ts'

const file: Entry = {
  ...{ kind: 'file', key: 'a/b.txt', name: 'b.txt', size: 1, modifiedAtMs: 0, etag: 'e' },
}
const folder: Entry = { kind: 'folder', key: 'a/d/', name: 'd' }

describe('moveTo and renameTo', () => {
  test('keep the name in another folder', () => {
    assert.equal(moveTo(file, 'b', { bucket: 'c', prefix: 'x/' }).to, 'x/b.txt')
    assert.equal(moveTo(folder, 'b', { bucket: 'c', prefix: '' }).to, 'd/')
  })

  test('keep the folder under another name', () => {
    assert.equal(renameTo(file, 'b', 'new').to, 'a/new')
    assert.equal(renameTo(folder, 'b', 'new').to, 'a/new/')
    assert.equal(renameTo({ kind: 'folder', key: 'a//', name: '' }, 'b', 'x').to, 'a/x/')
  })

  test('movedKey keeps the path below the prefix', () => {
    assert.equal(movedKey(renameTo(folder, 'b', 'new'), 'a/d/e/f.txt'), 'a/new/e/f.txt')
    assert.equal(movedKey(renameTo(folder, 'b', 'new'), 'a/d/'), 'a/new/')
  })
})

describe('obstacleOf', () => {
  test('detects a move to the same folder', () => {
    assert.equal(obstacleOf(moveTo(file, 'b', { bucket: 'b', prefix: 'a/' })), 'same-folder')
    assert.equal(obstacleOf(moveTo(file, 'b', { bucket: 'c', prefix: 'a/' })), undefined)
  })

  test('detects a move of a folder into itself', () => {
    assert.equal(obstacleOf(moveTo(folder, 'b', { bucket: 'b', prefix: 'a/d/' })), 'into-itself')
    assert.equal(obstacleOf(moveTo(folder, 'b', { bucket: 'b', prefix: 'a/dd/' })), undefined)
    assert.equal(obstacleOf(moveTo(folder, 'b', { bucket: 'c', prefix: 'a/d/' })), undefined)
  })

  test('detects a key that is too long', () => {
    const prefix = `${'x'.repeat(1_020)}/`
    assert.equal(obstacleOf(moveTo(file, 'b', { bucket: 'b', prefix })), 'too-long')
  })
})

test('folderLabel shows bucket and folder, or only the bucket for its top', () => {
  assert.equal(folderLabel({ bucket: 'photos', prefix: '' }), 'photos')
  assert.equal(folderLabel({ bucket: 'photos', prefix: '2024/may/' }), 'photos/2024/may/')
})
