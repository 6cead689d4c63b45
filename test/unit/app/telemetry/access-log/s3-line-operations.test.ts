import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awsOperation, isS3Operation } from '../../../../../src/app/telemetry/access-log/s3-line.ts'
import { bucketDefaults } from '../../../../../src/storage/s3/operations/subresource-defaults.ts'
import { operations } from '../../../../../src/storage/s3/operations.ts'
import { requestOf } from '../../start/request-of.ts'

test('Every operation of S3 has a name of AWS, and no other operation has', () => {
  for (const name of Object.keys(operations)) assert.ok(isS3Operation(name), name)
  for (const name of ['login', 'webApp', 'toString', undefined, 1]) {
    assert.ok(!isS3Operation(name), String(name))
  }
})

test('Every sub-resource that has a fixed reply has a name of AWS', () => {
  for (const name of Object.keys(bucketDefaults)) {
    const operation = awsOperation('BucketDefault', requestOf('GET', `/b?${name}`))
    assert.match(operation, /^REST\.GET\.[A-Z_]+$/)
    assert.notEqual(operation, 'REST.GET.BUCKET', name)
  }
  assert.equal(awsOperation('GetObjectAcl', requestOf('GET', '/b/k?acl')), 'REST.GET.ACL')
})
