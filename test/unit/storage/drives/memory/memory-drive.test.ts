import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'

const attributes = { etag: 'e', headers: {}, metadata: {} }

describe('the memory drive', () => {
  it('takes times from its clock', async () => {
    let now = 1000
    const drive = openMemoryDrive({ now: () => now })
    await drive.prepare(['b'])
    now = 2000
    const draft = await drive.draft('b', 'k', {})
    now = 3000
    assert.equal((await draft.publish(attributes)).modifiedAtMs, 3000)
    assert.equal(await drive.bucketCreatedAtMs('b'), 1000)
  })

  it('counts the bytes of stored objects, not of removed ones', async () => {
    const drive = openMemoryDrive({ capacityBytes: 10 })
    await drive.prepare(['b'])
    for (const size of [4, 6, 2]) {
      const draft = await drive.draft('b', 'k', {})
      await draft.write(new Uint8Array(size))
      await draft.publish(attributes)
      assert.deepEqual(await drive.quota?.(), { freeBytes: 10 - size, totalBytes: 10 })
    }
    await drive.remove('b', 'k')
    assert.deepEqual(await drive.quota?.(), { freeBytes: 10, totalBytes: 10 })
  })

  it('refuses a bucket that was not prepared', async () => {
    const drive = openMemoryDrive()
    const hasNone = { kind: 'no-bucket' }
    await assert.rejects(drive.head('b', 'k'), hasNone)
    await assert.rejects(drive.draft('b', 'k', {}), hasNone)
    await assert.rejects(drive.list('b', { prefix: '', after: '' }).next(1), hasNone)
  })

  it('refuses to complete more bytes than were committed', async () => {
    const drive = openMemoryDrive()
    await drive.prepare(['b'])
    const target = { bucket: 'b', key: 'k' }
    const state = await drive.uploads.begin('upload', target)
    await assert.rejects(drive.uploads.complete(state, { target, size: 1, attributes }), DriveError)
  })

  it('sweeps an upload by the age of its last part', async () => {
    let now = 1000
    const drive = openMemoryDrive({ now: () => now })
    await drive.prepare(['b'])
    const state = await drive.uploads.begin('upload', { bucket: 'b', key: 'k' })
    now = 5000
    await (await drive.uploads.append(state, { offset: 0 })).commit()
    now = 6000
    await drive.uploads.sweep(async () => false, 1001)
    assert.equal(drive.uploads.count, 1)
    await drive.uploads.sweep(async () => false, 1000)
    assert.equal(drive.uploads.count, 0)
  })

  it('stops writing when the signal is aborted', async () => {
    const drive = openMemoryDrive()
    await drive.prepare(['b'])
    const draft = await drive.draft('b', 'k', { signal: AbortSignal.abort() })
    await assert.rejects(draft.write(new Uint8Array(1)), { name: 'AbortError' })
    await draft.discard()
  })
})
