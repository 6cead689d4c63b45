import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getObject, headObject } from '../../../../../src/storage/s3/operations/get-object.ts'
import {
  bodyOf,
  contextOf,
  FakeDrive,
  type FakeRequest,
  fakeObject,
  headersOf,
  isS3Error,
  lastModified,
} from '../read-fixture.ts'

const bigText = '0123456789'.repeat(20_000)

function newDrive(): FakeDrive {
  return new FakeDrive({
    k: fakeObject('0123456789', {
      headers: { 'content-type': 'text/plain', 'cache-control': 'max-age=1', expires: 'later' },
      metadata: { colour: 'red' },
      checksum: { algorithm: 'CRC32', value: 'AAAAAA==', type: 'FULL_OBJECT' },
    }),
    empty: fakeObject(''),
    parts: fakeObject('0123456789abc', {
      etag: 'abc-3',
      checksum: { algorithm: 'SHA256', value: 'x-3', type: 'COMPOSITE' },
      partSizes: [
        [2, 5],
        [1, 3],
      ],
    }),
    'parts with checksums': fakeObject('0123456789abc', {
      etag: 'abc-3',
      checksum: { algorithm: 'SHA256', value: 'x-3', type: 'COMPOSITE' },
      partSizes: [
        [2, 5],
        [1, 3],
      ],
      partChecksums: ['one', 'two', 'three'],
    }),
    big: fakeObject(bigText),
  })
}

async function get(request: FakeRequest) {
  const drive = newDrive()
  const reply = await getObject(contextOf(drive, request))
  const body = await bodyOf(reply)
  assert.equal(drive.openCount, 0, 'the object is closed')
  return { status: reply.status, headers: headersOf(reply), body }
}

async function refused(request: FakeRequest): Promise<never> {
  const drive = newDrive()
  try {
    await getObject(contextOf(drive, request))
  } catch (error) {
    assert.equal(drive.openCount, 0, 'the object is closed')
    throw error
  }
  assert.fail('the read was not refused')
}

test('GetObject returns the bytes with every header that S3 keeps', async () => {
  const { status, headers, body } = await get({})
  assert.equal(status, 200)
  assert.equal(body, '0123456789')
  const { 'content-security-policy': policy, ...rest } = headers
  assert.ok(policy?.startsWith('sandbox;'))
  assert.deepEqual(rest, {
    'last-modified': lastModified,
    etag: '"abc"',
    'accept-ranges': 'bytes',
    'content-type': 'text/plain',
    'x-content-type-options': 'nosniff',
    'cache-control': 'max-age=1',
    expires: 'later',
    'x-amz-meta-colour': 'red',
  })
})

test('GetObject returns binary/octet-stream for an object without a content type', async () => {
  const { headers } = await get({ key: 'empty' })
  assert.equal(headers['content-type'], 'binary/octet-stream')
})

test('GetObject returns NoSuchKey with the key for a missing object', async () => {
  await assert.rejects(refused({ key: 'no' }), isS3Error('NoSuchKey', { Key: 'no' }))
})

test('GetObject streams a big object whole', async () => {
  const { status, body } = await get({ key: 'big' })
  assert.equal(status, 200)
  assert.ok(body === bigText)
})

test('GetObject returns 206 for a range, a suffix and an open range', async () => {
  for (const [range, body, contentRange] of [
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
  ] as const) {
    const reply = await get({ headers: { range } })
    assert.equal(reply.status, 206)
    assert.equal(reply.body, body)
    assert.equal(reply.headers['content-range'], contentRange)
  }
})

test('GetObject returns the whole object for several ranges', async () => {
  const { status, body } = await get({ headers: { range: 'bytes=0-1,3-4' } })
  assert.deepEqual([status, body], [200, '0123456789'])
})

test('GetObject of an unsatisfiable range is InvalidRange with Content-Range', async () => {
  await assert.rejects(refused({ headers: { range: 'bytes=10-' } }), (error: unknown) => {
    isS3Error('InvalidRange', { RangeRequested: 'bytes=10-', ActualObjectSize: '10' })(error)
    assert.deepEqual((error as { headers: object }).headers, { 'Content-Range': 'bytes */10' })
    return true
  })
})

test('GetObject of an empty object has an empty body and refuses every range', async () => {
  const { status, body } = await get({ key: 'empty' })
  assert.deepEqual([status, body], [200, ''])
  await assert.rejects(
    refused({ key: 'empty', headers: { range: 'bytes=0-' } }),
    isS3Error('InvalidRange'),
  )
})

test('GetObject honours If-Range', async () => {
  const range = 'bytes=0-1'
  assert.equal((await get({ headers: { range, 'if-range': '"abc"' } })).status, 206)
  assert.equal((await get({ headers: { range, 'if-range': '"x"' } })).status, 200)
})

test('GetObject returns 304 without a body and with the headers that a cache needs', async () => {
  const { status, headers, body } = await get({ headers: { 'if-none-match': '"abc"' } })
  assert.deepEqual([status, body], [304, ''])
  assert.deepEqual(headers, {
    'last-modified': lastModified,
    etag: '"abc"',
    'cache-control': 'max-age=1',
    expires: 'later',
  })
})

