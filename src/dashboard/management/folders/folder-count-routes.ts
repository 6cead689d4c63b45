import { z } from 'zod'
import { ApiError } from '../../../platform/json-api/api-error.ts'
import { type Route, route } from '../../../platform/json-api/route.ts'
import { isLegalKey } from '../../../storage/drives/kit/names/key-path.ts'
import { type FolderCount, folderCountLimits } from '../../../storage/jobs/folder-counts.ts'
import { figuresOf } from '../bucket-status.ts'
import type { ManagementApiParts } from '../management-parts.ts'
import { bucketStatus } from '../management-schemas.ts'
import { assertBucket } from '../route-checks.ts'

const { objects, bytes, lastModified, countedAt, isCounting, problem } = bucketStatus.shape

const folderCount = z.object({
  id: z.string(),
  bucket: z.string(),
  prefix: z.string().meta({ description: 'The folder, with its trailing slash.' }),
  ...{ objects, bytes, lastModified, countedAt, isCounting, problem },
  found: z
    .object({ objects: z.int().min(0), bytes: z.int().min(0) })
    .meta({ description: 'What a running count has found so far.' }),
})
type FolderCountReply = z.infer<typeof folderCount>

const folderCounts = z.object({ counts: z.array(folderCount) })
export type FolderCountsReply = z.infer<typeof folderCounts>

const countBody = z.strictObject({ bucket: z.string(), prefix: z.string() })

/** Counts the contents of folders on request. */
export function folderCountRoutes({
  buckets,
  folderCounts: counts,
}: Pick<ManagementApiParts, 'buckets' | 'folderCounts'>): readonly Route[] {
  const getCounts = route({
    method: 'GET',
    path: '/folder-counts',
    operationId: 'getFolderCounts',
    summary: 'Returns the known counts of the subfolders of a folder',
    query: z.strictObject({
      bucket: z.string(),
      prefix: z.string().max(1_024).default('').meta({ description: 'Empty, or ends in a slash.' }),
    }),
    reply: folderCounts,
    async answer({ query: { bucket, prefix } }) {
      assertBucket(buckets, bucket)
      const inFolder = (count: FolderCount) =>
        count.bucket === bucket && parentOf(count.prefix) === prefix
      return { counts: (await counts.all()).filter(inFolder).map(replyOf) }
    },
  })
  const startCount = route({
    method: 'POST',
    path: '/folder-counts',
    operationId: 'countFolder',
    summary: 'Counts the contents of a folder',
    description: 'Runs in the background. A repeated request returns the running count.',
    body: countBody,
    status: 202,
    reply: folderCount,
    async answer({ body: { bucket, prefix } }) {
      assertBucket(buckets, bucket)
      if (!prefix.endsWith('/') || !isLegalKey(prefix)) {
        const message = 'Expected a folder: at most 1,024 bytes of UTF-8 that end in a slash.'
        throw new ApiError(400, message, { field: 'prefix' })
      }
      const started = await counts.start(bucket, prefix)
      if (started !== undefined) return replyOf(started)
      throw new ApiError(
        409,
        `At most ${folderCountLimits.running} folders can be counted at once. Wait for a count to finish, or stop one.`,
      )
    },
  })
  const stopCount = route({
    method: 'DELETE',
    path: '/folder-counts/{id}',
    operationId: 'cancelFolderCount',
    summary: 'Stops a count',
    description:
      'The figures of the previous count stay. If another worker runs the count, it stops within a second.',
    params: z.object({ id: z.string() }),
    reply: folderCount,
    async answer({ params: { id } }) {
      const count = await counts.cancel(id)
      if (count === undefined) throw new ApiError(404, 'The count does not exist.')
      return replyOf(count)
    },
  })
  return [getCounts, startCount, stopCount]
}

function parentOf(prefix: string): string {
  return prefix.slice(0, prefix.lastIndexOf('/', prefix.length - 2) + 1)
}

function replyOf({ id, bucket, prefix, found, ...count }: FolderCount): FolderCountReply {
  const { objects, bytes } = found
  return { id, bucket, prefix, ...figuresOf(count), found: { objects, bytes } }
}
