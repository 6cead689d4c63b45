import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  crumbsOf,
  entryWithin,
  nameOf,
  parentOf,
} from '../../../../../web/src/files/entries/entry.ts'

describe('crumbsOf', () => {
  test('gives every folder on the way, itself last', () => {
    assert.deepEqual(crumbsOf('a/b c/'), [
      { name: 'a', prefix: 'a/' },
      { name: 'b c', prefix: 'a/b c/' },
    ])
  })

  test('gives nothing for the top of a bucket', () => {
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

  test('gives the file itself in its own folder', () => {
    assert.deepEqual(entryWithin('a/', file), { ...file, kind: 'file', name: 'b.txt' })
  })

  test('gives the containing folder in folders above', () => {
    assert.deepEqual(entryWithin('', file), { kind: 'folder', key: 'a/', name: 'a' })
  })

  test('gives the folder of a marker', () => {
    const marker = { ...file, key: 'a/new/' }
    assert.deepEqual(entryWithin('a/', marker), { kind: 'folder', key: 'a/new/', name: 'new' })
  })

  test('gives nothing elsewhere, and nothing for the marker of the folder that is looked at', () => {
    assert.equal(entryWithin('b/', file), undefined)
    assert.equal(entryWithin('a/', { ...file, key: 'a/' }), undefined)
  })
})
