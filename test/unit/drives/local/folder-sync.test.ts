import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import { FolderSync } from '../../../../src/drives/local/folder-sync.ts'
import { openLocalRoot } from '../../../../src/drives/local/local-root.ts'
import { OpenFolder } from '../../../../src/drives/local/open-folder.ts'
import { tempFolder } from './temp-folder.ts'

test('settle syncs the way to a folder once, and again when it was made again', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  fs.mkdirSync(`${root.path}/bucket/a/b`, { recursive: true })
  const sync = new FolderSync(root)
  const synced: string[] = []
  t.mock.method(OpenFolder.prototype, 'sync', async function (this: OpenFolder) {
    synced.push(this.path.slice(root.path.length + 1))
  })
  // Inodes are reused, at once on some file systems: only the birth time tells.
  let birthtimeMs = 1
  t.mock.method(OpenFolder.prototype, 'stats', () => ({ ino: 7, birthtimeMs }))
  const settle = async () => {
    synced.length = 0
    const folder = await OpenFolder.open(root, 'bucket/a/b')
    assert.ok(folder)
    await sync.settle(folder)
    await folder.close()
    return synced.toSorted()
  }
  assert.deepEqual(await settle(), ['bucket', 'bucket/a', 'bucket/a/b'])
  assert.deepEqual(await settle(), ['bucket/a/b'])
  birthtimeMs = 2
  assert.deepEqual(await settle(), ['bucket', 'bucket/a', 'bucket/a/b'])
})
