import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  attributesOf,
  bucket,
  bytesOf,
  collect,
  get,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { openCutDrive } from './store-under-test.ts'

for (const size of [1_000, 3_000_000]) {
  for (const conditions of [undefined, { ifNoneMatch: '*' } as const]) {
    const how = conditions === undefined ? '' : ' under a condition'
    test(`a PUT of ${size} bytes${how} whose reply is lost is acknowledged`, async (t) => {
      const { drive, direct, heads } = await openCutDrive(t, {
        ...{ request: /^PUT [^ ]*\/alpha\/k\b/, bytes: 0 },
      })
      const bytes = bytesOf(size)
      const options = { attributes: { metadata: { a: '1' } }, ...(conditions && { conditions }) }
      const written = await put(drive, 'k', bytes, options)
      assert.deepEqual(written.attributes, attributesOf(bytes, { metadata: { a: '1' } }))
      assert.ok((await get(direct, 'k'))?.equals(bytes))
      // A body that was streamed is gone: the object is looked at.
      const puts = heads.filter((head) => /^PUT [^ ]*\/alpha\/k\b/.test(head))
      assert.equal(puts.length, size > 1_000_000 ? 1 : 2)
      if (conditions) await rejectsAs(put(drive, 'k', bytes, options), 'condition')
    })
  }
}

test('a PUT whose reply is lost is not acknowledged if another write won', async (t) => {
  const { drive, direct } = await openCutDrive(t, {
    ...{ request: /^PUT [^ ]*\/alpha\/k\b/, bytes: 0 },
  })
  await put(direct, 'k', 'other')
  const conditions = { ifNoneMatch: '*' } as const
  await rejectsAs(put(drive, 'k', 'other', { conditions }), 'condition')
})

test('a copy whose reply is lost is acknowledged', async (t) => {
  const { drive } = await openCutDrive(t, { request: /^PUT [^ ]*\/alpha\/copy\b/, bytes: 0 })
  const { attributes } = await put(drive, 'source', 'text')
  const source = { bucket, key: 'source', etag: attributes.etag }
  const conditions = { ifNoneMatch: '*' } as const
  const copied = await drive.copy?.(source, { bucket, key: 'copy' }, { attributes, conditions })
  assert.deepEqual(copied?.attributes, attributes)
})

test('a copy of an object in parts onto itself whose reply is lost is acknowledged', async (t) => {
  const { drive, direct } = await openCutDrive(t, {
    ...{ request: /^PUT [^ ]*\/alpha\/k\b/, bytes: 0 },
  })
  const session = await UploadSession.begin(direct, 'k')
  await session.append(bytesOf(100_000))
  const { etag } = (await session.complete())?.attributes ?? assert.fail()
  const attributes = attributesOf(bytesOf(100_000), { metadata: { a: '1' } })
  const copied = await drive.copy?.(
    { bucket, key: 'k', etag },
    { bucket, key: 'k' },
    { attributes },
  )
  assert.deepEqual(copied?.attributes.metadata, { a: '1' })
  assert.deepEqual(await direct.head(bucket, 'k'), copied)
})

test('an upload whose creation got no reply is swept', async (t) => {
  const { drive, direct, openUploads } = await openCutDrive(t, {
    ...{ request: /^POST [^ ]*\/alpha\/k\?uploads/, bytes: 0 },
  })
  const others = await UploadSession.begin(direct, 'k2')
  const session = await UploadSession.begin(drive, 'k')
  await session.append(bytesOf(6_000_000))
  assert.equal((await openUploads()).length, 3)
  await drive.uploads.sweep(async (id) => id === session.uploadId, 0)
  await session.append(bytesOf(100_000, 1))
  assert.equal((await session.complete())?.size, 6_100_000)
  await others.complete()
  assert.deepEqual(await openUploads(), [])
})

test('a sweep goes on after an upload that it cannot end, and leaves what is of other drives', async (t) => {
  const { options, direct, openUploads } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  const session = await UploadSession.begin(direct, 'k')
  const record = (json: object) => ({ json: JSON.stringify(json), fileIds: [] })
  await options.records.save(
    '0',
    record({ bucket: 'alpha', key: 'x'.repeat(2_000), uploadId: 'u' }),
  )
  await options.records.save('google', record({ bucket: 'alpha', key: 'k', size: 1 }))
  const { uploadId } = JSON.parse((await options.records.find(session.uploadId)) ?? '{}')
  assert.ok(uploadId)
  await rejectsAs(
    direct.uploads.sweep(async () => false, 0),
    'invalid-key',
  )
  assert.deepEqual(await openUploads(), [])
  assert.ok(await options.records.find('google'))
})

test('a Complete whose reply is lost is acknowledged, and can be repeated', async (t) => {
  const { drive, direct } = await openCutDrive(t, {
    ...{ request: /^POST [^ ]*\/alpha\/upload\?uploadId=/, bytes: 0 },
  })
  const session = await UploadSession.begin(drive, 'upload')
  await session.append(bytesOf(100_000))
  const done = await session.complete({ ifNoneMatch: '*' })
  assert.equal(done?.size, 100_000)
  assert.deepEqual(await session.complete({ ifNoneMatch: '*' }), done)
  assert.deepEqual(await direct.head(bucket, 'upload'), done)
})

test('a removal whose reply is lost is acknowledged', async (t) => {
  const { drive, direct } = await openCutDrive(t, {
    ...{ request: /^DELETE [^ ]*\/alpha\/k\b/, bytes: 0 },
  })
  await put(direct, 'k', 'text')
  assert.equal((await drive.remove(bucket, 'k')) !== undefined, true)
  assert.equal(await direct.head(bucket, 'k'), undefined)
})

test('a body that the store breaks off is an error, not a shorter body', async (t) => {
  const { drive } = await openCutDrive(t, { request: /^GET [^ ]*\/alpha\/k\b/, bytes: 100_000 })
  const bytes = bytesOf(1_000_000)
  await put(drive, 'k', bytes)
  const object = await drive.open(bucket, 'k')
  assert.ok(object)
  await rejectsAs(collect(object.read(0, object.size)), 'unavailable')
  assert.ok((await collect(object.read(0, object.size))).equals(bytes))
  await object.close()
})
