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
    await assert.rejects(async () => drive.head('b', 'k'), hasNone)
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

  it('counts former versions, and gives each an ID in the order of creation', async () => {
    let changes: number[] | undefined
    const versioningOf = () => changes && { changes }
    const drive = openMemoryDrive({ capacityBytes: 10, now: () => 1000, versioningOf })
    await drive.prepare(['b'])
    const write = async (size: number) => {
      const draft = await drive.draft('b', 'k', {})
      await draft.write(new Uint8Array(size))
      return await draft.publish(attributes)
    }
    assert.equal('versionId' in (await write(1)), false)
    changes = [1]
    const [first, second] = [await write(2), await write(3)]
    assert.ok((first.versionId ?? '') < (second.versionId ?? ''))
    assert.deepEqual(await drive.quota?.(), { freeBytes: 4, totalBytes: 10 })
    await assert.rejects(write(5), { kind: 'full' })
    changes = [1, 2]
    assert.equal((await write(4)).versionId, 'null')
    await drive.remove('b', 'k', { versionId: second.versionId })
    assert.deepEqual(await drive.quota?.(), { freeBytes: 4, totalBytes: 10 })
    const listed = await drive.listVersions?.('b', { prefix: '', after: '' }).next(10)
    assert.deepEqual(
      listed?.map((entry) => entry.kind === 'object' && [entry.versionId, entry.size]),
      [
        ['null', 4],
        [first.versionId, 2],
      ],
    )
    await assert.rejects(drive.removeBucket('b'), { kind: 'not-empty' })
  })
})