test('GetObject returns PreconditionFailed with the name of the condition', async () => {
  await assert.rejects(
    refused({ headers: { 'if-match': '"x"' } }),
    isS3Error('PreconditionFailed', { Condition: 'If-Match' }),
  )
  await assert.rejects(
    refused({ headers: { 'if-unmodified-since': 'Tue, 31 Dec 2024 00:00:00 GMT' } }),
    isS3Error('PreconditionFailed', { Condition: 'If-Unmodified-Since' }),
  )
})

test('GetObject checks conditions before the range', async () => {
  const headers = { 'if-none-match': '"abc"', range: 'bytes=99-' }
  assert.equal((await get({ headers })).status, 304)
})

test('GetObject returns a part of a multipart object', async () => {
  const { status, headers, body } = await get({ key: 'parts', query: 'partNumber=2' })
  assert.deepEqual([status, body], [206, '56789'])
  assert.equal(headers['content-range'], 'bytes 5-9/13')
  assert.equal(headers['x-amz-mp-parts-count'], '3')
})

test('GetObject returns an object without parts as its part 1', async () => {
  const { status, headers, body } = await get({ query: 'partNumber=1' })
  assert.deepEqual([status, body], [206, '0123456789'])
  assert.equal(headers['content-range'], 'bytes 0-9/10')
  assert.equal(headers['x-amz-mp-parts-count'], undefined)
})

test('GetObject of part 1 of an empty object is 200 and empty', async () => {
  const { status, headers, body } = await get({ key: 'empty', query: 'partNumber=1' })
  assert.deepEqual([status, body], [200, ''])
  assert.equal(headers['content-range'], undefined)
})

test('GetObject returns InvalidPartNumber for a missing part', async () => {
  await assert.rejects(
    refused({ key: 'parts', query: 'partNumber=4' }),
    isS3Error('InvalidPartNumber', { PartNumberRequested: '4', ActualPartCount: '3' }),
  )
  await assert.rejects(refused({ query: 'partNumber=2' }), isS3Error('InvalidPartNumber'))
})

for (const text of ['0', '-1', '10001', '1.5', 'x', '']) {
  test(`GetObject of partNumber "${text}" is InvalidArgument`, async () => {
    await assert.rejects(refused({ query: `partNumber=${text}` }), isS3Error('InvalidArgument'))
  })
}

test('GetObject of a part with a Range is InvalidRequest', async () => {
  await assert.rejects(
    refused({ query: 'partNumber=1', headers: { range: 'bytes=0-1' } }),
    isS3Error('InvalidRequest'),
  )
})

test('GetObject with partNumber returns the checksum of the part', async () => {
  const mode = { 'x-amz-checksum-mode': 'ENABLED' }
  const key = 'parts with checksums'
  for (const [index, value] of ['one', 'two', 'three'].entries()) {
    const { headers } = await get({ key, headers: mode, query: `partNumber=${index + 1}` })
    assert.equal(headers['x-amz-checksum-sha256'], value)
    assert.equal(headers['x-amz-checksum-type'], 'COMPOSITE')
  }
  const whole = await get({ key, headers: mode })
  assert.equal(whole.headers['x-amz-checksum-sha256'], 'x-3')
})

test('GetObject returns the requested checksum, and only its type for a part without one', async () => {
  const mode = { 'x-amz-checksum-mode': 'ENABLED' }
  const whole = await get({ headers: mode })
  assert.equal(whole.headers['x-amz-checksum-crc32'], 'AAAAAA==')
  assert.equal(whole.headers['x-amz-checksum-type'], 'FULL_OBJECT')
  const range = await get({ headers: { ...mode, range: 'bytes=0-1' } })
  assert.equal(range.headers['x-amz-checksum-crc32'], undefined)
  const part = await get({ key: 'parts', headers: mode, query: 'partNumber=1' })
  assert.equal(part.headers['x-amz-checksum-sha256'], undefined)
  assert.equal(part.headers['x-amz-checksum-type'], 'COMPOSITE')
  const unasked = await get({ key: 'parts', query: 'partNumber=1' })
  assert.equal(unasked.headers['x-amz-checksum-type'], undefined)
  const without = await get({ key: 'big', headers: mode })
  assert.equal(without.headers['x-amz-checksum-type'], undefined)
})

test('GetObject overrides headers, and the security policy follows the content type sent', async () => {
  const { headers } = await get({
    query: 'response-content-type=application/pdf&response-content-disposition=attachment',
  })
  assert.equal(headers['content-type'], 'application/pdf')
  assert.equal(headers['content-disposition'], 'attachment')
  assert.doesNotMatch(headers['content-security-policy'] ?? '', /sandbox/)
})

test('GetObject refuses unsigned overrides before it opens the object', async () => {
  const drive = newDrive()
  const context = contextOf(drive, { query: 'response-expires=x', isSigned: false })
  await assert.rejects(getObject(context), isS3Error('InvalidRequest'))
  assert.equal(drive.opened, 0)
})

