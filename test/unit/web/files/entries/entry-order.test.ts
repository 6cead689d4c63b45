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

const anyName = fc.string({ maxLength: 4, unit: 'grapheme' }).filter((name) => !name.includes('/'))

const anyEntry = fc
  .tuple(fc.boolean(), anyName)
  .map(([isFolder, name]) => (isFolder ? folder(name) : file(name)))

describe('mergeByName', () => {
  test('sorts folders first and numbers by value', () => {
    const merged = mergeByName([], [file('img10'), file('img2'), folder('z'), file('B'), file('a')])
    assert.deepEqual(names(merged), ['z', 'a', 'B', 'img2', 'img10'])
  })

  test('merging page by page equals sorting everything', () => {
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

  test('replaces an entry with the same key', () => {
    const merged = mergeByName([file('a', { size: 1 }), file('b')], [file('a', { size: 2 })])
    assert.deepEqual(
      merged.map((entry) => entry.kind === 'file' && entry.size),
      [2, 0],
    )
  })

  test('returns the same list if nothing is added', () => {
    const sorted = [file('a')]
    assert.equal(mergeByName(sorted, []), sorted)
  })
})

describe('inOrder', () => {
  test('sorts folders by what was counted, unknown ones behind them, before files', () => {
    const sorted = mergeByName([], [file('f'), ...['a', 'b', 'c', 'd', 'e'].map(folder)])
    const measures = new Map([
      ['b/', { bytes: 5, lastModified: '2026-01-01T00:00:00Z' }],
      ['d/', { bytes: 9, lastModified: '2020-01-01T00:00:00Z' }],
      ['e/', { bytes: 0, lastModified: null }],
    ])
    const orderOf = (field: 'size' | 'modified', isDescending: boolean) =>
      names(inOrder(sorted, { field, isDescending }, measures)).join('')
    assert.equal(orderOf('size', true), 'dbeacf')
    assert.equal(orderOf('size', false), 'ebdacf')
    assert.equal(orderOf('modified', true), 'bdacef')
    assert.equal(orderOf('modified', false), 'dbacef')
    assert.equal(names(inOrder(sorted, byName, measures)).join(''), 'abcdef')
  })

  const sorted = [
    folder('d'),
    folder('e'),
    file('a', { size: 3, modifiedAtMs: 2 }),
    file('b', { size: 1, modifiedAtMs: 3 }),
    file('c', { size: 1, modifiedAtMs: 1 }),
  ]

  test('returns the list itself for the order by name', () => {
    assert.equal(inOrder(sorted, byName), sorted)
  })

  test('keeps the folders first when sorting by name in descending order', () => {
    const entries = inOrder(sorted, { field: 'name', isDescending: true })
    assert.deepEqual(names(entries), ['e', 'd', 'c', 'b', 'a'])
  })

  test('sorts files of equal size by name', () => {
    const ascending = inOrder(sorted, { field: 'size', isDescending: false })
    assert.deepEqual(names(ascending), ['d', 'e', 'b', 'c', 'a'])
    const descending = inOrder(sorted, { field: 'size', isDescending: true })
    assert.deepEqual(names(descending), ['d', 'e', 'a', 'b', 'c'])
  })

  test('sorts by modification time', () => {
    const entries = inOrder(sorted, { field: 'modified', isDescending: true })
    assert.deepEqual(names(entries), ['d', 'e', 'b', 'a', 'c'])
  })
})
