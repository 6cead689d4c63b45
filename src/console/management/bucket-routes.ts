import { z } from 'zod'
import { ApiError } from '../../json-api/api-error.ts'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { BucketCount } from './bucket-counter.ts'
import type { ManagementApiParts } from './management-api.ts'
import { type BucketStatus, bucketsReply } from './replies.ts'
import { timeOf } from './route-checks.ts'

const unknownCount: BucketCount = { figures: undefined, isCounting: false, problem: undefined }

export function bucketRoutes(app: JsonApp, { buckets, counter }: ManagementApiParts): void {
  app.get(
    '/buckets',
    {
      schema: {
        operationId: 'getBuckets',
        summary: 'The buckets and how much is in them',
        description:
          'Figures are counted in the background, anew when somebody asks and they are old; ' +
          '`countedAt` says as of when they are.',
        response: { 200: bucketsReply, ...refusals },
      },
    },
    async () => {
      const [counts, createdAt] = await Promise.all([
        counter.read(buckets.names),
        Promise.all(buckets.names.map((name) => buckets.createdAtMs(name))),
      ])
      return {
        buckets: buckets.names.map((name, index) => ({
          name,
          isPublic: buckets.publicNames.includes(name),
          createdAt: timeOrNull(createdAt[index]),
          ...figuresOf(counts.get(name) ?? unknownCount),
        })),
      }
    },
  )

  app.post(
    '/buckets/:bucket/count',
    {
      schema: {
        operationId: 'countBucket',
        summary: 'Counts a bucket anew',
        description: 'In the background, unless a count is under way.',
        params: z.object({ bucket: z.string() }),
        response: { 202: z.undefined().meta({ description: 'It is counted.' }), ...refusals },
      },
    },
    async ({ params: { bucket } }, reply) => {
      if (!buckets.names.includes(bucket)) throw new ApiError(404, 'There is no such bucket.')
      counter.count(bucket)
      return reply.code(202).send()
    },
  )
}

function figuresOf({
  figures,
  isCounting,
  problem: why,
}: BucketCount): Omit<BucketStatus, 'name' | 'isPublic' | 'createdAt'> {
  const problem = why ?? null
  if (figures === undefined) {
    const nothing = { objects: null, bytes: null, lastModified: null, countedAt: null }
    return { ...nothing, isCounting, problem }
  }
  const { objects, bytes, lastModifiedMs, countedAtMs } = figures
  const lastModified = objects === 0 ? null : timeOf(lastModifiedMs)
  return { objects, bytes, lastModified, countedAt: timeOf(countedAtMs), isCounting, problem }
}

function timeOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : timeOf(atMs)
}
