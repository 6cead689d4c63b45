import assert from 'node:assert/strict'
import { test } from 'node:test'
import { targetOf } from '../../../../../web/src/files/share/share-target.ts'

test('one file or folder is itself', () => {
  const file = { kind: 'file', bucket: 'b', path: 'a/x.txt', items: [], name: 'x.txt' }
  assert.deepEqual(targetOf('b', ['a/x.txt']), file)
  const folder = { kind: 'folder', bucket: 'b', path: 'a/y/', items: [], name: 'y' }
  assert.deepEqual(targetOf('b', ['a/y/']), folder)
})

test('several are chosen from the folder that has them all', () => {
  const itemsOf = (...keys: string[]) => {
    const { path, items } = targetOf('b', keys)
    return [path, ...items]
  }
  assert.deepEqual(itemsOf('a/x.txt', 'a/y/'), ['a/', 'x.txt', 'y/'])
  assert.deepEqual(itemsOf('a/x.txt', 'c/x.txt'), ['', 'a/x.txt', 'c/x.txt'])
  assert.deepEqual(itemsOf('a/b/x.txt', 'a/bc.txt'), ['a/', 'b/x.txt', 'bc.txt'])
  // A folder and a file in it: the folder is shared, too.
  assert.deepEqual(itemsOf('a/b/x.txt', 'a/b/'), ['a/', 'b/x.txt', 'b/'])
})
