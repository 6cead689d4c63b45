import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../../../web/src/files/entries/entry.ts'
import { currentEntries } from '../../../../../web/src/files/search/current-entries.ts'
import type { DriveChange } from '../../../../../web/src/files/transfers/drive-changes.ts'

const bucket = 'photos'
const place = { size: 5, modifiedAtMs: 1_000, etag: 'e' }
const hits: readonly Entry[] = [
  { kind: 'file', bucket, key: 'a/Report.txt', name: 'Report.txt', ...place },
  { kind: 'folder', bucket, key: 'a/reports/', name: 'reports' },
]

const added = (key: string, changes: object = {}, of = bucket): DriveChange => ({
  type: 'added',
  bucket: of,
  file: { ...place, key, ...changes },
})
const removed = (...keys: readonly string[]): DriveChange => ({
  type: 'removed',
  bucket,
  keys: new Set(keys),
})

function keysAfter(
  changes: readonly DriveChange[],
  wish: object = {},
  found = hits,
): readonly string[] {
  const all = { text: 'REPORT', bucket, prefix: 'a/', ...wish }
  return currentEntries(found, changes, all).map(({ key }) => key)
}

const before = ['a/reports/', 'a/Report.txt']

test('an upload is a hit if the search would find it', () => {
  assert.deepEqual(keysAfter([added('a/b/my report')]), ['a/reports/', 'a/b/my report', before[1]])
  for (const [key, of] of [
    ['a/other.txt', bucket],
    ['a/report/other.txt', bucket],
    ['b/report', bucket],
    ['a/report', 'music'],
  ] as const) {
    assert.deepEqual(keysAfter([added(key, {}, of)]), before, key)
  }
  const everywhere = { bucket: undefined, prefix: '' }
  assert.equal(keysAfter([added('report', {}, 'music')], everywhere).length, 3)
})

test('a hit keeps its place under a new name, and other files do not take it', () => {
  const upload = added('a/x.bin', { size: 9, modifiedAtMs: 2_000, etag: '' })
  const renamed = [removed('a/Report.txt'), added('c/done.txt')]
  assert.deepEqual(keysAfter([...renamed, upload]), ['a/reports/', 'c/done.txt'])
  assert.deepEqual(keysAfter([removed('a/Report.txt'), upload]), ['a/reports/'])
  // Undone, and renamed once more.
  assert.deepEqual(keysAfter([...renamed, removed('c/done.txt'), added('a/Report.txt')]), before)
  const again = [...renamed, removed('c/done.txt'), added('d/more.txt')]
  assert.deepEqual(keysAfter(again), ['a/reports/', 'd/more.txt'])
  const folder = [removed('a/reports/'), added('a/old/', { size: 0, modifiedAtMs: 3_000 })]
  assert.deepEqual(keysAfter(folder), ['a/old/', 'a/Report.txt'])
})

test('what is removed is gone, and what is written again has its new size', () => {
  assert.deepEqual(keysAfter([removed('a/Report.txt', 'a/reports/')]), [])
  const [, file] = currentEntries(hits, [added('a/Report.txt', { size: 7 })], {
    ...{ text: 'report', bucket, prefix: '' },
  })
  assert.equal(file?.kind === 'file' && file.size, 7)
})

test('what is in a folder is gone with it, and back with it', () => {
  const key = 'a/reports/report 1.txt'
  const found: readonly Entry[] = [...hits, { kind: 'file', bucket, key, name: 'r', ...place }]
  const keysOf = (...changes: readonly DriveChange[]) => keysAfter(changes, {}, found)
  const [folder, other] = before
  assert.deepEqual(keysOf(removed('a/reports/')), [other])
  assert.deepEqual(keysOf(removed('a/reports/'), added('a/reports/')), [folder, key, other])
  const renamed = [removed('a/reports/'), added('a/old/')]
  assert.deepEqual(keysOf(...renamed), ['a/old/', other])
  const undone = [...renamed, removed('a/old/'), added('a/reports/')]
  assert.deepEqual(keysOf(...undone), [folder, key, other])
  assert.deepEqual(keysOf(removed('a/')), [])
  const elsewhere = [removed('a/reports/'), added('a/reports/', {}, 'music')]
  assert.deepEqual(keysOf(...elsewhere), before)
})
