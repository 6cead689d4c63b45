import { z } from 'zod'
import { type Route, route } from '../../platform/json-api/route.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { trashBucketOf } from '../../storage/drives/trash-bucket.ts'
import { listTrash } from '../../storage/jobs/trash/trash.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { assertBucket, driveUnavailable, timeOf } from './route-checks.ts'

const count = z.int().min(0)
const trashReply = z.object({
  days: count.meta({ description: 'TRASH_DAYS; 0: the dashboard deletes permanently.' }),
  isThere: z.boolean().meta({
    description: 'false: the drive has its own trash or none, or the bucket is read-only.',
  }),
  objects: count.nullable().meta({ description: 'null: not counted yet.' }),
  bytes: count.nullable(),
  items: z.array(
    z.object({
      id: z.string(),
      deletedAt: z.iso.datetime(),
      objects: count,
      bytes: count,
      isMore: z
        .boolean()
        .meta({ description: 'Whether there are more objects than were counted.' }),
      keys: z.array(z.string()).meta({ description: 'Some of the keys.' }),
    }),
  ),
  next: z.string().nullable().meta({ description: 'Pass as `after` to get the next page.' }),
})
export type TrashReply = z.infer<typeof trashReply>

type Parts = Pick<ManagementApiParts, 'buckets' | 'counter' | 'trash'>

/** What the dashboard has deleted. File jobs move it to the trash and back, and delete it. */
export function trashRoute({ buckets, trash, counter }: Parts): Route {
  return route({
    method: 'GET',
    path: '/trash',
    operationId: 'getTrash',
    summary: 'Lists the trash of a bucket, newest first',
    description: 'Objects and bytes of the whole trash are counted in the background.',
    query: z.strictObject({
      bucket: z.string(),
      after: z.string().max(64).default('').meta({ description: '`next` of the previous page.' }),
    }),
    reply: trashReply,
    async answer({ query: { bucket, after } }) {
      assertBucket(buckets, bucket)
      const days = trash.days
      if (!trash.has(bucket)) return { ...nothing, days, isThere: false }
      const name = trashBucketOf(bucket)
      try {
        const { items, next = null } = await listTrash(trash.drive, bucket, after)
        const isEmpty = items.length === 0 && after === ''
        const counted = isEmpty ? nothing : (await counter.read([name])).get(name)?.figures
        const { objects, bytes } = counted ?? { objects: null, bytes: null }
        const shown = items.map(({ deletedAtMs, keys, ...item }) => {
          return { ...item, keys: [...keys], deletedAt: timeOf(deletedAtMs) }
        })
        return { days, isThere: true, objects, bytes, items: shown, next }
      } catch (error) {
        throw error instanceof DriveError ? driveUnavailable(error) : error
      }
    },
  })
}

const nothing = { objects: 0, bytes: 0, items: [], next: null }
