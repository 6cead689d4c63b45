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

test('GetObject refuses unsigned overrides before it opens the object', async () => {
  const drive = newDrive()
  const context = contextOf(drive, { query: 'response-expires=x', isSigned: false })
  await assert.rejects(async () => getObject(context), isS3Error('InvalidRequest'))
  assert.equal(drive.opened, 0)
})

test('GetObject closes a small object when reading fails', async () => {
  const drive = newDrive()
  drive.failsAfterBytes = 0
  await assert.rejects(async () => getObject(contextOf(drive)), {
    name: 'DriveError',
    kind: 'changed',
  })
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
    await Promise.resolve(getObject(contextOf(drive, { headers }))).catch(() => undefined)
    assert.deepEqual(opened, [wanted])
  }
})
