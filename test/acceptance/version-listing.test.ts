import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
} from '@aws-sdk/client-s3'
import { testBucket as Bucket } from '../support/gateway-process.ts'
import { Key, noSuchId, startWithVersions } from '../support/versioned-bucket.ts'
import { answer } from '../support/wire-case.ts'

test('pages of versions: markers, prefix, delimiter and encoding', async (t) => {
  const { s3, set, put, remove, list, refuses } = await startWithVersions(t)
  await set('Enabled')
  const keys = ['a', 'b/1', 'b/2', 'b/', 'c d']
  for (const key of keys) for (const body of ['1', '2', '3']) await put(body, key)
  await remove(undefined, 'b/1')
  const { entries: all } = await list()
  assert.equal(all.length, 16)
  assert.deepEqual(
    all.filter(([, , isLatest]) => isLatest).map(([key]) => key),
    [...['a', 'b/', '-b/1', 'b/2', 'c d']],
  )
  for (const size of [1, 2, 3, 5, 16]) {
    const found: (readonly unknown[])[] = []
    let query = `&max-keys=${size}`
    for (;;) {
      const { text, entries } = await list(query)
      found.push(...entries)
      const [, key] = /<NextKeyMarker>(.*?)</.exec(text) ?? []
      const [, id] = /<NextVersionIdMarker>(.*?)</.exec(text) ?? []
      assert.equal(/<IsTruncated>true</.test(text), key !== undefined)
      if (key === undefined) break
      query = `&max-keys=${size}&key-marker=${encodeURIComponent(key)}&version-id-marker=${id}`
    }
    assert.deepEqual(found, all)
  }
  const versions = (more: object) => s3.send(new ListObjectVersionsCommand({ Bucket, ...more }))
  const grouped = await versions({ Delimiter: '/', MaxKeys: 4 })
  assert.deepEqual(
    grouped.Versions?.map((one) => one.Key),
    ['a', 'a', 'a'],
  )
  assert.deepEqual(grouped.CommonPrefixes, [{ Prefix: 'b/' }])
  assert.deepEqual([grouped.NextKeyMarker, grouped.NextVersionIdMarker], ['b/', undefined])
  const rest = await versions({ Delimiter: '/', KeyMarker: 'b/' })
  assert.deepEqual([rest.Versions?.length, rest.CommonPrefixes], [3, undefined])
  const inside = await versions({ Delimiter: '/', Prefix: 'b/' })
  assert.deepEqual([inside.Versions?.length, inside.DeleteMarkers?.length], [9, 1])
  const [marker] = inside.DeleteMarkers ?? []
  assert.deepEqual(
    [marker?.Key, marker?.IsLatest, marker?.Owner?.ID !== undefined],
    ['b/1', true, true],
  )
  // Without a version, the marker stands for all versions of its key.
  assert.equal((await list('&key-marker=b/2')).entries.length, 3)
  assert.match((await list('&encoding-type=url&prefix=c')).text, /<Key>c%20d<\/Key>/)
  assert.equal((await list('&max-keys=0')).entries.length, 0)
  await refuses(versions({ VersionIdMarker: 'x' }), 'InvalidArgument')
  for (const VersionIdMarker of ['x y', 'none']) {
    await refuses(versions({ KeyMarker: 'a', VersionIdMarker }), 'InvalidArgument')
  }
})

test('DeleteObjects creates markers and removes versions', async (t) => {
  const { s3, set, put, list } = await startWithVersions(t)
  const objects = async (Objects: { Key: string; VersionId?: string }[], more = {}) =>
    await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, ...more } }))
  await set('Enabled')
  const [one, two] = [await put('one', 'a'), await put('two', 'b')]
  const made = await objects([{ Key: 'a' }, { Key: 'absent' }])
  const [marker, other] = made.Deleted ?? []
  assert.deepEqual([marker?.Key, marker?.DeleteMarker, marker?.VersionId], ['a', true, undefined])
  assert.deepEqual([other?.Key, other?.DeleteMarker], ['absent', true])
  const id = marker?.DeleteMarkerVersionId ?? assert.fail()
  assert.deepEqual((await list()).entries.slice(0, 2), [
    ['-a', id, true],
    ['a', one, false],
  ])
  const removed = await objects([
    { Key: 'a', VersionId: id },
    { Key: 'b', VersionId: two },
    { Key: 'b', VersionId: noSuchId },
    { Key: 'b', VersionId: 'not an ID' },
    { Key: 'b', VersionId: 'none' },
  ])
  assert.deepEqual(removed.Deleted, [
    { Key: 'a', VersionId: id, DeleteMarker: true, DeleteMarkerVersionId: id },
    { Key: 'b', VersionId: two },
    { Key: 'b', VersionId: noSuchId },
  ])
  assert.deepEqual(
    removed.Errors?.map(({ Code, VersionId }) => [Code, VersionId]),
    ['not an ID', 'none'].map((id) => ['InvalidArgument', id]),
  )
  const quiet = await objects([{ Key: 'a' }], { Quiet: true })
  assert.deepEqual([quiet.Deleted, quiet.Errors], [undefined, undefined])
})

test('while versions are suspended, writes and deletes replace the version null', async (t) => {
  const { set, put, read, remove, list } = await startWithVersions(t)
  await set('Enabled')
  const one = await put('one')
  await set('Suspended')
  assert.deepEqual([await put('two'), await put('three')], ['null', 'null'])
  assert.deepEqual((await list()).ids, ['null', one])
  assert.deepEqual(await remove(), ['null', true])
  assert.deepEqual((await list()).entries, [
    [`-${Key}`, 'null', true],
    [Key, one, false],
  ])
  assert.deepEqual(await remove('null'), ['null', true])
  assert.deepEqual(await read(), ['one', one])
})

test('DeleteBucket refuses a bucket that has only versions or markers', async (t) => {
  const { gateway, s3, remove } = await startWithVersions(t)
  const bucket = '/made'
  await answer(gateway, { title: 'create', method: 'PUT', target: bucket, status: 200 })
  const VersioningConfiguration = { Status: 'Enabled' as const }
  await s3.send(new PutBucketVersioningCommand({ Bucket: 'made', VersioningConfiguration }))
  const { VersionId } = await s3.send(new DeleteObjectCommand({ Bucket: 'made', Key }))
  const deletion = { title: 'delete', method: 'DELETE', target: bucket }
  const refusal = await answer(gateway, { ...deletion, status: 409, code: 'BucketNotEmpty' })
  assert.match(refusal.text, /The bucket made has former versions or delete markers/)
  await s3.send(new DeleteObjectCommand({ Bucket: 'made', Key, VersionId }))
  await answer(gateway, { ...deletion, status: 204 })
  await answer(gateway, { title: 'again', method: 'PUT', target: bucket, status: 200 })
  const get = { title: 'get', method: 'GET', target: `${bucket}?versioning`, status: 200 }
  await answer(gateway, { ...get, xml: { VersioningConfiguration: { Status: undefined } } })
  assert.deepEqual(await remove(undefined, 'absent'), [undefined, undefined])
})
