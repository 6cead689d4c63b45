import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { crc32 as crcOf } from 'node:zlib'
import { completeMultipartUpload } from '../../../../../src/storage/s3/operations/complete-multipart-upload.ts'
import { listParts } from '../../../../../src/storage/s3/operations/list-uploads.ts'
import {
  abortMultipartUpload,
  createMultipartUpload,
  uploadPart,
  uploadPartCopy,
} from '../../../../../src/storage/s3/operations/multipart-upload.ts'
import { putObject } from '../../../../../src/storage/s3/operations/put-object.ts'
import { headersOf, isS3Error } from '../read-fixture.ts'
import {
  elementOf,
  etagOfParts,
  makeWorld,
  md5,
  OperationRunner,
  textOf,
  type WriteRequest,
} from '../write-fixture.ts'

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

test('CreateMultipartUpload refuses headers that cannot be stored', async (t) => {
  await assert.rejects(
    start(t, { headers: { 'x-amz-server-side-encryption': 'AES256' } }),
    isS3Error('NotImplemented'),
  )
  const contradiction = {
    'x-amz-checksum-algorithm': 'SHA256',
    'x-amz-checksum-type': 'FULL_OBJECT',
  }
  await assert.rejects(start(t, { headers: contradiction }), isS3Error('InvalidRequest'))
})

test('UploadPart and CompleteMultipartUpload create the object and return its ETag and Location', async (t) => {
  const { part, complete, drive } = await start(t, { headers: { 'content-type': 'text/x' } })
  const reply = await part(1, { body: 'one' })
  assert.equal(reply.status, 200)
  assert.equal(headersOf(reply).etag, `"${md5('one')}"`)
  await part(2, { body: 'two' })
  const completed = await complete(['one', 'two'])
  assert.equal(elementOf(completed, 'Location'), 'http://example.test:9000/b/k')
  assert.equal(elementOf(completed, 'Bucket'), 'b')
  assert.equal(elementOf(completed, 'Key'), 'k')
  assert.equal(elementOf(completed, 'ETag'), `"${etagOfParts(['one', 'two'])}"`)
  assert.equal(await textOf(drive), 'onetwo')
  assert.equal((await drive.head('b', 'k'))?.attributes.headers['content-type'], 'text/x')
  assert.deepEqual(await complete(['one', 'two']), completed)
})

test('UploadPart first refuses a part number that is not 1 to 10000', async (t) => {
  const { part, runner } = await start(t)
  for (const number of ['0', '10001', '-1', '1.5', 'x', '', '1e3', '000001']) {
    await assert.rejects(part(number, { body: 'x' }), isS3Error('InvalidArgument'), number)
    assert.equal(runner.wasBodyAccepted, false)
  }
})

test('UploadPart without a length is 411', async (t) => {
  const { part } = await start(t)
  await assert.rejects(part(1, { body: Readable.from([]) }), isS3Error('MissingContentLength'))
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

test('CompleteMultipartUpload returns InvalidArgument for a malformed or empty body', async (t) => {
  const { part, runner, onUpload, complete } = await start(t)
  await part(1, { body: 'one' })
  const list = (inner: string) => `<CompleteMultipartUpload>${inner}</CompleteMultipartUpload>`
  const etag = `<ETag>${md5('one')}</ETag>`
  const bodies = [
    '',
    'no XML',
    '<Delete/>',
    list(''),
    list('<Part/>'),
    list(`<Part>${etag}</Part>`),
    list('<Part><PartNumber>1</PartNumber></Part>'),
    list(`<Part><PartNumber>one</PartNumber>${etag}</Part>`),
    list(`<Part><PartNumber>0</PartNumber>${etag}</Part>`),
    list(`<Part><PartNumber>10001</PartNumber>${etag}</Part>`),
    list(`<Part><PartNumber>1</PartNumber>${etag}${etag}</Part>`),
    list(`<Part><PartNumber>1</PartNumber>${etag}</Part>`).slice(0, -3),
    '<!DOCTYPE a [<!ENTITY b "c">]><CompleteMultipartUpload/>',
  ]
  for (const body of bodies) {
    const attempt = runner.run(completeMultipartUpload, { query: onUpload, body })
    await assert.rejects(attempt, isS3Error('InvalidArgument'), body)
  }
  const huge = list(' '.repeat(4 * 1024 * 1024))
  await assert.rejects(
    runner.run(completeMultipartUpload, { query: onUpload, body: huge }),
    isS3Error('MaxMessageLengthExceeded'),
  )
  await complete(['one'])
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

test('UploadPartCopy copies whole objects and ranges', async (t) => {
  const { partCopy, runner, complete, drive } = await start(t)
  await runner.run(putObject, { key: 'source', body: 'hello world' })
  const source = { 'x-amz-copy-source': '/b/source' }
  const reply = await partCopy(1, source)
  assert.equal(elementOf(reply, 'ETag'), `"${md5('hello world')}"`)
  await partCopy(2, { ...source, 'x-amz-copy-source-range': 'bytes=0-4' })
  await partCopy(3, { ...source, 'x-amz-copy-source-range': 'bytes=10-10' })
  await complete(['hello world', 'hello', 'd'])
  assert.equal(await textOf(drive), 'hello worldhellod')
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

test('AbortMultipartUpload returns 204 and deletes the upload', async (t) => {
  const { part, runner, onUpload, list } = await start(t)
  await part(1, { body: 'one' })
  assert.deepEqual(await runner.run(abortMultipartUpload, { query: onUpload }), {
    status: 204,
    headers: [],
  })
  await assert.rejects(list(), isS3Error('NoSuchUpload'))
  await assert.rejects(part(2, { body: 'two' }), isS3Error('NoSuchUpload'))
  await assert.rejects(
    runner.run(abortMultipartUpload, { query: onUpload }),
    isS3Error('NoSuchUpload'),
  )
})

test('ListParts returns NextPartNumberMarker on every page', async (t) => {
  const { part, list, uploadId } = await start(t)
  for (const number of [1, 2, 3]) await part(number, { body: `part ${number}` })
  const numbers = (text: unknown) =>
    [...String(text).matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number))
  const first = await list('&max-parts=2')
  assert.deepEqual(numbers(first.body), [1, 2])
  assert.equal(elementOf(first, 'IsTruncated'), 'true')
  assert.equal(elementOf(first, 'NextPartNumberMarker'), '2')
  assert.equal(elementOf(first, 'UploadId'), uploadId)
  assert.equal(elementOf(first, 'Size'), '6')
  assert.equal(elementOf(first, 'ETag'), `"${md5('part 1')}"`)
  const second = await list('&max-parts=2&part-number-marker=2')
  assert.deepEqual(numbers(second.body), [3])
  assert.equal(elementOf(second, 'IsTruncated'), 'false')
  assert.equal(elementOf(second, 'NextPartNumberMarker'), '3')
  const beyond = await list('&part-number-marker=7')
  assert.deepEqual(numbers(beyond.body), [])
  assert.equal(elementOf(beyond, 'NextPartNumberMarker'), '7')
  assert.equal(elementOf(beyond, 'MaxParts'), '1000')
})

test('ListParts refuses markers and limits that are not integers in range', async (t) => {
  const { list } = await start(t)
  const queries = ['max-parts=0', 'max-parts=1001', 'max-parts=x', 'part-number-marker=-1']
  for (const query of [...queries, 'part-number-marker=x', 'encoding-type=base64']) {
    await assert.rejects(list(`&${query}`), isS3Error('InvalidArgument'), query)
  }
})
