import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Entry } from '../../../../../web/src/files/entries/entry.ts'
import {
  type EntryFilter,
  isFiltering,
  matching,
} from '../../../../../web/src/files/search/entry-filter.ts'

const dayMs = 86_400_000
const nowMs = 1_000 * dayMs

const file = (name: string, size = 1, ageDays = 0): Entry => ({
  ...{ kind: 'file', key: `in/${name}`, name, size, etag: '' },
  modifiedAtMs: nowMs - ageDays * dayMs,
})
const entries = [
  { kind: 'folder', key: 'in/Photos/', name: 'Photos' },
  file('Straße.JPG', 5_000_000, 3),
  file('photo notes.md', 10, 40),
  file('old.tar.gz', 2_000_000_000, 400),
] as const

const namesOf = (filter: Partial<EntryFilter>) =>
  matching(entries, { text: '', ...filter }, nowMs).map(({ name }) => name)

describe('matching', () => {
  test('shows everything without a filter, and keeps the list itself', () => {
    assert.equal(matching(entries, { text: '' }, nowMs), entries)
    assert.equal(isFiltering({ text: '', kind: '' }), false)
  })

  test('finds a part of a name, whatever the case', () => {
    assert.deepEqual(namesOf({ text: 'PHOTO' }), ['Photos', 'photo notes.md'])
    assert.deepEqual(namesOf({ text: 'strasse' }), ['Straße.JPG'])
  })

  test('filters by kind', () => {
    assert.deepEqual(namesOf({ kind: 'folder' }), ['Photos'])
    assert.deepEqual(namesOf({ kind: 'image' }), ['Straße.JPG'])
    assert.deepEqual(namesOf({ kind: 'document' }), ['photo notes.md'])
    assert.deepEqual(namesOf({ kind: 'archive' }), ['old.tar.gz'])
  })

  test('filters files by date and size, which folders do not have', () => {
    assert.deepEqual(namesOf({ changed: '30' }), ['Straße.JPG'])
    assert.deepEqual(namesOf({ size: '-1' }), ['photo notes.md'])
    assert.deepEqual(namesOf({ size: '1', changed: '365' }), ['Straße.JPG'])
    assert.deepEqual(namesOf({ size: '1000', text: 'old' }), ['old.tar.gz'])
  })
})
