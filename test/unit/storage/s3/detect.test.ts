import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from '../../../../src/storage/s3/address/query.ts'
import { compatibilityOf } from '../../../../src/storage/s3/compatibility.ts'
import { detectOperation, subresources } from '../../../../src/storage/s3/detect.ts'
import { S3Error } from '../../../../src/storage/s3/errors.ts'
import { operations } from '../../../../src/storage/s3/operations.ts'
import { sdkSubresources } from '../../../support/sdk-subresources.ts'

type Level = 'service' | 'bucket' | 'object'
const copy = { 'x-amz-copy-source': '/b/k' }

function outcome(
  level: Level,
  method: string,
  query: string,
  headers = {},
  bucketCreation: 'off' | 'existing' | 'on' = 'off',
): string {
  try {
    const settings = {
      ...({ bucketCreation, acls: 'refuse', serverSideEncryption: 'refuse' } as const),
      hasWebsites: false,
      compatibility: compatibilityOf.contract,
      isForm: false,
    }
    return detectOperation(level, { method, query: parseQuery(query), headers, ...settings })
  } catch (error) {
    assert.ok(error instanceof S3Error, String(error))
    return `${error.status} ${error.code}`
  }
}

const table: readonly [Level, string, string, string, object?][] = [
  ['service', 'GET', '', 'ListBuckets'],
  ['service', 'GET', 'max-buckets=2', 'ListBuckets'],
  ['service', 'PUT', '', '405 MethodNotAllowed'],
  ['service', 'HEAD', '', '405 MethodNotAllowed'],
  ['bucket', 'GET', '', 'ListObjects'],
  ['bucket', 'GET', 'prefix=a', 'ListObjects'],
  ['bucket', 'GET', 'list-type=2', 'ListObjectsV2'],
  ['bucket', 'GET', 'list-type=1', '400 InvalidArgument'],
  ['bucket', 'GET', 'location', 'GetBucketLocation'],
  ['bucket', 'GET', 'uploads', 'ListMultipartUploads'],
  ['bucket', 'GET', 'uploads&prefix=a', 'ListMultipartUploads'],
  ['bucket', 'GET', 'versions', 'ListObjectVersions'],
  ['bucket', 'GET', 'versioning', 'GetBucketVersioning'],
  ['bucket', 'GET', 'acl', 'BucketDefault'],
  ['bucket', 'HEAD', '', 'HeadBucket'],
  ['bucket', 'PUT', '', '405 MethodNotAllowed'],
  ['bucket', 'DELETE', '', '405 MethodNotAllowed'],
  ['bucket', 'POST', '', '405 MethodNotAllowed'],
  ['bucket', 'POST', 'delete', 'DeleteObjects'],
  ['bucket', 'PUT', 'versioning', '501 NotImplemented'],
  ['bucket', 'PUT', 'policy', '501 NotImplemented'],
  ['bucket', 'DELETE', 'lifecycle', '501 NotImplemented'],
  ['object', 'GET', '', 'GetObject'],
  ['object', 'GET', 'partNumber=1', 'GetObject'],
  ['object', 'GET', 'response-content-type=text%2Fplain', 'GetObject'],
  ['object', 'GET', 'x-id=GetObject', 'GetObject'],
  ['object', 'GET', 'uploadId=u', 'ListParts'],
  ['object', 'GET', 'attributes', 'GetObjectAttributes'],
  ['object', 'GET', 'acl', 'GetObjectAcl'],
  ['object', 'GET', 'tagging', 'GetObjectTagging'],
  ['object', 'GET', 'retention', 'GetObjectRetention'],
  ['object', 'HEAD', '', 'HeadObject'],
  ['object', 'PUT', '', 'PutObject'],
  ['object', 'PUT', 'x-id=PutObject', 'PutObject'],
  ['object', 'PUT', '', 'CopyObject', copy],
  ['object', 'PUT', 'uploadId=u&partNumber=1', 'UploadPart'],
  ['object', 'PUT', 'uploadId=u&partNumber=1', 'UploadPartCopy', copy],
  ['object', 'PUT', 'uploadId=u', '400 InvalidArgument'],
  ['object', 'PUT', 'partNumber=1', '400 InvalidArgument'],
  ['object', 'PUT', 'acl', '501 NotImplemented'],
  ['object', 'PUT', 'tagging', '501 NotImplemented'],
  ['object', 'PUT', 'retention', 'PutObjectRetention'],
  ['object', 'DELETE', '', 'DeleteObject'],
  ['object', 'DELETE', 'uploadId=u', 'AbortMultipartUpload'],
  ['object', 'DELETE', 'tagging', '501 NotImplemented'],
  ['object', 'POST', 'uploads', 'CreateMultipartUpload'],
  ['object', 'POST', 'uploadId=u', 'CompleteMultipartUpload'],
  ['object', 'POST', 'restore', '501 NotImplemented'],
  ['object', 'POST', 'select&select-type=2', '501 NotImplemented'],
  ['object', 'POST', '', '405 MethodNotAllowed'],
  ['object', 'PUT', 'uploads', '405 MethodNotAllowed'],
  ['object', 'PUT', 'attributes', '405 MethodNotAllowed'],
  ['object', 'DELETE', 'uploads', '405 MethodNotAllowed'],
  ['object', 'DELETE', 'attributes', '405 MethodNotAllowed'],
  ['object', 'GET', 'uploads', '405 MethodNotAllowed'],
  ['object', 'POST', 'attributes', '405 MethodNotAllowed'],
  ['object', 'GET', 'location', '405 MethodNotAllowed'],
  ['object', 'HEAD', 'acl', '405 MethodNotAllowed'],
  ['object', 'HEAD', 'partNumber=1', 'HeadObject'],
  ['object', 'DELETE', 'lifecycle', '501 NotImplemented'],
  ['object', 'DELETE', 'partNumber=1', '400 InvalidArgument'],
  ['object', 'GET', 'uploadId=u&attributes', '400 InvalidArgument'],
  ['bucket', 'GET', 'uploads&location', '400 InvalidArgument'],
  ['bucket', 'GET', 'delete', '405 MethodNotAllowed'],
  ['bucket', 'GET', 'events', '501 NotImplemented'],
  ['bucket', 'HEAD', 'location', '405 MethodNotAllowed'],
  ['service', 'GET', 'events', '501 NotImplemented'],
  ['service', 'GET', 'acl', '405 MethodNotAllowed'],
  ['service', 'GET', 'foo', 'ListBuckets'],
]

