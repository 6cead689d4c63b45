import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import { headBucket } from '../../../../../src/storage/s3/operations/bucket.ts'
import { listBuckets } from '../../../../../src/storage/s3/operations/list-buckets.ts'
import { listObjectVersions } from '../../../../../src/storage/s3/operations/list-objects.ts'
import { bodyOf, contextOf, FakeDrive, fakeObject } from '../read-fixture.ts'

const drive = new FakeDrive({ a: fakeObject('1'), 'b/1': fakeObject('22'), c: fakeObject('') })
const parser = new XMLParser({
  parseTagValue: false,
  isArray: (_name, path) => /(^|\.)(Buckets\.Bucket|Version|CommonPrefixes)$/.test(String(path)),
})

test('HeadBucket fails when the drive does not respond', async () => {
  const broken = new FakeDrive({})
  broken.bucketCreatedAtMs = () => Promise.reject(new Error('unplugged'))
  await assert.rejects(headBucket(contextOf(broken)), /unplugged/)
})

async function buckets(query: string) {
  const reply = await listBuckets(contextOf(drive, { query }))
  const { ListAllMyBucketsResult: result } = parser.parse(await bodyOf(reply))
  const found: { Name: string }[] = result.Buckets.Bucket ?? []
  return { result, names: found.map(({ Name }) => Name) }
}

test('ListBuckets filters by prefix and region', async () => {
  const { result, names } = await buckets('prefix=ar')
  assert.deepEqual([names, result.Prefix], [['archive'], 'ar'])
  assert.deepEqual((await buckets('bucket-region=us-east-1')).names.length, 2)
  assert.deepEqual((await buckets('bucket-region=eu-west-1')).names, [])
})

async function versions(query: string) {
  const reply = await listObjectVersions(contextOf(drive, { query }))
  return parser.parse(await bodyOf(reply)).ListVersionsResult
}

test('ListObjectVersions pages over objects and common prefixes', async () => {
  const first = await versions('versions&delimiter=/&max-keys=1')
  assert.deepEqual([first.NextKeyMarker, first.NextVersionIdMarker], ['a', 'null'])
  const second = await versions(
    'versions&delimiter=/&max-keys=1&key-marker=a&version-id-marker=null',
  )
  assert.deepEqual([second.NextKeyMarker, second.NextVersionIdMarker], ['b/', undefined])
  assert.deepEqual(second.CommonPrefixes, [{ Prefix: 'b/' }])
  const third = await versions('versions&delimiter=/&max-keys=1&key-marker=b/')
  assert.deepEqual([third.Version[0].Key, third.IsTruncated], ['c', 'false'])
})

test('ListBuckets pages', async () => {
  const first = await buckets('max-buckets=1')
  assert.deepEqual(first.names, ['archive'])
  const token = first.result.ContinuationToken
  const second = await buckets(`max-buckets=1&continuation-token=${token}`)
  assert.deepEqual(second.names, ['b'])
  assert.equal(second.result.ContinuationToken, undefined)
})
