import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Tags } from '../../../src/storage/drives/attributes.ts'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { assertNoLeftovers, type DriveSuite, twoDrives } from './drive-suite.ts'
import { bucket, bytesOf, collect, get, getText, listAll, put, rejectsAs } from './stored-object.ts'
import { UploadSession } from './upload-session.ts'

const plain = {
  ...{ headers: { 'content-type': 'a/b', 'cache-control': 'no-store' }, metadata: { a: '1' } },
}
const manyOf = (character: string): Tags =>
  Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [`${index}${'k'.repeat(127)}`, character.repeat(256)]),
  )

async function setTags(drive: Drive, key: string, tags: Tags) {
  assert.ok(drive.setAttributes, 'setAttributes is neither there nor declared lacking')
  return await drive.setAttributes(bucket, key, { tags })
}

/** In seconds, as Last-Modified. */
const second = ({ modifiedAtMs }: { readonly modifiedAtMs: number }) =>
  Math.floor(modifiedAtMs / 1000)

function refusedCase(suite: DriveSuite): void {
  suite.it('are refused, not forgotten', async ({ drive }) => {
    const attributes = { ...plain, tags: { a: '1' } }
    for (const size of [1, 3_000_000]) {
      await rejectsAs(put(drive, 'k', bytesOf(size), { attributes }), 'not-implemented')
    }
    await put(drive, 'k', 'x')
    await rejectsAs(setTags(drive, 'k', { a: '1' }), 'not-implemented')
    assert.deepEqual((await drive.head(bucket, 'k'))?.attributes.tags, undefined)
  })
}

