import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymous, type Identity } from '../../../../src/storage/access/authorize.ts'
import type { BucketConfiguration } from '../../../../src/storage/buckets/buckets.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { afterRemoval, authorize } from '../../../../src/storage/s3/access.ts'
import { parseQuery } from '../../../../src/storage/s3/address/query.ts'
import { parsePolicy } from '../../../../src/storage/s3/configuration/policy-document.ts'
import type { NewBucketContext, S3Service } from '../../../../src/storage/s3/context.ts'
import { S3Error } from '../../../../src/storage/s3/errors.ts'
import { operations } from '../../../../src/storage/s3/operations.ts'

const gone = new DriveError('no-bucket', 'gone')

/** The error for a request to the bucket `made`, which is as in `configuration` after another look. */
async function shown(
  configuration: Partial<BucketConfiguration> | undefined,
  { error = gone as unknown, bucketCreation = 'on' as S3Service['bucketCreation'] } = {},
) {
  let found: object | undefined = { name: 'made' }
  const service = {
    bucketCreation,
    buckets: { find: () => found },
    cached: {
      lookAgain: async () => {
        found = configuration
      },
    },
  }
  return await afterRemoval(error, 'made', service as unknown as S3Service)
}

test('the bucket of a running request was removed: as for a request that comes later', async () => {
  for (const configuration of [undefined, { isBeingRemoved: true }]) {
    const error = await shown(configuration)
    assert.ok(error instanceof S3Error)
    assert.deepEqual([error.status, error.code], [404, 'NoSuchBucket'])
    assert.deepEqual(error.elements, { BucketName: 'made' })
    for (const bucketCreation of ['off', 'existing'] as const) {
      const refusal = await shown(configuration, { bucketCreation })
      assert.ok(refusal instanceof S3Error)
      assert.deepEqual([refusal.status, refusal.code], [403, 'AccessDenied'])
    }
  }
})

test('the folder of a bucket that is served is missing: an operator must act', async () => {
  for (const configuration of [{}, { isBeingRemoved: false }]) {
    assert.equal(await shown(configuration), gone)
  }
})

test('other errors stay, whatever became of the bucket', async () => {
  for (const error of [new DriveError('unavailable', 'down'), new Error('a bug')]) {
    assert.equal(await shown(undefined, { error }), error)
  }
})

/** Whether a request with this query may run the operation in a bucket. */
function mayRun(
  name: keyof typeof operations,
  query: string,
  { identity, bucket }: { readonly identity: Identity; readonly bucket: object },
): boolean {
  const service = { settings: { publicList: true } }
  const context = {
    identity,
    bucket: 'b',
    configuration: bucket,
    service,
    query: parseQuery(query),
  }
  try {
    authorize(operations[name].access, context as unknown as NewBucketContext, 'k')
    return true
  } catch (error) {
    assert.ok(error instanceof S3Error && error.code === 'AccessDenied')
    return false
  }
}

/** Operation, query, and the right that it needs if the bucket has versions. */
const ofVersions = [
  ['GetObject', 'versionId=v', 'read-version', 'read'],
  ['HeadObject', 'versionId=null', 'read-version', 'read'],
  ['GetObjectAttributes', 'attributes&versionId=v', 'read-version', 'read'],
  ['GetObjectTagging', 'tagging&versionId=v', 'read-version', 'read'],
  ['ListObjectVersions', 'versions', 'read-version', 'list'],
  ['DeleteObject', 'versionId=v', 'delete-version', 'delete'],
] as const

test('a request for a version needs the right to versions, if the bucket has them', () => {
  const versioned = { isPublic: false, versioning: { changes: [1] } }
  for (const [operation, query, right, plain] of ofVersions) {
    for (const action of [right, plain]) {
      const grants = [{ bucket: 'b', prefix: '', actions: [action] }]
      const identity = { kind: 'key', accessKeyId: 'AK', name: 'app', grants, limits: {} } as const
      const context = `${operation} with ${action}`
      assert.equal(
        mayRun(operation, query, { identity, bucket: versioned }),
        action === right,
        context,
      )
      const bucket = { isPublic: false }
      assert.equal(mayRun(operation, query, { identity, bucket }), action === plain, context)
    }
  }
})

test('a public bucket opens its objects to everyone, and not their versions', () => {
  const versioned = { isPublic: true, versioning: { changes: [1, 2] } }
  for (const [operation, query, right] of ofVersions) {
    const asked = { identity: anonymous, bucket: versioned }
    assert.equal(mayRun(operation, query, asked), false, operation)
    const isOpen = right === 'read-version'
    assert.equal(
      mayRun(operation, query, { ...asked, bucket: { isPublic: true } }),
      isOpen,
      operation,
    )
  }
  assert.equal(mayRun('GetObject', '', { identity: anonymous, bucket: versioned }), true)
})

test('a policy opens versions, their tags and their list only by name', () => {
  const opened = [
    ['s3:GetObjectVersion', 'b/*', ['GetObject', 'HeadObject']],
    ['s3:GetObjectVersionTagging', 'b/*', ['GetObjectTagging']],
    ['s3:ListBucketVersions', 'b', ['ListObjectVersions']],
    ['s3:GetObject', 'b/*', []],
    ['s3:GetObjectTagging', 'b/*', []],
    ['s3:ListBucket', 'b', []],
  ] as const
  for (const [Action, resource, names] of opened) {
    const statement = {
      Effect: 'Allow',
      Principal: '*',
      Action,
      Resource: `arn:aws:s3:::${resource}`,
    }
    const policy = parsePolicy(Buffer.from(JSON.stringify({ Statement: statement })), 'b')
    const bucket = { isPublic: false, policy, versioning: { changes: [1] } }
    for (const [operation, query] of ofVersions) {
      const isOpen = names.some((name) => name === operation)
      const context = `${Action} ${operation}`
      assert.equal(mayRun(operation, query, { identity: anonymous, bucket }), isOpen, context)
    }
  }
})
