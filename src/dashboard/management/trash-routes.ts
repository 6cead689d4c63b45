import { z } from 'zod'
import { type Route, route } from '../../platform/json-api/route.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { trashBucketOf } from '../../storage/drives/trash-bucket.ts'
import { listTrash } from '../../storage/jobs/trash/trash.ts'
import { visitAll, withinDriveTime } from '../../storage/jobs/walk.ts'
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

const bucketTrash = trashReply.extend({ bucket: z.string() })
const trashesReply = z.object({
  trashes: z.array(bucketTrash).meta({ description: 'Those that are not empty.' }),
  failed: z.array(z.string()).meta({ description: 'Buckets whose drives do not respond.' }),
})
export type TrashesReply = z.infer<typeof trashesReply>

type Parts = Pick<ManagementApiParts, 'buckets' | 'counter' | 'trash'>

/** Buckets that are listed at a time. */
const listedAtOnce = 8
/** So that a drive that does not respond does not hold up the others. */
const listingMs = 5_000

/** What the dashboard has deleted. File jobs move it to the trash and back, and delete it. */
export function trashRoutes(parts: Parts): readonly Route[] {
  return [trashRoute(parts), trashesRoute(parts)]
}

function trashRoute(parts: Parts): Route {
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
      assertBucket(parts.buckets, bucket)
      try {
        return await readTrash(parts, bucket, after)
      } catch (error) {
        throw error instanceof DriveError ? driveUnavailable(error) : error
      }
    },
  })
}

function trashesRoute(parts: Parts): Route {
  return route({
    method: 'GET',
    path: '/trashes',
    operationId: 'getTrashes',
    summary: 'Lists the trash of every bucket, newest first',
    description: 'The first page of each; `GET /-/api/trash` returns the next ones.',
    reply: trashesReply,
    async answer({ request: { signal } }) {
      const names = parts.buckets.all().map(({ name }) => name)
      const found = new Map<string, TrashReply>()
      const failed: string[] = []
      await visitAll(names, listedAtOnce, async (name) => {
        try {
          found.set(name, await withinDriveTime(readTrash(parts, name, ''), signal, listingMs))
        } catch (error) {
          if (!(error instanceof DriveError)) throw error
          failed.push(name)
        }
      })
      const trashes = names.flatMap((bucket) => {
        const trash = found.get(bucket)
        return trash === undefined || trash.items.length === 0 ? [] : [{ ...trash, bucket }]
      })
      return { trashes, failed: failed.toSorted() }
    },
  })
}

/** @throws DriveError */
async function readTrash(
  { trash, counter }: Parts,
  bucket: string,
  after: string,
): Promise<TrashReply> {
  const { days } = trash
  if (!trash.has(bucket)) return { ...nothing, days, isThere: false }
  const name = trashBucketOf(bucket)
  const { items, next = null } = await listTrash(trash.drive, bucket, after)
  const isEmpty = items.length === 0 && after === ''
  const counted = isEmpty ? nothing : (await counter.read([name])).get(name)?.figures
  const { objects, bytes } = counted ?? { objects: null, bytes: null }
  const shown = items.map(({ deletedAtMs, keys, ...item }) => {
    return { ...item, keys: [...keys], deletedAt: timeOf(deletedAtMs) }
  })
  return { days, isThere: true, objects, bytes, items: shown, next }
}

const nothing = { objects: 0, bytes: 0, items: [], next: null }