for (const [level, method, query, expected, headers] of table) {
  test(`${method} ${level}?${query}${headers ? ' with a copy source' : ''} is ${expected}`, () => {
    assert.equal(outcome(level, method, query, headers), expected)
  })
}

test('the table has every sub-resource of the newest AWS SDK, and its methods', () => {
  const ours = Object.entries(subresources).map(([name, levels]) => {
    const pairs = Object.entries(levels).flatMap(([level, methods]) =>
      methods.split(' ').map((method) => `${level} ${method}`),
    )
    return [name, pairs.sort()] as const
  })
  const theirs = [...sdkSubresources()].map(([name, pairs]) => [name, [...pairs].sort()] as const)
  const ofMinio = ['events', ['bucket GET', 'service GET']] as const
  assert.deepEqual(Object.fromEntries(ours), Object.fromEntries([...theirs, ofMinio]))
})

test('no operation has a parameter or method that the table lacks', () => {
  for (const [name, { level, method, parameter }] of Object.entries(operations)) {
    const at = level === 'newBucket' ? 'bucket' : level
    for (const subresource of [parameter ?? []].flat())
      assert.ok(subresources[subresource]?.[at]?.split(' ').includes(method), name)
  }
})

test('CORS and lifecycle rules can be set only if that is allowed', () => {
  for (const [method, query, name] of [
    ['PUT', 'cors', 'PutBucketCors'],
    ['DELETE', 'cors', 'DeleteBucketCors'],
    ['PUT', 'lifecycle', 'PutBucketLifecycleConfiguration'],
    ['DELETE', 'lifecycle', 'DeleteBucketLifecycle'],
  ] as const) {
    assert.equal(outcome('bucket', method, query, {}, 'on'), name)
    assert.equal(outcome('bucket', method, query, {}, 'off'), '501 NotImplemented')
    assert.equal(outcome('bucket', method, query, {}, 'existing'), '501 NotImplemented')
  }
  assert.equal(outcome('bucket', 'POST', 'cors', {}, 'on'), '501 NotImplemented')
  assert.equal(outcome('bucket', 'PUT', 'policy', {}, 'on'), '501 NotImplemented')
  assert.equal(outcome('bucket', 'GET', 'cors'), 'GetBucketCors')
  assert.equal(outcome('bucket', 'GET', 'lifecycle'), 'GetBucketLifecycleConfiguration')
})

test('buckets can be created and removed only if that is allowed', () => {
  const refused = '405 MethodNotAllowed'
  for (const [creation, put, remove] of [
    ['off', refused, refused],
    ['existing', 'CreateBucket', refused],
    ['on', 'CreateBucket', 'DeleteBucket'],
  ] as const) {
    assert.equal(outcome('bucket', 'PUT', '', {}, creation), put)
    assert.equal(outcome('bucket', 'PUT', 'x-id=CreateBucket', {}, creation), put)
    assert.equal(outcome('bucket', 'DELETE', '', {}, creation), remove)
    assert.equal(outcome('bucket', 'POST', '', {}, creation), refused)
    for (const subresource of ['acl', 'policy', 'tagging']) {
      assert.equal(outcome('bucket', 'PUT', subresource, {}, creation), '501 NotImplemented')
      assert.equal(outcome('bucket', 'DELETE', subresource, {}, creation), '501 NotImplemented')
    }
  }
})
