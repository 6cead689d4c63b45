import { z } from 'zod'
import { ApiError } from '../../json-api/api-error.ts'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import { describeBuckets } from './bucket-status.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { bucketsReply } from './replies.ts'

export function bucketRoutes(app: JsonApp, parts: ManagementApiParts): void {
  const { buckets, counter, bucketCreation: creation } = parts
  app.get(
    '/buckets',
    {
      schema: {
        operationId: 'getBuckets',
        summary: 'Lists the buckets with object counts and sizes',
        description:
          'Figures are counted in the background and refreshed on request when they are old; ' +
          '`countedAt` is when they were counted.',
        response: { 200: bucketsReply, ...refusals },
      },
    },
    async () => ({ creation, buckets: await describeBuckets(parts, buckets.all()) }),
  )

  app.post(
    '/buckets/:bucket/count',
    {
      schema: {
        operationId: 'countBucket',
        summary: 'Recounts a bucket',
        description: 'Runs in the background, unless a count is already running.',
        params: z.object({ bucket: z.string() }),
        response: {
          202: z.undefined().meta({ description: 'The count is scheduled.' }),
          ...refusals,
        },
      },
    },
    async ({ params: { bucket } }, reply) => {
      if (buckets.find(bucket) === undefined) throw new ApiError(404, 'The bucket does not exist.')
      counter.count(bucket)
      return reply.code(202).send()
    },
  )
}
