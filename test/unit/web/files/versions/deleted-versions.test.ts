import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedVersion } from '../../../../../web/src/files/s3/version-page.ts'
import {
  batches,
  markersAbove,
  ofDeleted,
} from '../../../../../web/src/files/versions/deleted-versions.ts'

/** A listing, from the newest version of each key: `x` is a delete marker, a letter a version. */
async function* listed(keys: Readonly<Record<string, string>>): AsyncGenerator<ListedVersion> {
  for (const [key, letters] of Object.entries(keys)) {
    for (const [index, letter] of [...letters].entries()) {
      const isDeleteMarker = letter === 'x'
      const versionId = `${letter}${index}`
      yield { key, versionId, isLatest: index === 0, isDeleteMarker, modifiedAtMs: 0, size: 1 }
    }
  }
}

const listing = { a: 'vvx', deleted: 'xv', 'deleted twice': 'xxvxv', only: 'xx', z: 'v' }

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  return Array.fromAsync(items)
}

test('Without the markers above its newest version, a deleted object exists again', async () => {
  const found = await all(markersAbove(listed(listing)))
  assert.deepEqual(
    found.map(({ key, versionId }) => `${key} ${versionId}`),
    ['deleted x0', 'deleted twice x0', 'deleted twice x1'],
  )
})

test('All versions of deleted objects are found, and those of no other', async () => {
  const found = await all(ofDeleted(listed(listing)))
  assert.deepEqual([...new Set(found.map(({ key }) => key))], ['deleted', 'deleted twice', 'only'])
  assert.equal(found.length, 9)
})

test('Batches have at most as many items as wanted', async () => {
  const batched = await all(batches(listed({ a: 'vvvvv' }), 2))
  assert.deepEqual(
    batched.map(({ length }) => length),
    [2, 2, 1],
  )
  assert.deepEqual(await all(batches(listed({}), 2)), [])
})
