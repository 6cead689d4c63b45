import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { DriveError } from '../../../src/drives/drive.ts'
import { openS3Drive } from '../../../src/drives/s3/s3-drive.ts'
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
import { errorDocument, openCutDrive, openDriveOn } from './store-under-test.ts'

const emptyList = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>'

/** Answers the listing at the start, and everything else with `answer`. */
function behind(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    request.on('error', () => undefined)
    if (request.url?.includes('list-type=2')) response.end(emptyList)
    else answer(request, response)
  }
}

test('503 SlowDown is passed on with Retry-After', async (t) => {
  let requests = 0
  const drive = await openDriveOn(
    t,
    behind((_, response) => {
      requests += 1
      response.writeHead(503, { 'retry-after': '0' }).end(errorDocument('SlowDown', 'Later.'))
    }),
  )
  const error: unknown = await drive.head(bucket, 'k').catch((reason: unknown) => reason)
  assert.ok(error instanceof DriveError)
  assert.deepEqual([error.kind, error.retryAfterSeconds], ['busy', 0])
  assert.equal(requests, 4)
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
