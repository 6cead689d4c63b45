import assert from 'node:assert/strict'
import fs from 'node:fs'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { FolderLocks } from '../../../../../../src/storage/drives/local/objects/folder-locks.ts'
import { bucket, listKeys, openDrive, put } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

/** Two processes over one folder, with a log of what they do. */
async function open(t: TestContext) {
  const folder = tempFolder(t)
  const [one, other] = [
    new FolderLocks(await openLocalRoot(folder)),
    new FolderLocks(await openLocalRoot(folder)),
  ]
  await one.prepare()
  const done: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const pausing = (name: string) => {
    const gate = Promise.withResolvers<void>()
    gates.set(name, gate)
    return async () => {
      done.push(`begin ${name}`)
      await gate.promise
      done.push(`end ${name}`)
    }
  }
  const until = async (text: string) => {
    while (!done.includes(text)) await nextTurn()
  }
  const end = (name: string) => gates.get(name)?.resolve()
  return { one, other, done, pausing, until, end, mark: `${folder}/.bucketry/locks/moving` }
}

test('a move waits for the changes of keys, and later changes in its folders wait for the move', async (t) => {
  const { one, other, done, pausing, until, end, mark } = await open(t)
  const { symlink } = fs.promises
  let change: Promise<void> | undefined
  t.mock.method(fs.promises, 'symlink', async (...call: Parameters<typeof symlink>) => {
    change = one.hold('b/from/x', pausing('change'))
    await until('begin change')
    await symlink(...call)
  })
  const move = other.holdFolders(['b/from', 'b/to'], pausing('move'))
  while (!fs.lstatSync(mark, { throwIfNoEntry: false })) await nextTurn()
  const later = ['b/from', 'b/from/y', 'b/to/z'].map((path) => one.hold(path, pausing(path)))
  // Other keys do not wait.
  await one.hold('b/fromage', async () => done.push('other key'))
  await one.hold('c/from/x', async () => done.push('other bucket'))
  end('change')
  await until('begin move')
  assert.deepEqual(done, ['begin change', 'other key', 'other bucket', 'end change', 'begin move'])
  end('move')
  for (const path of ['b/from', 'b/from/y', 'b/to/z']) end(path)
  await Promise.all([change, move, ...later])
  assert.equal(done[5], 'end move')
  assert.deepEqual(done.length, 12)
  assert.equal(fs.lstatSync(mark, { throwIfNoEntry: false }), undefined)
})

test('writers do not wait while a move waits for a holder that makes no progress', async (t) => {
  const { one, other, mark, pausing, until, end } = await open(t)
  const stuck = one.hold('c/stuck', pausing('stuck'))
  await until('begin stuck')
  const looks = t.mock.method(fs.promises, 'readdir').mock
  const move = other.holdFolders(['b/from'], pausing('move'))
  while (looks.callCount() === 0) await nextTurn()
  assert.equal(fs.lstatSync(mark, { throwIfNoEntry: false }), undefined)
  await one.hold('b/from/x', async () => undefined)
  end('stuck')
  await until('begin move')
  end('move')
  await Promise.all([stuck, move])
})

test('the mark of a dead process delays nobody', async (t) => {
  const { one, mark } = await open(t)
  fs.symlinkSync(JSON.stringify(['b/from']), mark)
  assert.equal(await one.hold('b/from/x', async () => 'changed'), 'changed')
  assert.equal(fs.lstatSync(mark, { throwIfNoEntry: false }), undefined)
  fs.symlinkSync(JSON.stringify(['b/from']), mark)
  assert.equal(await one.holdFolders(['b/to'], async () => 'moved'), 'moved')
  assert.equal(fs.lstatSync(mark, { throwIfNoEntry: false }), undefined)
})

test('whatever changes a key in the folder waits', async (t) => {
  const { drive, root } = await openDrive(t)
  for (const key of ['f/removed', 'f/tagged', 'g/k']) await put(drive, key, key)
  const locks = new FolderLocks(await openLocalRoot(root))
  await locks.prepare()
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const move = locks.holdFolders([`${bucket}/f`], () => {
    begun.resolve()
    return gate.promise
  })
  await begun.promise
  let done = 0
  const count = () => {
    done += 1
  }
  const many = Array.from({ length: 16 }, (_, number) => number)
  const changes = [
    ...many.map((number) => put(drive, `f/${number}`, 'small')),
    put(drive, 'f/new/folder', 'in a new folder'),
    put(drive, 'f/if-absent', 'x', { ifNoneMatch: '*' }),
    drive.remove(bucket, 'f/removed'),
    drive.setAttributes?.(bucket, 'f/tagged', { tags: { a: '1' } }),
  ].map((change) => Promise.resolve(change).then(count))
  // Others are as fast as ever.
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(many.map((number) => put(drive, `g/${round}-${number}`, 'small')))
  }
  assert.equal(done, 0)
  gate.resolve()
  await Promise.all([move, ...changes])
  assert.equal((await listKeys(drive)).filter((key) => key.startsWith('f/')).length, 19)
})

test('a move whose paths do not fit into a mark is not begun', async (t) => {
  const { one } = await open(t)
  const folders = ['b/from', `b/${'a/'.repeat(3_000)}`]
  assert.equal(await one.holdFolders(folders, async () => 'moved'), undefined)
  assert.equal(await one.hold('b/from/x', async () => 'changed'), 'changed')
})
