import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deletedItems, entryOf } from '../../../../../web/src/files/versions/deleted-entries.ts'

const item = (key: string, day: string) => {
  return { key, objects: 2, bytes: 10, deletedAt: `2026-01-${day}T00:00:00.000Z` }
}

test('The latest deletion is first, and a folder of two pages is one item', () => {
  const pages = [
    { entries: [item('a', '01'), item('b/', '03')], next: 'b/1' },
    { entries: [item('b/', '02'), item('c', '04')], next: null },
  ]
  assert.deepEqual(deletedItems(pages), [
    item('c', '04'),
    { ...item('b/', '03'), objects: 4, bytes: 20 },
    item('a', '01'),
  ])
})

test('An item is a file, or a folder if its key ends in a slash', () => {
  assert.deepEqual(entryOf(item('a/b/', '01')), { kind: 'folder', key: 'a/b/', name: 'b' })
  const { kind, name } = entryOf(item('a/b.txt', '01'))
  assert.deepEqual([kind, name], ['file', 'b.txt'])
})
