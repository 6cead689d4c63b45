import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { assertNoLeftovers, buckets, type DriveSuite, twoDrives } from './drive-suite.ts'
import { bucket, getText, listKeys, put, rejectsAs } from './stored-object.ts'

const added = 'added-later'

/** Buckets that are added and removed while the drive is open. */
export function bucketCases(suite: DriveSuite): void {
  describe('a bucket', () => {
    suite.itIfAble(
      'removeBucket',
      'is added, filled, emptied and removed, and added again empty',
      async (under) => {
        const { drive } = under
        for (let round = 0; round < 2; round++) {
          await drive.addBucket(added)
          assert.deepEqual(await listKeys(drive, {}, added), [])
          assert.ok(Math.abs(Date.now() - (await drive.bucketCreatedAtMs(added))) < 600_000)
          for (const key of ['k', 'a/b/c']) await put(drive, key, 'x', { bucket: added })
          assert.deepEqual(await listKeys(drive, {}, added), ['a/b/c', 'k'])
          for (const key of ['k', 'a/b/c'])
            assert.equal((await drive.remove(added, key)) !== undefined, true)
          assert.equal(await drive.removeBucket(added), true)
          await rejectsAs(drive.bucketCreatedAtMs(added), 'no-bucket')
          await rejectsAs(put(drive, 'k', 'x', { bucket: added }), 'no-bucket')
          await rejectsAs(put(drive, 'a/k', 'x', { bucket: added }), 'no-bucket')
          assert.equal(await drive.removeBucket(added), false)
        }
        await assertNoLeftovers(under)
      },
    )

    suite.it('keeps its content when it is added again', async ({ drive }) => {
      await put(drive, 'k', 'kept')
      await drive.addBucket(bucket)
      await drive.prepare(buckets)
      assert.equal(await getText(drive, 'k'), 'kept')
    })

    suite.itIfAble('removeBucket', 'is not removed with content', async ({ drive }) => {
      for (const key of ['k', 'a/b', ...(suite.can('anyKeys') ? ['folder/'] : [])]) {
        await put(drive, key, 'kept')
        await rejectsAs(drive.removeBucket(bucket), 'not-empty')
        assert.equal(await getText(drive, key), 'kept')
        await drive.remove(bucket, key)
      }
    })

    suite.itWithByHand('is not removed with a folder made by hand', async ({ drive, byHand }) => {
      await byHand.makeFolder('by hand')
      await rejectsAs(drive.removeBucket(bucket), 'not-empty')
      assert.deepEqual(await byHand.list(), ['by hand/'])
    })

    suite.itIfAble(
      'removeBucket',
      'is not created again by a write that began before',
      async (under) => {
        const [drive, other] = await twoDrives(under)
        for (const key of ['k', 'a/b/k']) {
          await drive.addBucket(added)
          await other.addBucket(added)
          const drafts = [await drive.draft(added, key, {}), await other.draft(added, key, {})]
          for (const draft of drafts) await draft.write(Buffer.from('late'))
          assert.equal(await drive.removeBucket(added), true)
          for (const draft of drafts) {
            await rejectsAs(draft.publish({ etag: 'e', headers: {}, metadata: {} }), 'no-bucket')
            await draft.discard()
          }
          assert.equal(await other.removeBucket(added), false)
        }
      },
    )

    suite.itIfAble(
      'removeBucket',
      'stays with every object that is written while it is removed',
      async (under) => {
        const [drive, other] = await twoDrives(under)
        for (let round = 0; round < suite.tries(12); round++) {
          await drive.addBucket(added)
          await other.addBucket(added)
          const key = round % 2 === 0 ? 'k' : 'a/k'
          const [written, removed] = await Promise.all([
            isDone(put(other, key, 'x', { bucket: added }), 'no-bucket'),
            isDone(drive.removeBucket(added), 'not-empty'),
          ])
          assert.notDeepEqual([written, removed], [true, true])
          if (written) {
            assert.deepEqual(await listKeys(drive, {}, added), [key])
            assert.equal((await drive.remove(added, key)) !== undefined, true)
          }
          if (!removed) assert.equal(await drive.removeBucket(added), true)
        }
      },
    )
  })
}

/** False if it rejects with this kind, or for a moment with `busy`. */
async function isDone(
  work: ReturnType<Drive['removeBucket']> | Promise<object>,
  kind: DriveError['kind'],
): Promise<boolean> {
  try {
    await work
    return true
  } catch (error) {
    if (error instanceof DriveError && [kind, 'busy'].includes(error.kind)) return false
    throw error
  }
}
