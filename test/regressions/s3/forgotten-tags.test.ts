import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  attributesOf,
  bucket,
  bytesOf,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import { storeOfFiles } from './store-of-files.ts'
import { openDriveOn } from './store-under-test.ts'

test('tags that the store would forget are refused', async (t) => {
  const drive = await openDriveOn(t, storeOfFiles().answer)
  await drive.prepare([bucket])
  const attributes = { tags: { a: '1' } }
  for (const size of [10, 3_000_000]) {
    await rejectsAs(put(drive, 'k', bytesOf(size), { attributes }), 'not-implemented')
  }
  const tagged = attributesOf(bytesOf(10), attributes)
  const target = { bucket, key: 'k' }
  const begun = drive.uploads.begin('0'.repeat(22), target, { attributes: tagged })
  await rejectsAs(begun, 'not-implemented')
  assert.equal(await drive.head(bucket, 'k'), undefined)
  const { attributes: plain } = await put(drive, 'k', bytesOf(10))
  assert.ok(drive.setAttributes && drive.copy)
  await rejectsAs(
    Promise.resolve(drive.setAttributes(bucket, 'k', { tags: { a: '1' } })),
    'not-implemented',
  )
  const source = { ...target, etag: plain.etag }
  const copied = drive.copy(source, { bucket, key: 'copy' }, { attributes: tagged })
  await rejectsAs(Promise.resolve(copied), 'not-implemented')
})
