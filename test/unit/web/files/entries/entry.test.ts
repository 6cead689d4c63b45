import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  crumbsOf,
  entryWithin,
  nameOf,
  parentOf,
} from '../../../../../web/src/files/entries/entry.ts'

describe('crumbsOf', () => {
  test('returns every parent folder, then the folder itself', () => {
    assert.deepEqual(crumbsOf('a/b c/'), [
      { name: 'a', prefix: 'a/' },
      { name: 'b c', prefix: 'a/b c/' },
    ])
  })

  test('returns nothing for the root of a bucket', () => {
    assert.deepEqual(crumbsOf(''), [])
  })

  test('keeps folders without a name', () => {
    assert.deepEqual(crumbsOf('a//'), [
      { name: 'a', prefix: 'a/' },
      { name: '', prefix: 'a//' },
    ])
  })
})

describe('parentOf and nameOf', () => {
  for (const [key, parent, name] of [
    ['a.txt', '', 'a.txt'],
    ['a/b.txt', 'a/', 'b.txt'],
    ['a/b/', 'a/', 'b'],
    ['a/', '', 'a'],
    ['a//', 'a/', ''],
    ['/', '', ''],
    ['/x', '/', 'x'],
  ] as const) {
    test(`take ${JSON.stringify(key)} apart`, () => {
      assert.equal(parentOf(key), parent)
      assert.equal(nameOf(key), name)
    })
  }
})

describe('entryWithin', () => {
  const file = { key: 'a/b.txt', size: 3, modifiedAtMs: 5, etag: 'e' }

  test('returns the file in its own folder', () => {
    assert.deepEqual(entryWithin('a/', file), { ...file, kind: 'file', name: 'b.txt' })
  })

  test('returns the folder that contains the file in folders above', () => {
    assert.deepEqual(entryWithin('', file), { kind: 'folder', key: 'a/', name: 'a' })
  })

  test('returns the folder for its marker', () => {
    const marker = { ...file, key: 'a/new/' }
    assert.deepEqual(entryWithin('a/', marker), { kind: 'folder', key: 'a/new/', name: 'new' })
  })

  test('returns nothing for other folders and for the marker of the open folder', () => {
    assert.equal(entryWithin('b/', file), undefined)
    assert.equal(entryWithin('a/', { ...file, key: 'a/' }), undefined)
  })
})
