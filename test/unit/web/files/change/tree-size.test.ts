import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeSize } from '../../../../../web/src/files/change/tree-size.ts'
import type { ListingPage } from '../../../../../web/src/files/listing/open-folder.ts'

function page(size: number, continuationToken?: string): ListingPage {
  const file = { key: 'a', name: 'a', size, modifiedAtMs: 0, etag: '' }
  return { entries: [{ ...file, kind: 'file' }], keys: ['a'], continuationToken }
}

test('treeSize adds the sizes of all pages', async () => {
  const size = await treeSize(async (token) => (token === undefined ? page(3, 't') : page(4)))
  assert.deepEqual(size, { objects: 2, bytes: 7, isMore: false })
})

test('treeSize stops counting after twenty pages', async () => {
  let asked = 0
  const size = await treeSize(async () => {
    asked += 1
    return page(1, 't')
  })
  assert.equal(asked, 20)
  assert.deepEqual(size, { objects: 20, bytes: 20, isMore: true })
})
