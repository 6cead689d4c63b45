import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { assertNoLeftovers, buckets, type DriveSuite } from './drive-suite.ts'
import { bucket, bytesOf, put, rejectsAs } from './stored-object.ts'
import { itIn, type Kept, VersionedBucket } from './versioned-bucket.ts'

/** AWS, "Using versioning in S3 buckets". */
export function versionCases(suite: DriveSuite): void {
  const it = itIn(suite)

  describe('a bucket that never had versions', () => {
    it('has the version null of each object, and no other', async (versioned) => {
      const { drive } = versioned
      const first = await versioned.put('a/k', 'one')
      await versioned.assertHistory('a/k', [first])
      const second = await versioned.put('a/k', 'two')
      await versioned.assertHistory('a/k', [second])
      assert.equal(await drive.head(bucket, 'a/k', { versionId: strangeId }), undefined)
      assert.equal(await drive.remove(bucket, 'a/k', { versionId: strangeId }), undefined)
      await versioned.assertHistory('a/k', [second])
      await versioned.purge('a/k', second)
      assert.equal(await drive.remove(bucket, 'a/k', { versionId: 'null' }), undefined)
      await versioned.assertHistories({})
      await suite.assertEmpty(drive)
    })
  })

  describe('a bucket with versions', () => {
    it('keeps each version that a write replaces', async (versioned) => {
      const before = await versioned.put('a/k', 'from before')
      await versioned.toggle()
      await versioned.assertHistory('a/k', [before])
      const first = await versioned.put('a/k', 'one')
      const second = await versioned.put('a/k', 'a longer one')
      // The same bytes again are a version as well.
      const third = await versioned.put('a/k', 'a longer one')
      const empty = await versioned.put('a/k', '')
      assert.equal(new Set([first, second, third, empty].map(idOf)).size, 4)
      await versioned.assertHistory('a/k', [empty, third, second, first, before])
      await assertNoLeftovers(versioned.under)
    })

    it('has IDs that need no escape in a URL, and no two that are the same', async (versioned) => {
      await versioned.toggle()
      const ids = new Set<string>()
      for (let round = 0; round < 20; round++) {
        const key = round % 2 ? 'a' : 'b'
        const { versionId } = round % 5 ? await versioned.put(key, 'x') : await versioned.mark(key)
        assert.match(versionId, /^[\w.~-]{1,1024}$/)
        ids.add(`${key} ${versionId}`)
      }
      assert.equal(ids.size, 20)
    })

    it('keeps large versions, and their attributes', async (versioned) => {
      const { drive } = versioned
      await versioned.toggle()
      const texts = [300_000, 3_000_000, 1_000].map((size, seed) =>
        bytesOf(size, seed).toString('hex'),
      )
      const history: Kept[] = []
      for (const [index, text] of texts.entries()) {
        const attributes = {
          metadata: { of: `version ${index}` },
          headers: { 'content-type': 'x/y' },
        }
        history.unshift(await versioned.put('k', text, { attributes }))
      }
      await versioned.assertHistory('k', history)
      for (const [index, { versionId }] of history.entries()) {
        const { attributes } = (await drive.head(bucket, 'k', { versionId })) ?? assert.fail()
        assert.deepEqual(attributes.metadata, { of: `version ${2 - index}` })
        assert.equal(attributes.headers['content-type'], 'x/y')
      }
    })

    it('gets a delete marker instead of a removal, and loses nothing', async (versioned) => {
      const before = await versioned.put('a/k', 'from before')
      await versioned.toggle()
      const first = await versioned.mark('a/k')
      await versioned.assertHistory('a/k', [first, before])
      // AWS creates a marker for each DELETE, also of what is deleted or never was.
      const second = await versioned.mark('a/k')
      const third = await versioned.put('a/k', 'again')
      const fourth = await versioned.mark('a/k')
      await versioned.assertHistory('a/k', [fourth, third, second, first, before])
      const never = await versioned.mark('b/never')
      await versioned.assertHistories({
        'a/k': [fourth, third, second, first, before],
        'b/never': [never],
      })
      await suite.assertEmpty(versioned.drive)
      await assertNoLeftovers(versioned.under)
    })

    it('shows the object again when its marker is removed', async (versioned) => {
      await versioned.toggle()
      const first = await versioned.put('a/k', 'one')
      const second = await versioned.put('a/k', 'two')
      const markers = [await versioned.mark('a/k'), await versioned.mark('a/k')]
      await versioned.purge('a/k', markers[1] ?? assert.fail())
      await versioned.assertHistory('a/k', [markers[0] ?? assert.fail(), second, first])
      await versioned.purge('a/k', markers[0] ?? assert.fail())
      await versioned.assertHistory('a/k', [second, first])
      await assertNoLeftovers(versioned.under)
    })

    it('has the next older version as the newest when the newest is removed', async (versioned) => {
      await versioned.toggle()
      const first = await versioned.put('a/k', 'one')
      const marker = await versioned.mark('a/k')
      const second = await versioned.put('a/k', 'two')
      const third = await versioned.put('a/k', 'three')
      await versioned.purge('a/k', third)
      await versioned.assertHistory('a/k', [second, marker, first])
      await versioned.purge('a/k', second)
      await versioned.assertHistory('a/k', [marker, first])
      await versioned.purge('a/k', first)
      await versioned.assertHistory('a/k', [marker])
      await versioned.purge('a/k', marker)
      await versioned.assertHistories({})
      await suite.assertEmpty(versioned.drive)
      await assertNoLeftovers(versioned.under)
    })

    it('keeps the others when one in the middle is removed', async (versioned) => {
      const before = await versioned.put('a/k', 'from before')
      await versioned.toggle()
      const [first, second] = [await versioned.put('a/k', 'one'), await versioned.put('a/k', 'two')]
      const marker = await versioned.mark('a/k')
      const third = await versioned.put('a/k', 'three')
      await versioned.purge('a/k', marker)
      await versioned.assertHistory('a/k', [third, second, first, before])
      await versioned.purge('a/k', before)
      await versioned.purge('a/k', second)
      await versioned.assertHistory('a/k', [third, first])
      for (const gone of [marker, before, second]) {
        const { versionId } = gone
        assert.equal(await versioned.drive.remove(bucket, 'a/k', { versionId }), undefined)
        assert.equal(await versioned.drive.head(bucket, 'a/k', { versionId }), undefined)
      }
      await versioned.assertHistory('a/k', [third, first])
    })

    it('has no version with a strange ID', async (versioned) => {
      const { drive } = versioned
      await versioned.toggle()
      const [first, other] = [await versioned.put('a/k', 'one'), await versioned.put('b', 'other')]
      const second = await versioned.put('a/k', 'two')
      for (const versionId of [...strangeIds, `${first.versionId}x`, other.versionId]) {
        if (versionId === other.versionId && [first, second].map(idOf).includes(versionId)) continue
        const options = { versionId }
        assert.equal(await drive.head(bucket, 'a/k', options), undefined, versionId)
        assert.equal(await drive.open(bucket, 'a/k', options), undefined, versionId)
        assert.equal(await drive.remove(bucket, 'a/k', options), undefined, versionId)
        const change = () => drive.setAttributes?.(bucket, 'a/k', { tags: { a: 'b' } }, options)
        if (suite.can('setAttributes')) assert.equal(await change(), undefined, versionId)
      }
      await versioned.assertHistories({ 'a/k': [second, first], b: [other] })
    })

    it('is not removed as long as it has a version or a delete marker', async (versioned) => {
      const { drive } = versioned
      if (!suite.can('removeBucket')) return
      await versioned.toggle()
      const first = await versioned.put('a/k', 'one')
      const marker = await versioned.mark('a/k')
      await rejectsAs(drive.removeBucket(bucket), 'not-empty')
      await versioned.purge('a/k', first)
      await rejectsAs(drive.removeBucket(bucket), 'not-empty')
      await versioned.assertHistories({ 'a/k': [marker] })
      await versioned.purge('a/k', marker)
      assert.equal(await drive.removeBucket(bucket), true)
      await drive.addBucket(bucket)
      await versioned.assertHistories({})
    })

    it('leaves other buckets as they are', async (versioned) => {
      const { drive } = versioned
      await versioned.toggle()
      await put(drive, 'k', 'one', { bucket: buckets[1] })
      const second = await put(drive, 'k', 'two', { bucket: buckets[1] })
      assert.equal('versionId' in second, false)
      const marker = await versioned.mark('k')
      assert.ok(await drive.head(buckets[1], 'k'))
      assert.deepEqual(await drive.remove(buckets[1], 'k'), {})
      await versioned.assertHistories({ k: [marker] })
    })

    it('has versions and markers of keys that end in a slash', async (versioned) => {
      await versioned.toggle()
      const names = suite.beside(['d/', 'd/k', 'd', 'e/f/'])
      const histories: Record<string, Kept[]> = {}
      for (const key of names) {
        const first = await versioned.put(key, '')
        const second = await versioned.put(key, `is ${key}`)
        histories[key] = [await versioned.mark(key), second, first]
      }
      await versioned.assertHistories(histories)
      for (const key of names) {
        await versioned.purge(key, histories[key]?.shift() ?? assert.fail())
        await versioned.assertHistory(key, histories[key] ?? [])
      }
      await versioned.assertHistories(histories)
      for (const key of names) await purgeAll(versioned, key, histories[key] ?? [])
      await versioned.assertHistories({})
      await suite.assertEmpty(versioned.drive)
    })

    it('has versions of every legal key', async (versioned) => {
      await versioned.toggle()
      const histories: Record<string, Kept[]> = {}
      for (const key of suite.sampledKeys) {
        const first = await versioned.put(key, `one of ${key}`)
        const second = await versioned.put(key, 'two')
        histories[key] = [await versioned.mark(key), second, first]
      }
      await versioned.assertHistories(histories)
      for (const [key, history] of Object.entries(histories)) {
        await versioned.purge(key, history.shift() ?? assert.fail())
      }
      await versioned.assertHistories(histories)
      for (const [key, history] of Object.entries(histories)) {
        await purgeAll(versioned, key, history)
      }
      await versioned.assertHistories({})
      await suite.assertEmpty(versioned.drive)
      await assertNoLeftovers(versioned.under)
    })
  })

  describe('a bucket with suspended versions', () => {
    it('replaces the version null, and keeps the others', async (versioned) => {
      await versioned.toggle()
      const first = await versioned.put('a/k', 'one')
      await versioned.toggle()
      const second = await versioned.put('a/k', 'two')
      await versioned.assertHistory('a/k', [second, first])
      const third = await versioned.put('a/k', 'three')
      await versioned.assertHistory('a/k', [third, first])
      await versioned.toggle()
      const fourth = await versioned.put('a/k', 'four')
      await versioned.assertHistory('a/k', [fourth, third, first])
      await versioned.toggle()
      // The version null is a former one now, and still the only one.
      const fifth = await versioned.put('a/k', 'five')
      await versioned.assertHistory('a/k', [fifth, fourth, first])
      await assertNoLeftovers(versioned.under)
    })

    it('gets a marker null, which replaces the version null', async (versioned) => {
      await versioned.toggle()
      const first = await versioned.put('a/k', 'one')
      await versioned.toggle()
      const marker = await versioned.mark('a/k')
      await versioned.assertHistory('a/k', [marker, first])
      await versioned.assertHistory('a/k', [await versioned.mark('a/k'), first])
      const second = await versioned.put('a/k', 'two')
      await versioned.assertHistory('a/k', [second, first])
      const last = await versioned.mark('a/k')
      await versioned.assertHistory('a/k', [last, first])
      await versioned.purge('a/k', last)
      await versioned.assertHistory('a/k', [first])
      const never = await versioned.mark('never')
      await versioned.assertHistories({ 'a/k': [first], never: [never] })
      await assertNoLeftovers(versioned.under)
    })

    it('keeps the version null from before as a former one while versions are enabled', async (versioned) => {
      const before = await versioned.put('a/k', 'before')
      await versioned.toggle()
      const first = await versioned.put('a/k', 'one')
      await versioned.toggle()
      await versioned.assertHistory('a/k', [first, before])
      const marker = await versioned.mark('a/k')
      await versioned.assertHistory('a/k', [marker, first])
      await versioned.toggle()
      const second = await versioned.put('a/k', 'two')
      await versioned.assertHistory('a/k', [second, marker, first])
      await versioned.purge('a/k', second)
      await versioned.assertHistory('a/k', [marker, first])
      await versioned.purge('a/k', first)
      await versioned.purge('a/k', marker)
      await versioned.assertHistories({})
    })
  })

  describe('another process', () => {
    it('sees the same versions', async (versioned) => {
      if (!suite.can('reopen')) return
      const { under, versioning } = versioned
      const before = await versioned.put('a/k', 'before')
      await versioned.toggle()
      const first = await versioned.put('a/k', 'one')
      const marker = await versioned.mark('a/k')
      const other = (await under.reopen?.()) ?? assert.fail()
      const there = new VersionedBucket(suite, { ...under, drive: other }, versioning)
      await there.assertHistory('a/k', [marker, first, before])
      const second = await there.put('a/k', 'two')
      await versioned.assertHistory('a/k', [second, marker, first, before])
      await versioned.purge('a/k', second)
      await there.assertHistory('a/k', [marker, first, before])
      await there.purge('a/k', marker)
      await versioned.assertHistory('a/k', [first, before])
    })
  })
}

/** No drive makes these. */
const strangeId = 'nothing-has-this-id'
const strangeIds = [
  ...['', ' ', '.', '..', '../k', '/', 'NULL', 'null ', '\0', '%00', 'é', '-1', '0'],
  ...[strangeId, 'x'.repeat(1024), '../../../etc/passwd', 'null'],
]

function idOf({ versionId }: Kept): string {
  return versionId
}

async function purgeAll(versioned: VersionedBucket, key: string, history: Kept[]): Promise<void> {
  for (const version of history.splice(0)) await versioned.purge(key, version)
}
