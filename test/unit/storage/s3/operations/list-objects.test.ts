import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import type { BucketContext, Operation } from '../../../../../src/storage/s3/context.ts'
import {
  listObjects,
  listObjectsV2,
} from '../../../../../src/storage/s3/operations/list-objects.ts'
import { bodyOf, contextOf, FakeDrive, fakeObject, isS3Error } from '../read-fixture.ts'

const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'Contents' || name === 'CommonPrefixes',
})

async function list(operation: Operation<BucketContext>, keys: readonly string[], query = '') {
  const drive = new FakeDrive(Object.fromEntries(keys.map((key) => [key, fakeObject(key)])))
  const reply = await operation(contextOf(drive, { query }))
  assert.equal(reply.status, 200)
  const { ListBucketResult } = parser.parse(await bodyOf(reply))
  return ListBucketResult as Record<string, unknown>
}

const object = (key: string) => ({
  Key: key,
  LastModified: '2025-01-01T12:00:00.000Z',
  ETag: '&quot;abc&quot;'.replaceAll('&quot;', '"'),
  Size: String(Buffer.byteLength(key)),
  StorageClass: 'STANDARD',
})
const owner = { ID: 'bucketry', DisplayName: 'bucketry' }

// docs/contract/object-storage.md, "Bucket operations".
test('ListObjects returns every specified element, and the owner', async () => {
  assert.deepEqual(await list(listObjects, ['a', 'b/c']), {
    Name: 'b',
    Prefix: '',
    Marker: '',
    MaxKeys: '1000',
    IsTruncated: 'false',
    Contents: [
      { ...object('a'), Owner: owner },
      { ...object('b/c'), Owner: owner },
    ],
  })
})

test('ListObjects returns NextMarker with a delimiter, and its pages have no gap', async () => {
  const keys = ['a', 'b/1', 'b/2', 'c']
  const first = await list(listObjects, keys, 'delimiter=/&max-keys=2')
  assert.equal(first.NextMarker, 'b/')
  assert.equal(first.IsTruncated, 'true')
  assert.deepEqual(first.CommonPrefixes, [{ Prefix: 'b/' }])
  const second = await list(listObjects, keys, 'delimiter=/&max-keys=2&marker=b/')
  assert.equal(second.Marker, 'b/')
  assert.equal(second.CommonPrefixes, undefined)
  assert.deepEqual(second.Contents, [{ ...object('c'), Owner: owner }])
})

test('ListObjects returns no NextMarker without a delimiter, as AWS documents', async () => {
  const page = await list(listObjects, ['a', 'b'], 'max-keys=1')
  assert.deepEqual([page.IsTruncated, page.NextMarker], ['true', undefined])
})

test('ListObjectsV2 returns the documented elements, without the owner', async () => {
  assert.deepEqual(await list(listObjectsV2, ['a', 'b/c'], 'list-type=2&delimiter=/'), {
    Name: 'b',
    Prefix: '',
    KeyCount: '2',
    MaxKeys: '1000',
    Delimiter: '/',
    IsTruncated: 'false',
    Contents: [object('a')],
    CommonPrefixes: [{ Prefix: 'b/' }],
  })
})

test('ListObjectsV2 returns the owner with fetch-owner=true', async () => {
  const page = await list(listObjectsV2, ['a'], 'fetch-owner=true')
  assert.deepEqual(page.Contents, [{ ...object('a'), Owner: owner }])
})

test('ListObjectsV2 continues after its token, past deleted keys, whatever start-after is', async () => {
  const first = await list(listObjectsV2, ['a', 'b', 'c'], 'max-keys=2&start-after=A')
  assert.equal(first.StartAfter, 'A')
  const token = String(first.NextContinuationToken)
  const second = await list(
    listObjectsV2,
    ['a', 'c'],
    `max-keys=2&start-after=A&continuation-token=${token}`,
  )
  assert.equal(second.ContinuationToken, token)
  assert.deepEqual(second.Contents, [object('c')])
  assert.equal(second.NextContinuationToken, undefined)
})

test('ListObjectsV2 begins after start-after', async () => {
  const page = await list(listObjectsV2, ['a', 'b'], 'start-after=a')
  assert.deepEqual([page.StartAfter, page.KeyCount], ['a', '1'])
})

test('ListObjectsV2 refuses an invalid token', async () => {
  await assert.rejects(
    list(listObjectsV2, [], 'continuation-token=x'),
    isS3Error('InvalidArgument', { ArgumentName: 'continuation-token' }),
  )
})

test('ListObjects and ListObjectsV2 percent-encode every name with encoding-type=url', async () => {
  const query = 'encoding-type=url&prefix=a%20&delimiter=%2B'
  const v1 = await list(listObjects, ['a 1', 'a x+1', 'a y+1'], `${query}&max-keys=2&marker=a%20`)
  assert.deepEqual(
    [v1.Prefix, v1.Delimiter, v1.Marker, v1.NextMarker, v1.EncodingType],
    ['a%20', '%2B', 'a%20', 'a%20x%2B', 'url'],
  )
  assert.deepEqual(v1.CommonPrefixes, [{ Prefix: 'a%20x%2B' }])
  const v2 = await list(listObjectsV2, ['a 1'], `${query}&start-after=a%20`)
  assert.deepEqual([v2.Prefix, v2.StartAfter], ['a%20', 'a%20'])
  assert.equal((v2.Contents as { Key: string }[])[0]?.Key, 'a%201')
})

test('ListObjects of max-keys=0 is empty and not truncated', async () => {
  const page = await list(listObjects, ['a'], 'max-keys=0')
  assert.deepEqual([page.MaxKeys, page.IsTruncated, page.Contents], ['0', 'false', undefined])
})

test('ListObjects limits max-keys to 1000 and refuses an invalid count', async () => {
  assert.equal((await list(listObjects, [], 'max-keys=5000')).MaxKeys, '1000')
  await assert.rejects(list(listObjects, [], 'max-keys=-1'), isS3Error('InvalidArgument'))
  await assert.rejects(list(listObjectsV2, [], 'max-keys=x'), isS3Error('InvalidArgument'))
})

test('ListObjects treats an empty delimiter as none', async () => {
  const page = await list(listObjects, ['a/b'], 'delimiter=')
  assert.equal(page.Delimiter, undefined)
  assert.equal((page.Contents as unknown[]).length, 1)
})

test('ListObjects escapes keys for XML', async () => {
  const drive = new FakeDrive({ '<&>"\n': fakeObject('') })
  const body = await bodyOf(await listObjects(contextOf(drive)))
  assert.ok(body.includes('<Key>&lt;&amp;&gt;"&#xA;</Key>'), body)
})
