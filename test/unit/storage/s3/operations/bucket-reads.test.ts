import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import { getBucketLocation, headBucket } from '../../../../../src/storage/s3/operations/bucket.ts'
import { listBuckets } from '../../../../../src/storage/s3/operations/list-buckets.ts'
import { listObjectVersions } from '../../../../../src/storage/s3/operations/list-objects.ts'
import { listMultipartUploads } from '../../../../../src/storage/s3/operations/list-uploads.ts'
import { bodyOf, contextOf, FakeDrive, fakeObject, headersOf, isS3Error } from '../read-fixture.ts'

const drive = new FakeDrive({ a: fakeObject('1'), 'b/1': fakeObject('22'), c: fakeObject('') })
const parser = new XMLParser({
  parseTagValue: false,
  isArray: (_name, path) => /(^|\.)(Buckets\.Bucket|Version|CommonPrefixes)$/.test(String(path)),
})

test('HeadBucket answers 200 with the region and no body', async () => {
  const reply = await headBucket(contextOf(drive, { region: 'eu-west-1' }))
  assert.deepEqual([reply.status, reply.body], [200, undefined])
  assert.equal(headersOf(reply)['x-amz-bucket-region'], 'eu-west-1')
})

test('HeadBucket fails when the drive does not respond', async () => {
  const broken = new FakeDrive({})
  broken.bucketCreatedAtMs = () => Promise.reject(new Error('unplugged'))
  await assert.rejects(headBucket(contextOf(broken)), /unplugged/)
})

test('GetBucketLocation returns the region, and an empty element for us-east-1', async () => {
  const there = await bodyOf(await getBucketLocation(contextOf(drive, { region: 'eu-west-1' })))
  assert.match(there, /<LocationConstraint xmlns="[^"]+">eu-west-1<\/LocationConstraint>$/)
  const here = await bodyOf(await getBucketLocation(contextOf(drive)))
  assert.match(here, /<LocationConstraint xmlns="[^"]+"><\/LocationConstraint>$/)
})

async function buckets(query: string) {
  const reply = await listBuckets(contextOf(drive, { query }))
  const { ListAllMyBucketsResult: result } = parser.parse(await bodyOf(reply))
  const found: { Name: string }[] = result.Buckets.Bucket ?? []
  return { result, names: found.map(({ Name }) => Name) }
}

test('ListBuckets returns all buckets in order with their dates, and the owner', async () => {
  const { result, names } = await buckets('')
  assert.deepEqual(names, ['archive', 'b'])
  assert.equal(result.Owner.ID, 'bucketry')
  assert.equal(result.Buckets.Bucket[0].CreationDate, '2025-01-01T12:00:00.000Z')
  assert.equal(result.ContinuationToken, undefined)
})

test('ListBuckets pages', async () => {
  const first = await buckets('max-buckets=1')
  assert.deepEqual(first.names, ['archive'])
  const token = first.result.ContinuationToken
  const second = await buckets(`max-buckets=1&continuation-token=${token}`)
  assert.deepEqual(second.names, ['b'])
  assert.equal(second.result.ContinuationToken, undefined)
})

test('ListBuckets filters by prefix and region', async () => {
  const { result, names } = await buckets('prefix=ar')
  assert.deepEqual([names, result.Prefix], [['archive'], 'ar'])
  assert.deepEqual((await buckets('bucket-region=us-east-1')).names.length, 2)
  assert.deepEqual((await buckets('bucket-region=eu-west-1')).names, [])
})

test('ListBuckets refuses max-buckets of 0', async () => {
  await assert.rejects(buckets('max-buckets=0'), isS3Error('InvalidArgument'))
})

async function uploads(query: string) {
  const reply = await listMultipartUploads(contextOf(drive, { query }))
  return parser.parse(await bodyOf(reply)).ListMultipartUploadsResult
}

// docs/contract/object-storage.md, "ListMultipartUploads".
test('ListMultipartUploads is empty and has every specified element', async () => {
  assert.deepEqual(await uploads('uploads'), {
    Bucket: 'b',
    KeyMarker: '',
    UploadIdMarker: '',
    NextKeyMarker: '',
    NextUploadIdMarker: '',
    MaxUploads: '1000',
    IsTruncated: 'false',
  })
})

test('ListMultipartUploads repeats the parameters of the request', async () => {
  const result = await uploads(
    'uploads&max-uploads=5&prefix=a%20b&delimiter=/&key-marker=k&upload-id-marker=u&encoding-type=url',
  )
  assert.deepEqual(
    [result.MaxUploads, result.Prefix, result.Delimiter, result.KeyMarker, result.UploadIdMarker],
    ['5', 'a%20b', '/', 'k', 'u'],
  )
})

test('ListMultipartUploads refuses max-uploads of 0', async () => {
  await assert.rejects(uploads('max-uploads=0'), isS3Error('InvalidArgument'))
})

async function versions(query: string) {
  const reply = await listObjectVersions(contextOf(drive, { query }))
  return parser.parse(await bodyOf(reply)).ListVersionsResult
}

test('ListObjectVersions lists every object as one version, null', async () => {
  const result = await versions('versions')
  assert.deepEqual(
    result.Version.map((version: Record<string, unknown>) => version.Key),
    ['a', 'b/1', 'c'],
  )
  assert.deepEqual(result.Version[1], {
    Key: 'b/1',
    VersionId: 'null',
    IsLatest: 'true',
    LastModified: '2025-01-01T12:00:00.000Z',
    ETag: '"abc"',
    Size: '2',
    StorageClass: 'STANDARD',
    Owner: { ID: 'bucketry', DisplayName: 'bucketry' },
  })
})

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

test('ListObjectVersions refuses a version marker without a key marker', async () => {
  await assert.rejects(versions('version-id-marker=null'), isS3Error('InvalidArgument'))
})
