import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Entry, FileEntry } from '../../../../../web/src/files/entries/entry.ts'
import {
  byName,
  compareByName,
  inOrder,
  mergeByName,
} from '../../../../../web/src/files/entries/entry-order.ts'

function file(name: string, facts: Partial<FileEntry> = {}): FileEntry {
  return { kind: 'file', key: name, name, size: 0, modifiedAtMs: 0, etag: '', ...facts }
}

function folder(name: string): Entry {
  return { kind: 'folder', key: `${name}/`, name }
}

const names = (entries: readonly Entry[]) => entries.map(({ name }) => name)

const anyEntry = fc
  .tuple(fc.boolean(), fc.string({ maxLength: 4, unit: 'grapheme' }))
  .map(([isFolder, name]) => (isFolder ? folder(name) : file(name)))

describe('mergeByName', () => {
  test('puts folders first and numbers in their order', () => {
    const merged = mergeByName([], [file('img10'), file('img2'), folder('z'), file('B'), file('a')])
    assert.deepEqual(names(merged), ['z', 'a', 'B', 'img2', 'img10'])
  })

  test('gives the same order page by page as sorting at once', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyEntry, { maxLength: 8 }), { maxLength: 6 }), (pages) => {
        const unique = new Map(pages.flat().map((entry) => [entry.key, entry]))
        const merged = pages.reduce<readonly Entry[]>(
          (sorted, page) => mergeByName(sorted, [...new Map(page.map((e) => [e.key, e])).values()]),
          [],
        )
        assert.deepEqual(merged, [...unique.values()].sort(compareByName))
      }),
    )
  })

  test('keeps the added one of two entries with the same key', () => {
    const merged = mergeByName([file('a', { size: 1 }), file('b')], [file('a', { size: 2 })])
    assert.deepEqual(
      merged.map((entry) => entry.kind === 'file' && entry.size),
      [2, 0],
    )
  })

  test('gives the same list when nothing is added', () => {
    const sorted = [file('a')]
    assert.equal(mergeByName(sorted, []), sorted)
  })
})

describe('inOrder', () => {
  const sorted = [
    folder('d'),
    folder('e'),
    file('a', { size: 3, modifiedAtMs: 2 }),
    file('b', { size: 1, modifiedAtMs: 3 }),
    file('c', { size: 1, modifiedAtMs: 1 }),
  ]

  test('by name is the list itself', () => {
    assert.equal(inOrder(sorted, byName), sorted)
  })

  test('by name, descending, keeps the folders first', () => {
    const entries = inOrder(sorted, { field: 'name', isDescending: true })
    assert.deepEqual(names(entries), ['e', 'd', 'c', 'b', 'a'])
  })

  test('by size leaves the same sizes in the order of names', () => {
    const ascending = inOrder(sorted, { field: 'size', isDescending: false })
    assert.deepEqual(names(ascending), ['d', 'e', 'b', 'c', 'a'])
    const descending = inOrder(sorted, { field: 'size', isDescending: true })
    assert.deepEqual(names(descending), ['d', 'e', 'a', 'b', 'c'])
  })

  test('by change goes by the time', () => {
    const entries = inOrder(sorted, { field: 'modified', isDescending: true })
    assert.deepEqual(names(entries), ['d', 'e', 'b', 'a', 'c'])
  })
})
