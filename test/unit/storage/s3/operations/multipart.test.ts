import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { crc32 as crcOf } from 'node:zlib'
import { completeMultipartUpload } from '../../../../../src/storage/s3/operations/complete-multipart-upload.ts'
import { listParts } from '../../../../../src/storage/s3/operations/list-uploads.ts'
import {
  createMultipartUpload,
  uploadPart,
  uploadPartCopy,
} from '../../../../../src/storage/s3/operations/multipart-upload.ts'
import { putObject } from '../../../../../src/storage/s3/operations/put-object.ts'
import { headersOf, isS3Error } from '../read-fixture.ts'
import { elementOf, makeWorld, md5, OperationRunner, type WriteRequest } from '../write-fixture.ts'

const crc32 = (text: string) => {
  const digest = Buffer.alloc(4)
  digest.writeUInt32BE(crcOf(text))
  return digest.toString('base64')
}

interface Started {
  readonly headers?: Record<string, string>
}

async function start(t: TestContext, { headers = {} }: Started = {}) {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  const created = await runner.run(createMultipartUpload, { query: 'uploads', headers })
  const uploadId = elementOf(created, 'UploadId') ?? ''
  const onUpload = `uploadId=${uploadId}`
  const part = (number: number | string, request: WriteRequest) =>
    runner.run(uploadPart, { query: `${onUpload}&partNumber=${number}`, ...request })
  const partCopy = (number: number, copyHeaders: Record<string, string>) =>
    runner.run(uploadPartCopy, {
      query: `${onUpload}&partNumber=${number}`,
      headers: copyHeaders,
    })
  const list = (query = '') => runner.run(listParts, { query: `${onUpload}${query}` })
  const complete = (parts: readonly string[], more: Record<string, string> = {}) =>
    runner.run(completeMultipartUpload, {
      query: onUpload,
      headers: more,
      body: completionBody(parts),
    })
  return { ...world, runner, created, uploadId, onUpload, part, partCopy, list, complete }
}

