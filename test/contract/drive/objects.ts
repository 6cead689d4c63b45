import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { assertNoLeftovers, buckets, type DriveSuite } from './drive-suite.ts'
import {
  attributesOf,
  bucket,
  bytesOf,
  collect,
  collectUnlessChanged,
  get,
  getText,
  listKeys,
  put,
} from './stored-object.ts'

const kib = 1024

export function objectCases(suite: DriveSuite): void {
  describe('a drive', () => {
    suite.it('answers and knows its buckets', async ({ drive }) => {
      assert.ok(drive.kind.length > 0)
      for (const access of [undefined, 'reads', 'writes'] as const) await drive.check(access)
      for (const name of buckets) {
        const ageMs = Date.now() - (await drive.bucketCreatedAtMs(name))
        assert.ok(ageMs > -5000 && ageMs < 600_000, `${ageMs} ms`)
      }
      const quota = await drive.quota?.()
      if (quota) assert.ok(quota.freeBytes >= 0 && quota.freeBytes <= quota.totalBytes)
    })

    suite.it('is empty at first', async ({ drive }) => {
      assert.deepEqual(await listKeys(drive), [])
      assert.equal(await drive.head(bucket, 'a'), undefined)
      assert.equal(await drive.open(bucket, 'a'), undefined)
      assert.equal(await drive.open(bucket, 'a/b/c'), undefined)
      assert.equal((await drive.remove(bucket, 'a')) !== undefined, false)
      assert.equal((await drive.remove(bucket, 'a/b/c')) !== undefined, false)
    })

    suite.it('keeps the buckets apart', async ({ drive }) => {
      await put(drive, 'k', 'first')
      await put(drive, 'k', 'second', { bucket: buckets[1] })
      assert.equal(await getText(drive, 'k'), 'first')
      assert.equal(String(await get(drive, 'k', buckets[1])), 'second')
      assert.equal((await drive.remove(bucket, 'k')) !== undefined, true)
      assert.equal(String(await get(drive, 'k', buckets[1])), 'second')
    })

    suite.it('keeps a bucket when its last object is removed', async ({ drive }) => {
      await put(drive, 'a/b', 'x')
      await drive.remove(bucket, 'a/b')
      await drive.bucketCreatedAtMs(bucket)
      await put(drive, 'a/b', 'x')
      assert.equal(await getText(drive, 'a/b'), 'x')
    })
  })

  describe('a written object', () => {
    for (const size of [0, 1, 64 * kib - 1, 64 * kib, 64 * kib + 1, 5 * kib * kib + 3]) {
      suite.it(`has its ${size} bytes, whatever the size of the chunks`, async ({ drive }) => {
        for (const chunkBytes of [size + 1, 100_003]) {
          const bytes = bytesOf(size, chunkBytes)
          const metadata = await put(drive, 'dir/object', bytes, { chunkBytes })
          assert.equal(metadata.size, size)
          suite.assertSame(await drive.head(bucket, 'dir/object'), metadata)
          assert.ok((await get(drive, 'dir/object'))?.equals(bytes))
        }
      })
    }

    suite.it('may be larger or smaller than declared', async ({ drive }) => {
      const bytes = bytesOf(200 * kib)
      for (const size of [0, 1, 100 * kib, 10_000_000]) {
        const draft = await drive.draft(bucket, 'k', { size })
        await draft.write(bytes)
        await draft.publish(attributesOf(bytes))
        assert.ok((await get(drive, 'k'))?.equals(bytes))
      }
      const draft = await drive.draft(bucket, 'k', {})
      await draft.write(new Uint8Array())
      await draft.publish(attributesOf(Buffer.alloc(0)))
      assert.equal((await get(drive, 'k'))?.length, 0)
    })

    suite.it('was modified now', async ({ drive }) => {
      const before = Date.now()
      const { modifiedAtMs } = await put(drive, 'k', 'x')
      // File systems and servers have separate clocks, some with whole seconds.
      assert.ok(modifiedAtMs > before - 5000 && modifiedAtMs < Date.now() + 5000)
    })

    suite.it('can be read in any range', async ({ drive }) => {
      const bytes = bytesOf(300 * kib)
      await put(drive, 'k', bytes)
      const object = await drive.open(bucket, 'k')
      assert.ok(object)
      const edges = [0, 1, 64 * kib - 1, 64 * kib, 100_000, 256 * kib, 300 * kib - 1, 300 * kib]
      for (const [index, start] of edges.entries()) {
        for (const end of edges.slice(index)) {
          const read = await collect(object.read(start, end))
          assert.ok(read.equals(bytes.subarray(start, end)), `${start} to ${end}`)
        }
      }
      await object.close()
    })

    const all = { start: 0, end: Number.POSITIVE_INFINITY }
    for (const size of [0, 1000, 64 * kib, 3_000_000]) {
      suite.it(`that is to be read as a whole has its ${size} bytes`, async ({ drive }) => {
        const bytes = bytesOf(size)
        await put(drive, 'k', bytes)
        const whole = () => drive.open(bucket, 'k', { wanted: all })
        const object = await whole()
        assert.ok(object)
        assert.deepEqual(object.attributes, (await drive.head(bucket, 'k'))?.attributes)
        assert.ok((await collect(object.read(0, size))).equals(bytes))
        if (object.content !== undefined) assert.ok(bytes.equals(object.content))
        assert.ok((await collect(object.read(size >> 1, size))).equals(bytes.subarray(size >> 1)))
        await object.close()
        await (await whole())?.close()
        const changed = await whole()
        await put(drive, 'k', bytesOf(size + 1, 1))
        assert.ok(changed)
        const read = await collectUnlessChanged(changed.read(0, size))
        assert.ok(read === undefined || read.equals(bytes))
        await changed.close()
        assert.equal(await drive.open(bucket, 'none', { wanted: all }), undefined)
      })
    }

    suite.it('of which some bytes are wanted has them, and others', async ({ drive }) => {
      const bytes = bytesOf(100_000)
      await put(drive, 'k', bytes)
      const wanted = [
        [0, 10],
        [99_990, 100_000],
        [99_990, 100_001],
        [70_000, Number.POSITIVE_INFINITY],
        [1, 99_999],
        [100_000, 100_001],
        [200_000, Number.POSITIVE_INFINITY],
      ] as const
      for (const [start, end] of wanted) {
        const object = await drive.open(bucket, 'k', { wanted: { start, end } })
        assert.equal(object?.size, bytes.length)
        const to = Math.min(end, bytes.length)
        if (start < to) {
          assert.ok((await collect(object.read(start, to))).equals(bytes.subarray(start, to)))
        }
        assert.ok((await collect(object.read(5, 50_000))).equals(bytes.subarray(5, 50_000)))
        await object.close()
      }
      assert.equal(await drive.open(bucket, 'none', { wanted: { start: 1, end: 2 } }), undefined)
    })

    suite.it('can be read by several readers through one handle', async ({ drive }) => {
      const bytes = bytesOf(2 * kib * kib)
      await put(drive, 'k', bytes)
      const object = await drive.open(bucket, 'k')
      assert.ok(object)
      const starts = [0, 1000, kib * kib, 2 * kib * kib - 10]
      const reads = starts.map((start) => collect(object.read(start, object.size)))
      for (const [index, read] of (await Promise.all(reads)).entries()) {
        assert.ok(read.equals(bytes.subarray(starts[index])))
      }
      await object.close()
    })
  })

  describe('close of an opened object', () => {
    suite.it('ends an iteration in progress, and may be repeated', async ({ drive }) => {
      await put(drive, 'k', bytesOf(8 * kib * kib))
      const object = await drive.open(bucket, 'k')
      assert.ok(object)
      let seen = 0
      for await (const chunk of object.read(0, object.size)) {
        seen += chunk.length
        await object.close()
      }
      assert.ok(seen > 0 && seen < 8 * kib * kib)
      await object.close()
    })

    suite.it('may come when an iteration was left early', async ({ drive }) => {
      await put(drive, 'k', bytesOf(kib * kib))
      const object = await drive.open(bucket, 'k')
      assert.ok(object)
      for await (const chunk of object.read(0, object.size)) {
        assert.ok(chunk.length > 0)
        break
      }
      await object.close()
    })
  })

  describe('a draft', () => {
    suite.it('shows nothing before publish', async (under) => {
      const { drive } = under
      const draft = await drive.draft(bucket, 'new/k', { size: 300 * kib })
      await draft.write(bytesOf(300 * kib))
      assert.equal(await drive.head(bucket, 'new/k'), undefined)
      assert.deepEqual(await listKeys(drive), [])
      assert.deepEqual(await listKeys(drive, { delimiter: '/' }), [])
      await draft.discard()
      await assertNoLeftovers(under)
    })

    suite.it('leaves nothing when discarded, even twice', async (under) => {
      const { drive } = under
      await put(drive, 'k', 'old')
      for (const size of [10, 300 * kib]) {
        for (const key of ['k', 'new/k']) {
          const draft = await drive.draft(bucket, key, {})
          await draft.write(bytesOf(size))
          await draft.discard()
          await draft.discard()
        }
      }
      assert.deepEqual(await listKeys(drive), ['k'])
      assert.equal(await getText(drive, 'k'), 'old')
      await assertNoLeftovers(under)
    })

    suite.it('is not undone by discard after publish', async (under) => {
      const draft = await under.drive.draft(bucket, 'k', {})
      await draft.write(Buffer.from('x'))
      await draft.publish(attributesOf(Buffer.from('x')))
      await draft.discard()
      assert.equal(await getText(under.drive, 'k'), 'x')
      await assertNoLeftovers(under)
    })

    suite.it('of the same key as another publishes its own bytes', async (under) => {
      const { drive } = under
      const first = await drive.draft(bucket, 'k', {})
      const second = await drive.draft(bucket, 'k', {})
      await first.write(Buffer.from('fir'))
      await second.write(Buffer.from('second'))
      await first.write(Buffer.from('st'))
      await second.publish(attributesOf(Buffer.from('second')))
      assert.equal(await getText(drive, 'k'), 'second')
      await first.publish(attributesOf(Buffer.from('first')))
      assert.equal(await getText(drive, 'k'), 'first')
      await assertNoLeftovers(under)
    })
  })

  describe('remove', () => {
    suite.it('returns whether there was an object', async (under) => {
      const { drive } = under
      await put(drive, 'a/k', 'x')
      assert.equal((await drive.remove(bucket, 'a/k')) !== undefined, true)
      assert.equal((await drive.remove(bucket, 'a/k')) !== undefined, false)
      assert.equal(await drive.head(bucket, 'a/k'), undefined)
      assert.equal(await drive.open(bucket, 'a/k'), undefined)
      assert.deepEqual(await listKeys(drive), [])
    })

    suite.it('does nothing for a folder that is not an object', async ({ drive }) => {
      await put(drive, 'a/b', 'x')
      assert.equal((await drive.remove(bucket, 'a')) !== undefined, false)
      assert.equal((await drive.remove(bucket, 'a/')) !== undefined, false)
      assert.equal(await getText(drive, 'a/b'), 'x')
    })
  })
}
