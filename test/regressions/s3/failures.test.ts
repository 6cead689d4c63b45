import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { openS3Drive } from '../../../src/storage/drives/s3/s3-drive.ts'
import {
  attributesOf,
  bucket,
  bytesOf,
  get,
  put,
  rejectsAs,
  writeChunks,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { newFolder, s3DriveOptions } from '../../contract/s3-drive-under-test.ts'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { behind, errorDocument, openCutDrive, openDriveOn } from './store-under-test.ts'

test('503 SlowDown is passed on with Retry-After', async (t) => {
  let requests = 0
  const drive = await openDriveOn(
    t,
    behind((_, response) => {
      requests += 1
      response.writeHead(503, { 'retry-after': '0' }).end(errorDocument('SlowDown', 'Later.'))
    }),
  )
  const error: unknown = await Promise.resolve(drive.head(bucket, 'k')).catch(
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof DriveError)
  assert.deepEqual([error.kind, error.retryAfterSeconds], ['busy', 0])
  assert.equal(requests, 4)
})

/** What the store's code, with its status, means here, and what the message tells. */
const meanings = [
  [400, 'RequestTimeout', 'unavailable', /answered RequestTimeout/],
  [400, 'IncompleteBody', 'unavailable', /answered IncompleteBody/],
  [400, 'BadDigest', 'unavailable', /answered BadDigest/],
  [400, 'XAmzContentSHA256Mismatch', 'unavailable', /answered XAmz/],
  [400, 'ExpiredToken', 'denied', /Renew the credentials/],
  [400, 'InvalidToken', 'denied', /Check the credentials/],
  [400, 'AuthorizationHeaderMalformed', 'denied', /Check S3_DRIVE_REGION/],
  [301, 'PermanentRedirect', 'denied', /Set DRIVE to the address of the bucket's region/],
  [403, 'InvalidObjectState', 'unsupported', /answered InvalidObjectState/],
  [403, 'AccessDenied', 'denied', /"Rights"/],
  [400, 'InvalidArgument', 'unsupported', /answered InvalidArgument/],
  [507, 'Whatever', 'full', /answered Whatever/],
  [404, 'NoSuchBucket', 'no-bucket', /Create the bucket/],
] as const

test('an error of the store is what it means here', async (t) => {
  let [status, code]: readonly [number, string] = [200, '']
  const drive = await openDriveOn(
    t,
    behind((_, response) => {
      response.writeHead(status).end(code === '' ? undefined : errorDocument(code, 'Words.'))
    }),
  )
  const wanted = { start: 0, end: 10 }
  for (const [givenStatus, givenCode, kind, words] of meanings) {
    ;[status, code] = [givenStatus, givenCode]
    await assert.rejects(
      async () => await drive.open(bucket, 'k', { wanted }),
      (error) => {
        assert.ok(error instanceof DriveError)
        assert.deepEqual([givenCode, error.kind], [givenCode, kind])
        assert.match(error.message, words)
        return true
      },
    )
  }
  // The reply to a HEAD has no code.
  for (const [givenStatus, kind] of [
    [400, 'unavailable'],
    [301, 'denied'],
    [403, 'denied'],
  ] as const) {
    ;[status, code] = [givenStatus, '']
    await rejectsAs(drive.head(bucket, 'k'), kind)
  }
})

test('a name that the store cannot have is that of no object', async (t) => {
  for (const code of ['KeyTooLongError', 'XMinioInvalidObjectName']) {
    const drive = await openDriveOn(
      t,
      behind(({ method }, response) => {
        response.writeHead(400).end(method === 'HEAD' ? undefined : errorDocument(code, 'Words.'))
      }),
    )
    const wanted = { start: 0, end: 10 }
    assert.equal(await drive.head(bucket, 'k'), undefined)
    assert.equal(await drive.open(bucket, 'k', { wanted }), undefined)
    const kind = code === 'KeyTooLongError' ? 'key-too-long' : 'invalid-key'
    await rejectsAs(put(drive, 'k', 'text'), kind)
  }
})

test('the tags of an object are those of the version that was found', async (t) => {
  const asked: string[] = []
  const drive = await openDriveOn(
    t,
    behind(({ url = '' }, response) => {
      if (url.includes('tagging')) {
        asked.push(url)
        response.end('<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>')
        return
      }
      const version = { 'x-amz-version-id': 'v1', 'x-amz-tagging-count': '1' }
      response.writeHead(200, { ...version, etag: '"0"', 'content-length': '4' }).end()
    }),
  )
  assert.deepEqual((await drive.head(bucket, 'k'))?.attributes.tags, { a: '1' })
  assert.match(asked.join(), /versionId=v1/)
})

test('200 with an error document is an error', async (t) => {
  const drive = await openDriveOn(
    t,
    behind((request, response) => {
      const head = { etag: '"00000000000000000000000000000000"', 'content-length': '4' }
      if (request.method === 'HEAD') response.writeHead(200, head).end()
      else response.end(errorDocument('InternalError', 'We have failed.'))
    }),
  )
  const source = { bucket, key: 'a', etag: '00000000000000000000000000000000' }
  const attributes = attributesOf(Buffer.from('text'))
  await rejectsAs(
    drive.copy?.(source, { bucket, key: 'b' }, { attributes }) ?? Promise.resolve(),
    'unavailable',
  )
})

test('a store that ignores which version is copied is not asked to copy', async (t) => {
  const copied: (string | undefined)[] = []
  const drive = await openDriveOn(
    t,
    behind((request, response) => {
      const { method, url = '', headers } = request
      const source = headers['x-amz-copy-source']
      if (method === 'PUT' && source !== undefined && !url.includes('.bucketry-probe')) {
        copied.push(url)
      }
      const etag = '"00000000000000000000000000000000"'
      const result = `<ETag>${etag}</ETag><UploadId>u</UploadId><LastModified>2026-11-27T00:00:00Z</LastModified>`
      const body = method === 'HEAD' || method === 'DELETE' ? '' : `<Result>${result}</Result>`
      const length = method === 'HEAD' ? 8 : Buffer.byteLength(body)
      response.writeHead(200, { etag, 'content-length': length }).end(body)
    }),
  )
  const source = { bucket, key: 'a', etag: '00000000000000000000000000000000' }
  const attributes = attributesOf(Buffer.from('bucketry'))
  assert.equal(await drive.copy?.(source, { bucket, key: 'b' }, { attributes }), undefined)
  assert.deepEqual(copied, [])
})

test('a store that ends the connection within a body gets no object', async (t) => {
  const { drive, direct } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  const bytes = bytesOf(4_000_000)
  const draft = await drive.draft(bucket, 'k', { size: bytes.length })
  await writeChunks(draft, bytes.subarray(0, 3_000_000))
  await drive.close()
  await draft.discard()
  assert.equal(await direct.head(bucket, 'k'), undefined)
})

test('a body of which all bytes were written is not an object before it is published', async (t) => {
  const { drive, direct } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  for (const size of [1_000, 4_000_000]) {
    const draft = await drive.draft(bucket, 'k', { size })
    await writeChunks(draft, bytesOf(size))
    await draft.discard()
  }
  await put(drive, 'next', 'text')
  assert.equal(await direct.head(bucket, 'k'), undefined)
})

test('an object of unknown size is written in parts, and swept if its process was killed', async (t) => {
  const store = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  const path = newFolder(store.bucket)
  const options = await s3DriveOptions(t, { url: store.url, path, ...store.credentials })
  const drive = await openS3Drive(options)
  t.after(() => drive.close())
  await drive.prepare(['alpha'])
  const bytes = bytesOf(20_000_000)
  const written = await drive.draft(bucket, 'k', {})
  await writeChunks(written, bytes)
  const { size, attributes } = await written.publish(attributesOf(bytes))
  assert.equal(size, bytes.length)
  assert.match(attributes.etag, /^[0-9a-f]{32}-3$/)
  assert.ok((await get(drive, 'k'))?.equals(bytes))
  const killed = await drive.draft(bucket, 'killed', {})
  await writeChunks(killed, bytes)
  const known = await UploadSession.begin(drive, 'known')
  await known.append(bytesOf(100))
  await drive.uploads.sweep(async (id) => id === known.uploadId, 3_600_000)
  await writeChunks(killed, bytes)
  await drive.uploads.sweep(async (id) => id === known.uploadId, 0)
  await rejectsAs(killed.publish(attributesOf(Buffer.concat([bytes, bytes]))), 'upload-gone')
  assert.equal(await drive.head(bucket, 'killed'), undefined)
  assert.equal((await known.complete())?.size, 100)
})

test('wrong credentials and a missing bucket are reported in words', async (t) => {
  const store = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  const { url, credentials } = store
  const failureOf = async (path: string, accessKey: string, secretKey: string) => {
    const options = await s3DriveOptions(t, { url, path, accessKey, secretKey })
    const error: unknown = await openS3Drive(options).catch((reason: unknown) => reason)
    assert.ok(error instanceof DriveError, String(error))
    return `${error.kind}: ${error.message}`
  }
  const { accessKey, secretKey } = credentials
  assert.match(
    await failureOf(`/${store.bucket}`, 'nobody', secretKey),
    /^denied: .*InvalidAccessKeyId.* Check S3_DRIVE_ACCESS_KEY\.$/,
  )
  assert.match(
    await failureOf(`/${store.bucket}`, accessKey, 'wrong'),
    /^denied: .*SignatureDoesNotMatch.* Check S3_DRIVE_SECRET_KEY and S3_DRIVE_REGION\.$/,
  )
  assert.match(
    await failureOf('/missing', accessKey, secretKey),
    /^no-bucket: .*NoSuchBucket.* Create the bucket, or correct DRIVE\.$/,
  )
  const nowhere = await s3DriveOptions(t, { url: 'http://127.0.0.1:9', accessKey, secretKey })
  await rejectsAs(openS3Drive(nowhere), 'unavailable')
})
