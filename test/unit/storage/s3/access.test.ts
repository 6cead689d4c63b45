import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BucketConfiguration } from '../../../../src/storage/buckets/buckets.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { afterRemoval } from '../../../../src/storage/s3/access.ts'
import type { S3Service } from '../../../../src/storage/s3/context.ts'
import { S3Error } from '../../../../src/storage/s3/errors.ts'

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