test('GetObject refuses customer encryption keys', async () => {
  const headers = { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' }
  await assert.rejects(refused({ headers }), isS3Error('InvalidRequest'))
})

test('GetObject closes a small object when reading fails', async () => {
  const drive = newDrive()
  drive.failsAfterBytes = 0
  await assert.rejects(getObject(contextOf(drive)), { name: 'DriveError', kind: 'changed' })
  assert.equal(drive.openCount, 0)
})

for (const key of ['k', 'big']) {
  test(`GetObject retries when an object is overwritten before a byte is sent: ${key}`, async () => {
    const drive = newDrive()
    drive.failsAfterBytes = 0
    const open = drive.open.bind(drive)
    drive.open = (...args) => {
      if (drive.opened === 2) drive.failsAfterBytes = Number.POSITIVE_INFINITY
      return open(...args)
    }
    const reply = await getObject(contextOf(drive, { key }))
    assert.equal(reply.status, 200)
    assert.equal(await bodyOf(reply), key === 'big' ? bigText : '0123456789')
    assert.deepEqual([drive.opened, drive.openCount], [3, 0])
  })
}

test('GetObject closes a stream that fails in the middle', async () => {
  const drive = newDrive()
  drive.failsAfterBytes = 50_000
  const reply = await getObject(contextOf(drive, { key: 'big' }))
  await assert.rejects(bodyOf(reply), { name: 'DriveError' })
  assert.equal(drive.openCount, 0)
})

test('GetObject closes a stream when its reader stops', async () => {
  const drive = newDrive()
  const { body } = await getObject(contextOf(drive, { key: 'big' }))
  assert.ok(typeof body === 'object' && 'lend' in body)
  const gone = new Error('gone')
  let lent = 0
  const leave = async (): Promise<void> => {
    lent++
    throw gone
  }
  await assert.rejects(body.lend(leave), (error) => error === gone)
  assert.equal(lent, 1)
  await body.close()
  assert.equal(drive.openCount, 0)
})

test('GetObject closes an unread stream when the client disconnects', async () => {
  const drive = newDrive()
  const client = new AbortController()
  await getObject(contextOf(drive, { key: 'big', signal: client.signal }))
  assert.equal(drive.openCount, 1)
  client.abort()
  assert.equal(drive.openCount, 0)
})

test('GetObject closes the object when the client disconnects before the reply', async () => {
  const drive = newDrive()
  await getObject(contextOf(drive, { key: 'big', signal: AbortSignal.abort() }))
  assert.equal(drive.openCount, 0)
})

test('HeadObject returns the headers of GetObject without opening the object', async () => {
  for (const request of [
    {},
    { headers: { range: 'bytes=2-4' } },
    { key: 'parts', query: 'partNumber=3' },
    { key: 'empty' },
    { headers: { 'x-amz-checksum-mode': 'ENABLED' } },
    { headers: { 'if-none-match': '"abc"' } },
  ] satisfies FakeRequest[]) {
    const drive = newDrive()
    const reply = await headObject(contextOf(drive, request))
    const { 'content-length': length, ...headers } = headersOf(reply)
    const expected = await get(request)
    assert.equal(reply.body, undefined)
    assert.deepEqual([reply.status, headers], [expected.status, expected.headers])
    assert.equal(length, reply.status === 304 ? undefined : String(expected.body.length))
    assert.equal(drive.opened, 0)
  }
})

test('HeadObject of a missing key is NoSuchKey', async () => {
  await assert.rejects(headObject(contextOf(newDrive(), { key: 'no' })), isS3Error('NoSuchKey'))
})

test('GetObject requests low priority from the drive for unsigned requests', async () => {
  for (const [isSigned, priority] of [
    [true, 'normal'],
    [false, 'low'],
  ] as const) {
    const drive = newDrive()
    await getObject(contextOf(drive, { isSigned }))
    assert.equal(drive.priority, priority)
  }
})

test('GetObject tells the drive which bytes the reply will have', async () => {
  const all = { start: 0, end: Number.POSITIVE_INFINITY }
  for (const [headers, wanted] of [
    [{}, all],
    [{ range: 'bytes=2-4' }, { start: 2, end: 5 }],
    [{ range: 'bytes=-3' }, { ...all, start: -3 }],
    [{ range: 'bytes=-0' }, undefined],
    // More digits than a number has exactly.
    [{ range: 'bytes=-99999999999999999999999' }, undefined],
    [
      { range: 'bytes=2-', 'if-range': '"abc"' },
      { ...all, start: 2 },
    ],
    [{ 'if-none-match': '"other"' }, undefined],
  ] as const) {
    const drive = newDrive()
    const opened: unknown[] = []
    const open = drive.open.bind(drive)
    drive.open = (bucket, key, options) => {
      opened.push(options?.wanted)
      return open(bucket, key, options)
    }
    await getObject(contextOf(drive, { headers })).catch(() => undefined)
    assert.deepEqual(opened, [wanted])
  }
})