function completionBody(parts: readonly string[], extra: readonly string[] = []): string {
  const elements = parts.map(
    (bytes, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>&quot;${md5(bytes)}&quot;</ETag>${extra[index] ?? ''}</Part>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${elements.join('')}</CompleteMultipartUpload>`
}

test('CreateMultipartUpload issues an id of 128 random bits', async (t) => {
  const { created, uploadId } = await start(t)
  assert.match(uploadId, /^[\w-]{22}$/)
  assert.equal(elementOf(created, 'Bucket'), 'b')
  assert.equal(elementOf(created, 'Key'), 'k')
  assert.equal(headersOf(created)['content-type'], 'application/xml')
})

test('UploadPart accepts the body only when its turn comes', async (t) => {
  const { part, runner } = await start(t)
  await assert.rejects(part(70, { body: 'x' }), isS3Error('SlowDown'))
  assert.equal(runner.wasBodyAccepted, false)
  await part(1, { body: 'x' })
  assert.equal(runner.wasBodyAccepted, true)
})

test('UploadPart of bytes that do not match their checksum commits nothing', async (t) => {
  const { part, list } = await start(t)
  const headers = { 'x-amz-checksum-crc32': 'NhCmhg==' }
  await assert.rejects(part(1, { body: 'hellO', headers }), isS3Error('BadDigest'))
  assert.equal(elementOf(await list(), 'NextPartNumberMarker'), '0')
  const reply = await part(1, { body: 'hello', headers })
  assert.equal(headersOf(reply)['x-amz-checksum-crc32'], 'NhCmhg==')
  assert.equal(headersOf(reply)['x-amz-checksum-type'], undefined)
})

test('CompleteMultipartUpload returns a full-object CRC of all parts and checks the one sent', async (t) => {
  const headers = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' }
  const { part, complete, created, drive } = await start(t, { headers })
  assert.equal(headersOf(created)['x-amz-checksum-algorithm'], 'CRC32')
  assert.equal(headersOf(created)['x-amz-checksum-type'], 'FULL_OBJECT')
  await part(1, { body: 'hel' })
  await part(2, { body: 'lo' })
  const parts = ['hel', 'lo']
  const wrong = complete(parts, { 'x-amz-checksum-crc32': 'AAAAAA==' })
  await assert.rejects(wrong, isS3Error('BadDigest'))
  const otherType = complete(parts, { 'x-amz-checksum-type': 'COMPOSITE' })
  await assert.rejects(otherType, isS3Error('InvalidRequest'))
  const otherKind = complete(parts, { 'x-amz-checksum-sha1': 'x' })
  await assert.rejects(otherKind, isS3Error('InvalidRequest'))
  const reply = await complete(parts, {
    'x-amz-checksum-crc32': 'NhCmhg==',
    'x-amz-checksum-type': 'FULL_OBJECT',
    'x-amz-mp-object-size': '5',
  })
  assert.equal(elementOf(reply, 'ChecksumCRC32'), 'NhCmhg==')
  assert.equal(elementOf(reply, 'ChecksumType'), 'FULL_OBJECT')
  const { checksum, partChecksums } = (await drive.head('b', 'k'))?.attributes ?? {}
  assert.deepEqual(checksum, { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'NhCmhg==' })
  assert.deepEqual(partChecksums, ['hel', 'lo'].map(crc32))
})

test('CompleteMultipartUpload does not store a long list of part checksums', async (t) => {
  const headers = { 'x-amz-checksum-algorithm': 'SHA256' }
  const { part, complete, drive } = await start(t, { headers })
  const texts = Array.from({ length: 182 }, (_, index) => String(index))
  for (const [index, body] of texts.entries()) await part(index + 1, { body })
  await complete(texts)
  const { checksum, partChecksums } = (await drive.head('b', 'k'))?.attributes ?? {}
  assert.match(checksum?.value ?? '', /-182$/)
  assert.equal(partChecksums, undefined)
})

test('CompleteMultipartUpload returns a composite checksum and checks those of the parts', async (t) => {
  const headers = { 'x-amz-checksum-algorithm': 'CRC32' }
  const { part, runner, onUpload, complete } = await start(t, { headers })
  const one = headersOf(await part(1, { body: 'hello' }))['x-amz-checksum-crc32']
  assert.equal(one, 'NhCmhg==')
  const wrongPart = { 'x-amz-checksum-sha1': 'qvTGHdzF6KLavt4PO0gs2a6pQ00=' }
  const mismatch = part(2, { body: 'hello', headers: wrongPart })
  await assert.rejects(mismatch, isS3Error('InvalidRequest'))
  const body = completionBody(['hello'], ['<ChecksumCRC32>AAAAAA==</ChecksumCRC32>'])
  const wrong = runner.run(completeMultipartUpload, { query: onUpload, body })
  await assert.rejects(wrong, isS3Error('InvalidPart'))
  const reply = await complete(['hello'])
  assert.match(elementOf(reply, 'ChecksumCRC32') ?? '', /^[\w+/]{6}==-1$/)
  assert.equal(elementOf(reply, 'ChecksumType'), 'COMPOSITE')
})

test('CompleteMultipartUpload uses PUBLIC_URL in Location', async (t) => {
  const { part, runner, onUpload } = await start(t)
  await part(1, { body: 'one' })
  Object.assign(runner.service.settings, { publicUrl: 'https://files.example' })
  const reply = await runner.run(completeMultipartUpload, {
    query: onUpload,
    body: completionBody(['one']),
  })
  assert.equal(elementOf(reply, 'Location'), 'https://files.example/b/k')
})

test('UploadPartCopy refuses ranges that are not within the source', async (t) => {
  const { partCopy, runner } = await start(t)
  await runner.run(putObject, { key: 'source', body: 'hello' })
  const ranges = ['bytes=0-5', 'bytes=3-2', 'bytes=-2', 'bytes=2-', '0-2', 'bytes=0-1,3-4', '']
  for (const range of ranges) {
    const copying = partCopy(1, {
      'x-amz-copy-source': '/b/source',
      'x-amz-copy-source-range': range,
    })
    await assert.rejects(copying, isS3Error('InvalidArgument'), range)
  }
  const absent = partCopy(1, { 'x-amz-copy-source': '/b/absent' })
  await assert.rejects(absent, isS3Error('NoSuchKey'))
  const conditional = partCopy(1, {
    'x-amz-copy-source': '/b/source',
    'x-amz-copy-source-if-match': '"x"',
  })
  await assert.rejects(conditional, isS3Error('PreconditionFailed'))
})
