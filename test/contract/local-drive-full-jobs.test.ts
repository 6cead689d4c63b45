import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bucket, open } from '../unit/storage/jobs/files/open-file-jobs.ts'
import { bytesOf, get, listKeys, put } from './drive/stored-object.ts'
import { localDriveLacks, localDriveWith } from './local-drive-under-test.ts'

const mib = 1024 * 1024
const capacityBytes = 9 * mib
const skip = 'capacity' in localDriveLacks && localDriveLacks.capacity

describe('Jobs on a full drive', { skip }, () => {
  test('a copy fails with what to do, leaves no part of a file, and stops no other job', async (t) => {
    const { drive, leftovers } = await localDriveWith(t, { capacityBytes }, [bucket, 'other'])
    const { jobs, run, ended } = await open(t, { ...drive })
    const bytes = bytesOf(2 * mib)
    for (const key of ['a/1', 'a/2', 'a/3']) await put(drive, key, bytes, { bucket })
    for (const key of ['old/1', 'old/2', 'move/1', 'move/2']) {
      await put(drive, key, bytesOf(100_000), { bucket })
    }
    const to = (path: string) => ({ bucket, paths: [path] })
    const copy = { action: 'copy', bucket, paths: ['a/'], to: to('b/') } as const
    const [failed, moved, deleted] = await Promise.all([
      run(copy),
      run({ action: 'move', bucket, paths: ['move/'], to: to('moved/') }),
      run({ action: 'delete', bucket, paths: ['old/'] }),
    ])
    assert.equal(failed.state, 'failed')
    assert.match(failed.message, /b\/\d.*no space left on the drive\. Free some, then try again\.$/)
    assert.deepEqual([moved.state, moved.done, deleted.state, deleted.done], ['done', 2, 'done', 2])
    // A link takes no space, so moves of single objects work as well.
    const trashed = await run({ action: 'trash', bucket, paths: ['a/3'] })
    assert.deepEqual([trashed.state, trashed.done], ['done', 1])
    const keys = await listKeys(drive, {}, bucket)
    assert.deepEqual(
      keys.filter((key) => !key.startsWith('b/')),
      ['a/1', 'a/2', 'moved/1', 'moved/2'],
    )
    for (const key of keys.filter((key) => key.startsWith('b/'))) {
      assert.ok((await get(drive, key, bucket))?.equals(bytes), key)
    }
    assert.deepEqual(
      (await leftovers?.())?.filter((name) => !name.startsWith('trash/')),
      [],
    )
    await run({ action: 'empty', bucket, paths: [''] })
    // The first copy may have written b/3, and there is no room for three copies.
    for (const key of ['b/3', 'moved/1']) await drive.remove(bucket, key)
    const again = await jobs.follow(failed.id, 'again')
    if (again === undefined || again === 'unknown') assert.fail('not started')
    const { state, done, message } = await ended(again.id)
    assert.deepEqual([state, done, message], ['done', 2, ''])
    for (const key of ['b/1', 'b/2']) assert.ok((await get(drive, key, bucket))?.equals(bytes), key)
  })
})
