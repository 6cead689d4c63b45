import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedName, usesText } from '../../../../web/src/shares/share-text.ts'

test('usesText has the limit, if there is one', () => {
  assert.equal(usesText({ kind: 'file', uses: 0, maxUses: null, views: 1 }), '1 view, 0 downloads')
  assert.equal(usesText({ kind: 'folder', uses: 1, maxUses: null, views: 1 }), '1 view, 1 download')
  assert.equal(
    usesText({ kind: 'file', uses: 1, maxUses: 3, views: 1 }),
    '1 view, 1 of 3 downloads',
  )
  assert.equal(
    usesText({ kind: 'drop', uses: 2, maxUses: 1_000, views: 1 }),
    '1 view, 2 of 1,000 uploaded files',
  )
})

test('sharedName is the last name of the path, or the bucket', () => {
  const names = ['a/b.txt', 'a/b/', ''].map((path) =>
    sharedName({ bucket: 'photos', path, items: [] }),
  )
  assert.deepEqual(names, ['b.txt', 'b', 'photos'])
  const chosen = (...items: string[]) => sharedName({ bucket: 'photos', path: 'a/', items })
  assert.deepEqual(
    [chosen('b.txt'), chosen('c/'), chosen('b.txt', 'c/')],
    ['b.txt', 'c', '2 items'],
  )
})
