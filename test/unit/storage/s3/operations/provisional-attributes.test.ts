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

const text = '0123456789'
/** The ETag of `fakeObject`, provisional. */
const madeUp = '"abc"'
const real = '"781e5e245d69b566979b86e28d23f2c7"'
const later = 'Thu, 02 Jan 2025 12:00:00 GMT'
const earlier = 'Tue, 31 Dec 2024 12:00:00 GMT'

function newDrive(): FakeDrive {
  return new FakeDrive({ k: fakeObject(text, { isProvisional: true }) })
}

async function get(request: FakeRequest) {
  const reply = await getObject(contextOf(newDrive(), request))
  const body = reply.body === undefined ? '' : String(await bodyOf(reply))
  return { status: reply.status, headers: headersOf(reply), body }
}

test('A reply with provisional attributes is marked, and no cache may keep it', async () => {
  const { status, headers, body } = await get({})
  assert.deepEqual([status, body], [200, text])
  assert.equal(headers['x-bucketry-attributes'], 'unavailable')
  assert.equal(headers['cache-control'], 'no-store')
  const head = headersOf(await headObject(contextOf(newDrive(), {})))
  assert.equal(head['x-bucketry-attributes'], 'unavailable')
  const asked = await get({ query: 'response-cache-control=max-age%3D9', isSigned: true })
  assert.equal(asked.headers['cache-control'], 'max-age=9')
})

for (const [name, headers, expected] of [
  ['If-None-Match', { 'if-none-match': real }, [200, text]],
  ['If-None-Match with the provisional ETag', { 'if-none-match': madeUp }, [200, text]],
  ['If-None-Match with a date', { 'if-none-match': real, 'if-modified-since': later }, [200, text]],
  ['If-None-Match: *', { 'if-none-match': '*' }, [304, '']],
  ['If-Match: *', { 'if-match': '*' }, [200, text]],
  ['If-Match with the provisional ETag', { 'if-match': madeUp }, [200, text]],
  ['If-Modified-Since', { 'if-modified-since': later }, [304, '']],
  ['If-Modified-Since of an older version', { 'if-modified-since': earlier }, [200, text]],
  ['If-Unmodified-Since', { 'if-unmodified-since': later }, [200, text]],
  ['Range', { range: 'bytes=2-4' }, [206, '234']],
  ['Range with If-Range', { range: 'bytes=2-4', 'if-range': real }, [200, text]],
  [
    'Range with If-Range and a date',
    { range: 'bytes=2-4', 'if-range': lastModified },
    [206, '234'],
  ],
] as const) {
  test(`Without attributes, ${name} gets ${expected[0]}`, async () => {
    const { status, body, headers: fields } = await get({ headers })
    assert.deepEqual([status, body], expected)
    assert.equal(fields['x-bucketry-attributes'], 'unavailable')
    if (status === 304) assert.equal(fields.etag, undefined)
  })
}

test('Without attributes, what depends on them is refused for now', async () => {
  for (const request of [
    { headers: { 'if-match': real } },
    { headers: { 'if-match': real, 'if-none-match': '*' } },
    { query: 'partNumber=1' },
  ]) {
    await assert.rejects(get(request), isS3Error('ServiceUnavailable'))
  }
  const old = get({ headers: { 'if-unmodified-since': earlier } })
  await assert.rejects(old, isS3Error('PreconditionFailed'))
})
