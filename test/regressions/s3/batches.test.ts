import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { bucket, getText, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { behind, errorDocument, openCutDrive, openDriveOn } from './store-under-test.ts'

test('many objects are removed with one request', async (t) => {
  const { drive, direct, heads } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  const keys = ['a', 'b/é', 'b&<"> +%', 'kept']
  for (const key of keys) await put(direct, key, key)
  const before = heads.length
  const results = await drive.removeAll?.(bucket, [...keys.slice(0, 3), 'none'])
  assert.deepEqual(results, [undefined, undefined, undefined, undefined])
  assert.equal(heads.slice(before).filter((head) => /^(POST|HEAD|DELETE) /.test(head)).length, 1)
  for (const key of keys) {
    assert.equal(await getText(direct, key), key === 'kept' ? 'kept' : undefined)
  }
  // XML has no line feed that all read in the same way.
  assert.equal(await drive.removeAll?.(bucket, ['kept', 'line\nfeed']), undefined)
})

test('an object that the store does not remove has its error', async (t) => {
  const drive = await openDriveOn(
    t,
    behind((_, response) => {
      response.end(
        '<DeleteResult><Error><Key>alpha/b</Key><Code>AccessDenied</Code><Message>No.</Message></Error>' +
          '<Error><Key>alpha/c</Key><Code>NoSuchKey</Code></Error></DeleteResult>',
      )
    }),
  )
  const results = (await drive.removeAll?.('alpha', ['a', 'b', 'c'])) ?? assert.fail()
  assert.deepEqual(
    results.map((error) => (error as DriveError | undefined)?.kind),
    [undefined, 'denied', undefined],
  )
})

test('a store that does not take the request gets one for each object', async (t) => {
  const drive = await openDriveOn(
    t,
    behind((_, response) => {
      response.writeHead(400).end(errorDocument('InvalidRequest', 'Missing Content-MD5.'))
    }),
  )
  assert.equal(await drive.removeAll?.('alpha', ['a', 'b']), undefined)
})

test('a key that is too long behind the folder does not keep the others of a request', async (t) => {
  const { drive } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  assert.equal(await drive.removeAll?.(bucket, ['a', 'k'.repeat(1_024)]), undefined)
})

test('a removal while others write the key without a pause is answered with busy', async (t) => {
  const drive = await openDriveOn(
    t,
    behind(({ method, url = '' }, response) => {
      const isWrite = method === 'DELETE' && !url.includes('bucketry-probe')
      response.setHeader('etag', '"e"')
      if (method === 'HEAD') response.setHeader('content-length', 1)
      if (isWrite) response.writeHead(412).end(errorDocument('PreconditionFailed', 'It changed.'))
      else
        response.end(
          '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
        )
    }),
  )
  await rejectsAs(drive.remove('alpha', 'k'), 'busy')
})