export function tagCases(suite: DriveSuite): void {
  describe('tags', () => {
    if (!suite.can('tags')) return refusedCase(suite)
    const it = suite.itIfAble.bind(suite, 'setAttributes')
    const many = manyOf(suite.can('anyTags') ? 'é' : 'e')
    const expectedClass = suite.can('storageClasses') ? 'STANDARD_IA' : undefined
    const rich = { ...plain, ...(expectedClass && { storageClass: expectedClass }) }

    it('change in place, and nothing else does', async (under) => {
      const { drive } = under
      for (const [key, size] of [['a/small', 10] as const, ['large', 3_000_000] as const]) {
        const bytes = bytesOf(size)
        const before = await put(drive, key, bytes, { attributes: rich })
        for (const tags of [{ a: '1', constructor: '' }, many, { b: '2' }]) {
          const changed = await setTags(drive, key, tags)
          assert.ok(changed)
          assert.deepEqual(changed.attributes, { ...before.attributes, tags })
          assert.deepEqual(await drive.head(bucket, key), changed)
          assert.equal(second(changed), second(before))
          assert.ok((await get(drive, key))?.equals(bytes))
        }
        const without = await setTags(drive, key, {})
        assert.deepEqual(without?.attributes, before.attributes)
        assert.deepEqual((await drive.head(bucket, key))?.attributes, before.attributes)
        const [entry] = await listAll(drive, { prefix: key })
        assert.ok(entry?.kind === 'object')
        const { etag, storageClass } = entry
        assert.deepEqual({ etag, storageClass }, { etag: before.attributes.etag, storageClass })
        assert.equal(storageClass, expectedClass)
      }
      await assertNoLeftovers(under)
    })

    it('leave an object private, which changes in place if the drive can', async ({ drive }) => {
      const before = await put(drive, 'k', 'text', { attributes: { ...plain, isPrivate: true } })
      assert.equal(before.attributes.isPrivate, true)
      const tagged = await setTags(drive, 'k', { a: '1' })
      assert.deepEqual(tagged?.attributes, { ...before.attributes, tags: { a: '1' } })
      const opening = drive.setAttributes?.(bucket, 'k', { isPrivate: false })
      const changed = await opening?.catch((error: DriveError) => error.kind)
      const { isPrivate: _, ...open } = tagged?.attributes ?? {}
      const isRefused = changed === 'unsupported'
      const after = await drive.head(bucket, 'k')
      assert.deepEqual(after?.attributes, isRefused ? tagged?.attributes : open)
      if (!isRefused) assert.deepEqual(changed, after)
    })

    it('of a missing object are undefined', async ({ drive }) => {
      assert.equal(await setTags(drive, 'none', { a: '1' }), undefined)
      assert.equal(await drive.head(bucket, 'none'), undefined)
    })

    it('of an upload leave its parts, and it can still be completed again', async ({ drive }) => {
      const session = await UploadSession.begin(drive, 'k')
      await session.append(bytesOf(100_000))
      const published = await session.complete()
      const changed = await setTags(drive, 'k', { a: '1' })
      assert.deepEqual(changed?.attributes, { ...published?.attributes, tags: { a: '1' } })
      const repeated = await session.complete()
      assert.ok(repeated === undefined || repeated.attributes.etag === published?.attributes.etag)
      assert.deepEqual((await drive.head(bucket, 'k'))?.attributes.tags, { a: '1' })
    })

    suite.itIfAble(
      'anyKeys',
      'of keys beside folders of the same name are their own',
      async ({ drive }) => {
        if (!suite.can('setAttributes')) return
        await put(drive, 'a', 'file')
        await put(drive, 'a/b', 'below')
        await setTags(drive, 'a', { of: 'a' })
        await setTags(drive, 'a/b', { of: 'a/b' })
        assert.deepEqual((await drive.head(bucket, 'a'))?.attributes.tags, { of: 'a' })
        assert.deepEqual((await drive.head(bucket, 'a/b'))?.attributes.tags, { of: 'a/b' })
      },
    )

    it('are seen by the next read of every process', async (under) => {
      const [drive, other] = await twoDrives(under)
      await put(drive, 'k', 'text')
      for (let round = 1; round <= suite.tries(20); round++) {
        const [writer, reader] = round % 2 === 0 ? [drive, other] : [other, drive]
        // Cached by both.
        for (const one of [drive, other]) {
          await one.head(bucket, 'k')
          assert.equal(await getText(one, 'k'), 'text')
        }
        await setTags(writer, 'k', { round: String(round) })
        assert.deepEqual((await reader.head(bucket, 'k'))?.attributes.tags, { round: `${round}` })
        const object = await reader.open(bucket, 'k')
        assert.deepEqual(object?.attributes.tags, { round: String(round) })
        await object?.close()
      }
    })

    it('are those of the version that was tagged, never of another one', async (under) => {
      const [drive, other] = await twoDrives(under)
      for (let round = 0; round < suite.tries(30); round++) {
        await tagDuringOverwrite(drive, other, [`version ${round}`, `next ${round}`])
      }
    })

    it('of concurrent changes are those of one, as every process sees', async (under) => {
      const [drive, other] = await twoDrives(under)
      await put(drive, 'k', 'text')
      for (let round = 0; round < suite.tries(10); round++) {
        const changes = Array.from({ length: 8 }, (_, index) =>
          setTags(index % 2 === 0 ? drive : other, 'k', { by: `${round} ${index}` }),
        )
        const settled = await Promise.allSettled(changes)
        for (const one of settled) if (one.status === 'rejected') assertMeanwhile(one.reason)
        assert.ok(settled.some(({ status }) => status === 'fulfilled'))
        const [mine, theirs] = await Promise.all([drive, other].map((one) => one.head(bucket, 'k')))
        assert.match(String(mine?.attributes.tags?.by), new RegExp(`^${round} `))
        assert.deepEqual(mine?.attributes, theirs?.attributes)
      }
    })

    it('may change while the object is read', async ({ drive }) => {
      for (const size of [50_000, 3_000_000]) {
        const bytes = bytesOf(size)
        await put(drive, 'k', bytes)
        const object = await drive.open(bucket, 'k')
        assert.ok(object)
        const chunks = object.read(0, size)[Symbol.asyncIterator]()
        const first = await chunks.next()
        await setTags(drive, 'k', { a: '1' })
        await setTags(drive, 'k', { a: '2' })
        const rest = await collect({ [Symbol.asyncIterator]: () => chunks })
        await object.close()
        assert.ok(Buffer.concat([first.value ?? Buffer.alloc(0), rest]).equals(bytes))
      }
    })

    suite.itWithReopen('are known to the next process', async ({ drive, reopen }) => {
      if (drive.setAttributes === undefined) return
      await put(drive, 'k', 'text', { attributes: rich })
      const changed = await setTags(drive, 'k', many)
      assert.deepEqual(await (await reopen()).head(bucket, 'k'), changed)
    })

    suite.itWithByHand('of a file added by hand stay until it is edited', async (under) => {
      const { drive, byHand } = under
      if (drive.setAttributes === undefined) return
      await byHand.put('k.txt', Buffer.from('by hand'))
      const before = await drive.head(bucket, 'k.txt')
      assert.ok(before)
      const changed = await setTags(drive, 'k.txt', { a: '1' })
      assert.deepEqual(changed?.attributes, { ...before.attributes, tags: { a: '1' } })
      assert.deepEqual((await drive.head(bucket, 'k.txt'))?.attributes, changed?.attributes)
      await byHand.put('k.txt', Buffer.from('edited by hand'))
      assert.equal((await drive.head(bucket, 'k.txt'))?.attributes.tags, undefined)
    })
  })
}

async function tagDuringOverwrite(drive: Drive, other: Drive, [before, after]: [string, string]) {
  await put(drive, 'k', before, { attributes: { tags: { of: before } } })
  const [tagged, written] = await Promise.allSettled([
    setTags(other, 'k', { of: 'set' }),
    put(drive, 'k', after, { attributes: { tags: { of: after } } }),
  ])
  if (written.status === 'rejected') throw written.reason
  if (tagged.status === 'rejected') assertMeanwhile(tagged.reason)
  const version = tagged.status === 'fulfilled' ? tagged.value?.attributes.etag : undefined
  const { etag } = written.value.attributes
  const last = await drive.head(bucket, 'k')
  assert.equal(last?.attributes.etag, etag)
  assert.deepEqual(last?.attributes.tags, { of: version === etag ? 'set' : after })
  assert.equal(await getText(drive, 'k'), after)
}

/** A change may be refused because of another one at the same time. */
function assertMeanwhile(reason: unknown): void {
  assert.ok(reason instanceof DriveError, String(reason))
  assert.ok(reason.kind === 'changed' || reason.kind === 'busy', reason.kind)
}
