import { z } from 'zod'
import { ApiError } from '../../json-api/api-error.ts'
import { type Route, route } from '../../json-api/route.ts'
import { describeBuckets } from './bucket-status.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { bucketsReply } from './replies.ts'

export function bucketRoutes(parts: ManagementApiParts): readonly Route[] {
  const { buckets, counter, bucketCreation: creation } = parts
  const list = route({
    method: 'GET',
    path: '/buckets',
    operationId: 'getBuckets',
    summary: 'Lists the buckets with object counts and sizes',
    description:
      'Figures are counted in the background and refreshed on request when they are old; ' +
      '`countedAt` is when they were counted.',
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
      if (buckets.find(bucket) === undefined) throw new ApiError(404, 'The bucket does not exist.')
      counter.count(bucket)
    },
  })
  return [list, count]
}
