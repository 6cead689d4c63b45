import { z } from 'zod'
import { ApiError } from '../../json-api/api-error.ts'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { BucketCount } from './bucket-counter.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { type BucketStatus, bucketsReply } from './replies.ts'
import { timeOf } from './route-checks.ts'

const unknownCount: BucketCount = { figures: undefined, isCounting: false, problem: undefined }

export function bucketRoutes(app: JsonApp, parts: ManagementApiParts): void {
  const { buckets, counter } = parts
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
    async () => {
      const all = buckets.all()
      const names = all.map(({ name }) => name)
      const [counts, createdAt] = await Promise.all([
        counter.read(names),
        Promise.all(names.map((name) => parts.bucketCreatedAtMs(name))),
      ])
      return {
        buckets: all.map(({ name, isPublic }, index) => ({
          name,
          isPublic,
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
