import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Route, route } from '../../platform/json-api/route.ts'
import { BucketError, type BucketErrorKind } from '../../storage/buckets/bucket-changes.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { describeBuckets } from './bucket-status.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { bucketStatus, bucketsReply } from './management-schemas.ts'
import { noBucket } from './route-checks.ts'

export function bucketRoutes(parts: ManagementApiParts): readonly Route[] {
  const { buckets, counter, bucketCreation: creation } = parts
  const list = route({
    method: 'GET',
    path: '/buckets',
    operationId: 'getBuckets',
    summary: 'Lists the buckets with object counts and sizes',
    description:
      'Counts run in the background and are refreshed on request when they are old; `countedAt` is the time of ' +
      'the last count.',
    reply: bucketsReply,
    answer: async () => ({ creation, buckets: await describeBuckets(parts, buckets.all()) }),
  })
  const count = route({
    method: 'POST',
    path: '/buckets/{bucket}/count',
    operationId: 'countBucket',
    summary: 'Recounts a bucket',
    description: 'Runs in the background, unless a count is already running.',
    params: z.object({ bucket: z.string() }),
    status: 202,
    replyDescription: 'The count is scheduled.',
    async answer({ params: { bucket } }) {
      if (buckets.find(bucket) === undefined) throw noBucket()
      counter.count(bucket)
    },
  })
  return [list, count]
}

const statuses: Readonly<Record<BucketErrorKind, number>> = {
  busy: 503,
  exists: 409,
  'folder-exists': 409,
  'from-settings': 409,
  'invalid-name': 400,
  'no-bucket': 404,
  'no-versions': 409,
  'wrong-state': 409,
  'too-many': 409,
}

/** Creates and removes buckets. */
export function bucketMakingRoutes(parts: ManagementApiParts): readonly Route[] {
  const { buckets, bucketMaker } = parts
  const createBucket = route({
    method: 'POST',
    path: '/buckets',
    operationId: 'createBucket',
    summary: 'Creates a bucket',
    description: 'Works regardless of BUCKET_CREATION, which applies to S3 clients only.',
    body: z.strictObject({ name: z.string().max(63) }),
    status: 201,
    reply: bucketStatus,
    async answer({ body: { name } }) {
      await bucketMaker.create(name).catch(refuse)
      const configuration = buckets.find(name)
      const [status] = configuration ? await describeBuckets(parts, [configuration]) : []
      // The bucket may have been removed in the meantime.
      if (status === undefined) throw noBucket()
      return status
    },
  })

  const removeBucket = route({
    method: 'DELETE',
    path: '/buckets/{bucket}',
    operationId: 'removeBucket',
    summary: 'Removes an empty bucket',
    description: 'Aborts its open uploads.',
    params: z.object({ bucket: z.string() }),
    status: 204,
    replyDescription: 'Removed.',
    async answer({ params: { bucket } }) {
      await bucketMaker.remove(bucket).catch(refuse)
    },
  })
  return [createBucket, removeBucket]
}

/** @throws ApiError for a BucketError or DriveError, otherwise the error */
export function refuse(error: unknown): never {
  if (error instanceof BucketError) {
    const field = error.kind === 'invalid-name' ? 'name' : undefined
    throw new ApiError(statuses[error.kind], error.message, { cause: error, field })
  }
  if (error instanceof DriveError) {
    throw new ApiError(error.kind === 'not-empty' ? 409 : 503, error.message, { cause: error })
  }
  throw error
}
