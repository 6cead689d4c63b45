import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { WriteConditions } from '../../../src/storage/drives/drive.ts'
import { checkConditions } from './conditions.ts'
import { assertNoLeftovers, type DriveSuite } from './drive-suite.ts'
import {
  attributesOf,
  bucket,
  bytesOf,
  collectUnlessChanged,
  md5Of,
  put,
  rejectsAs,
} from './stored-object.ts'
import { UploadSession } from './upload-session.ts'
import { itIn, type Kept, listVersions } from './versioned-bucket.ts'

/** How writes, copies and reads go with versions. */
export function versionUseCases(suite: DriveSuite): void {
  const it = itIn(suite)

  describe('conditions in a bucket with versions', () => {
    it('of writes are about the current version, and not met by a delete marker', async (versioned) => {
      await versioned.toggle()
      const { drive, under } = versioned
      const publish = (conditions: WriteConditions) => put(drive, 'k', 'new', { conditions })
      await checkConditions(under, publish, 'new')
      const first = await versioned.put('one', 'old')
      const second = await versioned.put('one', 'current')
      const conditions = { ifMatch: [md5Of(Buffer.from('old'))] }
      await rejectsAs(put(drive, 'one', 'new', { conditions }), 'condition')
      await versioned.assertHistory('one', [second, first])
      await assertNoLeftovers(under)
    })

    it('of removals are about the current version, and not met by a delete marker', async (versioned) => {
      await versioned.toggle()
      const { drive, under } = versioned
      const remove = (conditions: WriteConditions) => drive.remove(bucket, 'k', conditions)
      await checkConditions(under, remove, undefined)
      const first = await versioned.put('one', 'old')
      const second = await versioned.put('one', 'current')
      await rejectsAs(
        drive.remove(bucket, 'one', { ifMatch: [md5Of(Buffer.from('old'))] }),
        'condition',
      )
      await versioned.assertHistory('one', [second, first])
    })

    it('of the removal of a version are about the current one, but its time', async (versioned) => {
      await versioned.toggle()
      const { drive } = versioned
      const first = await versioned.put('k', 'old')
      const second = await versioned.put('k', 'current')
      const { versionId } = first
      const remove = (conditions: WriteConditions & { ifModifiedAtMs?: number }) =>
        drive.remove(bucket, 'k', { versionId, ...conditions })
      await rejectsAs(remove({ ifMatch: [md5Of(Buffer.from('old'))] }), 'condition')
      const { modifiedAtMs } = (await drive.head(bucket, 'k', { versionId })) ?? assert.fail()
      await rejectsAs(remove({ ifModifiedAtMs: modifiedAtMs - 1 }), 'condition')
      await versioned.assertHistory('k', [second, first])
      const ifMatch = [md5Of(Buffer.from('current'))]
      assert.deepEqual(await remove({ ifMatch, ifModifiedAtMs: modifiedAtMs }), { versionId })
      await versioned.assertHistory('k', [second])
    })

    it('of the removal of a version may be that there is no object', async (versioned) => {
      await versioned.toggle()
      const { drive } = versioned
      const { versionId } = await versioned.put('k', 'old')
      const remove = () => drive.remove(bucket, 'k', { versionId, ifNoneMatch: '*' })
      await rejectsAs(remove(), 'condition')
      await drive.remove(bucket, 'k')
      // As a lifecycle rule removes what is below a delete marker.
      assert.deepEqual(await remove(), { versionId })
    })

    it('keep what there is if the caller may not go on', async (versioned) => {
      await versioned.toggle()
      const { drive } = versioned
      const [first, second] = [await versioned.put('k', 'one'), await versioned.put('k', 'two')]
      const assertMayGoOn = () => {
        throw new Error('another process goes on')
      }
      await assert.rejects(drive.remove(bucket, 'k', { assertMayGoOn }), /goes on/)
      const { versionId } = first
      await assert.rejects(drive.remove(bucket, 'k', { versionId, assertMayGoOn }), /goes on/)
      await versioned.assertHistory('k', [second, first])
    })
  })

  describe('a copy of a version', () => {
    it('is a new version on top, with its bytes', async (versioned) => {
      const before = await versioned.put('a/k', 'before')
      await versioned.toggle()
      const first = await versioned.put('a/k', bytesOf(200_000).toString('hex'))
      const second = await versioned.put('a/k', 'two')
      const third = await versioned.restore('a/k', first)
      await versioned.assertHistory('a/k', [third, second, first, before])
      const fourth = await versioned.restore('a/k', before)
      await versioned.assertHistory('a/k', [fourth, third, second, first, before])
      const marker = await versioned.mark('a/k')
      const fifth = await versioned.restore('a/k', second)
      const history = [fifth, marker, fourth, third, second, first, before]
      const other = await versioned.restore('a/k', first, 'b')
      await versioned.assertHistories({ 'a/k': history, b: [other] })
      await versioned.purge('a/k', first)
      await versioned.assertHistory('b', [other])
      await assertNoLeftovers(versioned.under)
    })

    it('is of the version with the ID and the ETag, or of none', async (versioned) => {
      if (!suite.can('copy')) return
      const { drive } = versioned
      await versioned.toggle()
      const [first, marker] = [await versioned.put('k', 'one'), await versioned.mark('k')]
      const copy = async (versionId: string | undefined, etag: string) =>
        await drive.copy?.(
          { bucket, key: 'k', versionId, etag },
          { bucket, key: 'copy' },
          { attributes: attributesOf(Buffer.from('one')) },
        )
      const etag = md5Of(Buffer.from('one'))
      await rejectsAs(copy(first.versionId, md5Of(Buffer.from('two'))), 'changed')
      assert.equal(await copy(undefined, etag), undefined)
      assert.equal(await copy('nothing-has-this-id', etag), undefined)
      const ofMarker = await copy(marker.versionId, etag).catch((error) => error.kind)
      assert.ok(ofMarker === undefined || ofMarker === 'changed', ofMarker)
      await versioned.assertHistories({ k: [marker, first] })
    })
  })

  describe('an upload to a bucket with versions', () => {
    it('keeps the version that it replaces', async (versioned) => {
      const { drive } = versioned
      const before = await versioned.put('a/upload', 'before')
      await versioned.toggle()
      const uploads: Kept[] = []
      for (const seed of [1, 2]) {
        const session = await UploadSession.begin(drive)
        await session.append(bytesOf(5 * 1024 * 1024, seed))
        const ifMatch = [md5Of(Buffer.from('other'))]
        await rejectsAs(session.complete({ ifMatch }), 'condition')
        const found = (await session.complete()) ?? assert.fail()
        assert.ok(found.versionId !== undefined && found.versionId !== 'null')
        // As after a reply that was lost.
        const again = await session.complete()
        assert.ok(again === undefined || again.versionId === found.versionId)
        await drive.uploads.abort(session.state)
        uploads.unshift({ versionId: found.versionId, text: undefined })
      }
      const listed = await listVersions(drive)
      assert.deepEqual(
        listed.map((entry) => entry.kind === 'object' && entry.versionId),
        [...uploads, before].map(({ versionId }) => versionId),
      )
      await assertNoLeftovers(versioned.under)
    })
  })

  describe('a version that is read', () => {
    it('ends as a whole or as changed when it is removed', async (versioned) => {
      const { drive } = versioned
      await versioned.toggle()
      const text = bytesOf(300_000).toString('hex')
      const first = await versioned.put('k', text)
      const second = await versioned.put('k', 'two')
      for (const { versionId } of [first, second]) {
        const object = (await drive.open(bucket, 'k', { versionId })) ?? assert.fail()
        await versioned.purge('k', versionId === first.versionId ? first : second)
        const read = await collectUnlessChanged(object.read(0, object.size))
        await object.close()
        const whole = versionId === first.versionId ? text : 'two'
        assert.ok(String(read) === whole || (read === undefined && !suite.can('keptVersions')))
      }
      await versioned.assertHistories({})
    })

    it('stays the same while others are written', async (versioned) => {
      const { drive } = versioned
      await versioned.toggle()
      const text = bytesOf(300_000).toString('hex')
      const first = await versioned.put('k', text)
      const object =
        (await drive.open(bucket, 'k', { versionId: first.versionId })) ?? assert.fail()
      const second = await versioned.put('k', 'two')
      const marker = await versioned.mark('k')
      const read = await collectUnlessChanged(object.read(0, object.size))
      await object.close()
      // Nothing was lost, so a drive that ends the read lets it begin again.
      assert.ok(String(read) === text || (read === undefined && !suite.can('keptVersions')))
      await versioned.assertHistory('k', [marker, second, first])
    })
  })

  if (suite.can('capacity')) {
    describe('a full drive with versions', () => {
      it(
        'counts former versions, and has room again when they are removed',
        async (versioned) => {
          const { drive } = versioned
          await versioned.toggle()
          const text = 'x'.repeat(1024 * 1024)
          const history: Kept[] = []
          const fill = async () => {
            for (let round = 0; round < 20; round++) history.unshift(await versioned.put('k', text))
          }
          await rejectsAs(fill(), 'full')
          assert.ok(history.length >= 3 && history.length < 9)
          await versioned.assertHistory('k', history)
          for (const former of history.splice(1)) await versioned.purge('k', former)
          history.unshift(await versioned.put('k', text))
          await versioned.assertHistory('k', history)
          assert.ok(await drive.head(bucket, 'k'))
          await assertNoLeftovers(versioned.under)
        },
        { capacityBytes: 8 * 1024 * 1024 },
      )
    })
  }
}
