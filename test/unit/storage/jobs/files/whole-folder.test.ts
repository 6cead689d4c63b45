import assert from 'node:assert/strict'
import fs from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { trashBucketOf } from '../../../../../src/storage/drives/trash-bucket.ts'
import { type FileOrder, newFigures } from '../../../../../src/storage/jobs/files/file-order.ts'
import { keysOf, put } from '../../../dashboard/management/management-fixture.ts'
import { openDrive } from '../../drives/local/open-drive.ts'
import { deadOwner } from '../jobs-fixture.ts'
import { bucket, open } from './open-file-jobs.ts'

const order = (from: string, to: string): FileOrder => ({
  ...{ action: 'move', bucket, paths: [from], to: { bucket, paths: [to] } },
})

/** Jobs on a folder. */
async function openOnFolder(t: TestContext, changes: Partial<Drive> = {}) {
  const { drive, root } = await openDrive(t)
  await drive.prepare([bucket, 'other'])
  const { drive: _, ...opened } = await open(t, { ...drive, ...changes })
  const inode = (path: string) =>
    fs.lstatSync(`${root}/${bucket}/${path}`, { throwIfNoEntry: false })?.ino
  return { ...opened, drive, inode }
}

test('a folder moves as it is, and the undo moves it back', async (t) => {
  const { jobs, drive, run, ended, inode, room } = await openOnFolder(t)
  for (const key of ['a/1', 'a/b/2', 'c']) await put(drive, key, key)
  const [folder, file] = [inode('a/b'), inode('a/b/2')]
  const job = await run(order('a/', 'x/y/'))
  assert.deepEqual([job.state, job.done, job.skipped, job.canUndo], ['done', 2, 0, true])
  assert.deepEqual(await keysOf(drive), ['c', 'x/y/1', 'x/y/b/2'])
  assert.deepEqual([inode('x/y/b'), inode('x/y/b/2')], [folder, file])
  const undo = await jobs.follow(job.id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  assert.equal((await ended(undo.id)).done, 2)
  assert.deepEqual([inode('a/b'), inode('x')], [folder, undefined])
  assert.equal(room.bytes, 0)
})

test('folders go to another bucket as they are, within its quota', async (t) => {
  const { drive, run, room } = await openOnFolder(t)
  for (const key of ['a/1', 'a/b/2']) await put(drive, key, key)
  const job = await run({ ...order('a/', 'a/'), to: { bucket: 'other', paths: ['a/'] } })
  assert.deepEqual([job.done, room.bytes], [2, 8])
  assert.deepEqual(await keysOf(drive, 'other'), ['a/1', 'a/b/2'])
})

test('into a folder with content go the folders whose names are free, and the objects', async (t) => {
  const { jobs, drive, run, ended, inode } = await openOnFolder(t)
  const moved = ['a/1', 'a/both/2', 'a/new/3', 'a/new/4']
  for (const key of [...moved, 'x/a/0', 'x/a/both/1']) await put(drive, key, key)
  const folder = inode('a/new')
  const job = await run(order('a/', 'x/a/'))
  assert.deepEqual([job.done, job.skipped], [4, 0])
  const all = ['x/a/0', 'x/a/1', 'x/a/both/1', 'x/a/both/2', 'x/a/new/3', 'x/a/new/4']
  assert.deepEqual(await keysOf(drive), all)
  assert.equal(inode('x/a/new'), folder)
  const undo = await jobs.follow(job.id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  assert.equal((await ended(undo.id)).done, 4)
  assert.deepEqual(await keysOf(drive), [...moved, 'x/a/0', 'x/a/both/1'])
})

test('a deletion comes back from the trash as it is, into a folder with content', async (t) => {
  const { drive, run, inode } = await openOnFolder(t)
  for (const key of ['p/2024/1', 'p/2024/b/2', 'p/2025/3']) await put(drive, key, key)
  const folder = inode('p/2024/b')
  const { done, trashId } = await run({ action: 'trash', bucket, paths: ['p/2024/'] })
  assert.deepEqual([done, await keysOf(drive)], [2, ['p/2025/3']])
  const restored = await run({ action: 'restore', bucket, trashId, paths: [''] })
  assert.deepEqual([restored.done, restored.state], [2, 'done'])
  assert.equal(inode('p/2024/b'), folder)
  assert.deepEqual(await keysOf(drive, trashBucketOf(bucket)), [])
})

test('a folder that writers do not leave alone is moved object by object', async (t) => {
  const { drive, run } = await openOnFolder(t, {
    moveFolder: () => Promise.reject(new DriveError('busy', 'try again')),
  })
  for (const key of ['a/1', 'a/b/2']) await put(drive, key, key)
  assert.equal((await run(order('a/', 'x/'))).done, 2)
  assert.deepEqual(await keysOf(drive), ['x/1', 'x/b/2'])
})

for (const [kind, state] of [
  ['unavailable', 'done'],
  ['denied', 'failed'],
] as const) {
  test(`a step that was done and then failed (${kind}) is recognised, and can be undone`, async (t) => {
    let moves = 0
    const { jobs, drive, run, ended } = await openOnFolder(t, {
      async moveFolder(...call) {
        const moved = await drive.moveFolder?.(...call)
        moves += 1
        if (moves === 1) throw new DriveError(kind, 'no record was saved')
        return moved
      },
    })
    for (const key of ['a/1', 'a/b/2']) await put(drive, key, key)
    let job = await run(order('a/', 'x/'))
    assert.equal(job.state, state)
    if (state === 'failed') {
      const again = await jobs.follow(job.id, 'again')
      if (again === undefined || again === 'unknown') assert.fail('not started')
      job = await ended(again.id)
    }
    assert.deepEqual([job.state, job.done, job.canUndo], ['done', 2, true])
    const undo = await jobs.follow(job.id, 'undo')
    if (undo === undefined || undo === 'unknown') assert.fail('not started')
    assert.equal((await ended(undo.id)).done, 2)
    assert.deepEqual(await keysOf(drive), ['a/1', 'a/b/2'])
  })
}

for (const isMoved of [false, true]) {
  test(`a job that was killed ${isMoved ? 'after' : 'before'} the step is finished and can be undone`, async (t) => {
    const { jobs, drive, table, ended } = await openOnFolder(t)
    for (const key of ['a/1', 'a/b/2']) await put(drive, key, key)
    let identity = ''
    const moving = drive.moveFolder?.(
      { bucket, key: 'a/' },
      { bucket, key: 'x/' },
      {
        async beforeMove(seen) {
          identity = seen
        },
        assertMayGoOn() {
          if (!isMoved) throw new DriveError('denied', 'killed')
        },
      },
    )
    await moving?.catch(() => undefined)
    // Somebody uses the old name again.
    if (isMoved) await put(drive, 'a/later', 'later')
    const { paths, to, ...about } = order('a/', 'x/')
    const pair = ['a/', 'x/'] as const
    const figures = { ...newFigures(), begun: 1, moving: { pair, identity } }
    const stored = { about: { ...about, paths, to, count: 1 }, figures }
    const texts = { target: JSON.stringify(order('a/', 'x/')), figures: JSON.stringify(stored) }
    const row = { kind: 'file', id: 'dead', owner: deadOwner, beganAtMs: 0, ...texts } as const
    await table.take(row, undefined)
    await jobs.resume()
    const { state, done, skipped } = await ended('dead')
    assert.deepEqual([state, done, skipped], ['done', 2, 0])
    const left = isMoved ? ['a/later'] : []
    assert.deepEqual(await keysOf(drive), [...left, 'x/1', 'x/b/2'])
    const undo = await jobs.follow('dead', 'undo')
    if (undo === undefined || undo === 'unknown') assert.fail('not started')
    assert.equal((await ended(undo.id)).done, 2)
    assert.deepEqual(await keysOf(drive), ['a/1', 'a/b/2', ...left])
  })
}
