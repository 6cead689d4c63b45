import assert from 'node:assert/strict'
import fs from 'node:fs'
import { type TestContext, test } from 'node:test'
import { FolderSync } from '../../../../../../src/storage/drives/local/folders/folder-sync.ts'
import { OpenFolder } from '../../../../../../src/storage/drives/local/folders/open-folder.ts'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { until } from '../../../../../support/management-client.ts'
import { tempFolder } from '../temp-folder.ts'

test('makeDurable syncs the folders above once, and again when one was created again', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  fs.mkdirSync(`${root.path}/bucket/a/b`, { recursive: true })
  const sync = new FolderSync(root)
  const synced: string[] = []
  t.mock.method(OpenFolder.prototype, 'sync', async function (this: OpenFolder) {
    synced.push(this.path.slice(root.path.length + 1))
  })
  // Some file systems reuse inodes immediately: only the birth time differs.
  let birthtimeMs = 1
  t.mock.method(OpenFolder.prototype, 'stats', () => ({ ino: 7, birthtimeMs }))
  const settle = async () => {
    synced.length = 0
    const folder = await OpenFolder.open(root, 'bucket/a/b')
    assert.ok(folder)
    await sync.makeDurable(folder)
    await folder.close()
    return synced.toSorted()
  }
  assert.deepEqual(await settle(), ['bucket', 'bucket/a', 'bucket/a/b'])
  assert.deepEqual(await settle(), ['bucket/a/b'])
  birthtimeMs = 2
  assert.deepEqual(await settle(), ['bucket', 'bucket/a', 'bucket/a/b'])
})

/** A durable folder. Its further syncs end when the test resolves them. */
async function openHeld(t: TestContext) {
  const root = await openLocalRoot(tempFolder(t))
  fs.mkdirSync(`${root.path}/bucket`)
  const sync = new FolderSync(root)
  const folder = await OpenFolder.open(root, 'bucket')
  assert.ok(folder)
  await sync.makeDurable(folder)
  const running: PromiseWithResolvers<void>[] = []
  t.mock.method(OpenFolder.prototype, 'sync', () => {
    const started = Promise.withResolvers<void>()
    running.push(started)
    return started.promise
  })
  return { root, sync, folder, running }
}

test('makeDurable shares a sync with calls of the same turn, and with none before it', async (t) => {
  const { sync, folder, running } = await openHeld(t)
  const ended: string[] = []
  const settle = (name: string) =>
    sync.makeDurable(folder).then(
      () => ended.push(name),
      (error: Error) => ended.push(`${name} ${error.message}`),
    )
  const first = [settle('a'), settle('b')]
  await until(() => running.length === 1)
  const second = settle('c')
  await until(() => running.length === 2)
  running[1]?.resolve()
  await second
  assert.deepEqual(ended, ['c'])
  running[0]?.reject(new Error('EIO'))
  await Promise.all(first)
  assert.deepEqual(ended, ['c', 'a EIO', 'b EIO'])
  await folder.close()
})

test('makeDurable runs eight syncs at once, one for all waiting calls, and the first of any folder', async (t) => {
  const { root, sync, folder, running } = await openHeld(t)
  const all: Promise<void>[] = []
  for (let count = 0; count < 12; count++) {
    all.push(sync.makeDurable(folder))
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  }
  assert.equal(running.length, 8)
  fs.mkdirSync(`${root.path}/other`)
  const other = await OpenFolder.open(root, 'other')
  assert.ok(other)
  const others = [sync.makeDurable(other)]
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  assert.equal(running.length, 9)
  running[8]?.resolve()
  await Promise.all(others)
  running[0]?.resolve()
  await all[0]
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  assert.equal(running.length, 10)
  for (const { resolve } of running) resolve()
  await Promise.all(all)
  assert.equal(running.length, 10)
  await other.close()
  await folder.close()
})
