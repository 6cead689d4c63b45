import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type {
  CopyOptions,
  Drive,
  ObjectName,
  WriteConditions,
} from '../../../src/storage/drives/drive.ts'
import { checkConditions } from './conditions.ts'
import { assertNoLeftovers, buckets, type DriveSuite, twoDrives } from './drive-suite.ts'
import {
  asStored,
  attributesOf,
  bucket,
  bytesOf,
  get,
  getText,
  listKeys,
  md5Of,
  put,
  rejectsAs,
} from './stored-object.ts'

/** Copies the present version of the object to `target`. */
async function copyOf(
  drive: Drive,
  source: string,
  target: ObjectName,
  options: Partial<CopyOptions> = {},
) {
  assert.ok(drive.copy, 'copy is neither there nor declared lacking')
  const metadata = await drive.head(bucket, source)
  assert.ok(metadata)
  return drive.copy({ bucket, key: source, etag: metadata.attributes.etag }, target, {
    attributes: metadata.attributes,
    ...options,
  })
}

export function copyCases(suite: DriveSuite): void {
  describe('copy', () => {
    const it = suite.itIfAble.bind(suite, 'copy')

    for (const size of [0, 1000, 3_000_000]) {
      it(`creates another object with the same ${size} bytes`, async (under) => {
        const { drive } = under
        const bytes = bytesOf(size)
        await put(drive, 'a/source', bytes)
        const attributes = attributesOf(bytes, { metadata: { of: 'the copy' } })
        for (const target of [
          { bucket, key: 'new/b' },
          { bucket: buckets[1], key: 'b' },
        ]) {
          const metadata = await copyOf(drive, 'a/source', target, { attributes })
          assert.ok(metadata)
          assert.deepEqual(metadata.attributes, asStored(drive, attributes, metadata.attributes))
          const found = (await drive.head(target.bucket, target.key)) ?? assert.fail()
          const kept = asStored(drive, metadata.attributes, found.attributes)
          suite.assertSame(found, { ...metadata, attributes: kept })
          assert.ok((await get(drive, target.key, target.bucket))?.equals(bytes))
        }
        await drive.remove(bucket, 'a/source')
        assert.ok((await get(drive, 'new/b'))?.equals(bytes))
        await assertNoLeftovers(under)
      })
    }

    it('onto itself changes only the attributes', async (under) => {
      const { drive } = under
      await put(drive, 'k', 'content', { attributes: { metadata: { a: '1' } } })
      const attributes = attributesOf(Buffer.from('content'), { metadata: { b: '2' } })
      assert.ok(await copyOf(drive, 'k', { bucket, key: 'k' }, { attributes }))
      const { attributes: found } = (await drive.head(bucket, 'k')) ?? assert.fail()
      assert.deepEqual(found, asStored(drive, attributes, found))
      assert.equal(await getText(drive, 'k'), 'content')
      assert.deepEqual(await listKeys(drive), ['k'])
      await assertNoLeftovers(under)
    })

    suite.itIfAble(
      'anyKeys',
      'works to and from keys beside folders of the same name',
      async ({ drive }) => {
        if (!suite.can('copy')) return
        await put(drive, 'a', 'file')
        await put(drive, 'a/b', 'below')
        await copyOf(drive, 'a', { bucket, key: 'a/b/c' })
        await copyOf(drive, 'a/b', { bucket, key: 'a' })
        assert.equal(await getText(drive, 'a'), 'below')
        assert.equal(await getText(drive, 'a/b'), 'below')
        assert.equal(await getText(drive, 'a/b/c'), 'file')
      },
    )

    it('returns undefined for a missing object, and `changed` for another version', async ({
      drive,
    }) => {
      const options = { attributes: attributesOf(Buffer.from('x')) }
      const etag = md5Of(Buffer.from('other'))
      const target = { bucket, key: 'b' }
      assert.equal(await drive.copy?.({ bucket, key: 'none', etag }, target, options), undefined)
      await put(drive, 'a', 'x')
      await rejectsAs(
        drive.copy?.({ bucket, key: 'a', etag }, target, options) ?? failed(),
        'changed',
      )
      assert.deepEqual(await listKeys(drive), ['a'])
    })

    it('follows the table of conditions', async (under) => {
      if (!suite.can('copyConditions')) return
      await put(under.drive, 'source', 'new')
      const copy = (conditions: WriteConditions) =>
        copyOf(under.drive, 'source', { bucket, key: 'k' }, { conditions })
      await checkConditions(under, copy, 'new')
      await assertNoLeftovers(under)
    })

    it('copies one version while the source is overwritten', async (under) => {
      if (!suite.can('atomicWrites')) return
      const [drive, other] = await twoDrives(under)
      const versions = [bytesOf(300_000, 1), bytesOf(200_000, 2)]
      await put(drive, 'source', versions[0] ?? '')
      for (let round = 1; round <= 30; round++) {
        const bytes = versions[(round - 1) % 2] ?? Buffer.alloc(0)
        const source = { bucket, key: 'source', etag: md5Of(bytes) }
        const options = { attributes: attributesOf(bytes) }
        const [copied] = await Promise.allSettled([
          drive.copy?.(source, { bucket, key: `copy ${round}` }, options),
          put(other, 'source', versions[round % 2] ?? ''),
        ])
        const copy = await get(drive, `copy ${round}`)
        if (copied.status === 'fulfilled') assert.ok(copy?.equals(bytes))
        else {
          await rejectsAs(Promise.reject(copied.reason), 'changed')
          assert.equal(copy, undefined)
        }
      }
      await assertNoLeftovers(under)
    })
  })
}

async function failed(): Promise<never> {
  throw new Error('copy is neither there nor declared lacking')
}
