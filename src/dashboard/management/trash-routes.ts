import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Route, route } from '../../platform/json-api/route.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { isLegalKey } from '../../storage/drives/kit/names/key-path.ts'
import { trashBucketOf } from '../../storage/drives/trash-bucket.ts'
import { isTrashId, listTrash, newTrashId } from '../../storage/jobs/trash/trash.ts'
import { replyOf, tooMany } from './deletion-routes.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { type DeletionReply, deletionReply } from './management-schemas.ts'
import { assertBucket, driveUnavailable, timeOf } from './route-checks.ts'

const count = z.int().min(0)
const maxKeys = 1_000

export const keysBody = z.strictObject({
  bucket: z.string(),
  prefix: z.string().optional().meta({ description: 'Instead of `keys`.' }),
  keys: z.array(z.string()).min(1).max(maxKeys).optional(),
})

const trashBody = keysBody.extend({
  trashId: z.string().optional().meta({
    description: 'The id of an earlier reply, to restore both together. Default: a new id.',
  }),
})
export type TrashBody = z.input<typeof trashBody>

const restoreBody = z.strictObject({
  bucket: z.string(),
  trashId: z.string(),
  prefix: z.string().max(1_024).default('').meta({
    description: 'Only keys that begin with this.',
  }),
  besideOthers: z.boolean().default(false).meta({
    description:
      'Whether objects whose names are taken are restored under other names, such as `a (2).txt`.',
  }),
})
export type RestoreBody = z.input<typeof restoreBody>

const emptyBody = z.strictObject({
  bucket: z.string(),
  trashId: z.string().optional().meta({ description: 'Default: everything in the trash.' }),
})
export type EmptyBody = z.input<typeof emptyBody>

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

type Parts = Pick<ManagementApiParts, 'buckets' | 'deletions' | 'counter' | 'trash' | 'databaseNow'>

/**
 * The trash of the dashboard. Trashing, restoring and emptying run as deletions, whose routes report progress and
 * cancel them.
 */
export function trashRoutes(parts: Parts): readonly Route[] {
  const begin = beginWith(parts)
  const put = route({
    method: 'POST',
    path: '/trash',
    operationId: 'startTrashing',
    summary: 'Moves objects to the trash of their bucket',
    description:
      'Moves these keys, or every object whose key begins with the prefix, in the background. ' +
      '`GET /-/api/deletions/{id}` returns the progress. Deletions through S3 do not use the trash.',
    body: trashBody,
    status: 202,
    reply: deletionReply,
    async answer({ body: { bucket, prefix, keys, trashId = newTrashId(parts.databaseNow()) } }) {
      assertTrash(parts, bucket)
      assertId(trashId)
      return begin({ bucket, ...keysOrPrefix({ prefix, keys }), kind: 'trash', trashId })
    },
  })
  const restore = route({
    method: 'POST',
    path: '/trash/restore',
    operationId: 'startRestoring',
    summary: 'Restores what one deletion moved to the trash',
    description:
      'Overwrites nothing: an object whose name is taken stays in the trash, or ' +
      'gets a number with `besideOthers`. Folders are recreated.',
    body: restoreBody,
    status: 202,
    reply: deletionReply,
    async answer({ body: { bucket, trashId, prefix, besideOthers } }) {
      assertBucket(parts.buckets, bucket)
      assertId(trashId)
      return begin({ bucket, prefix, besideOthers, kind: 'restore', trashId })
    },
  })
  return [listRoute(parts), put, restore, emptyRoute(parts, begin)]
}

/** @throws ApiError 400 unless there is one of the two */
export function keysOrPrefix({ prefix, keys }: Pick<TrashBody, 'prefix' | 'keys'>) {
  const wrong = [prefix ?? keys?.[0] ?? '', ...(keys ?? [])].find((key) => !isLegalKey(key))
  if (wrong !== undefined || (prefix === undefined) === (keys === undefined)) {
    const message = 'Expected either keys or a prefix, of 1 to 1,024 bytes of UTF-8.'
    throw new ApiError(400, message, { field: keys === undefined ? 'prefix' : 'keys' })
  }
  return keys === undefined ? { prefix: prefix ?? '' } : { prefix: '', keys }
}

type Begin = (order: Parameters<Parts['deletions']['start']>[0]) => Promise<DeletionReply>

export function beginWith({ deletions }: Pick<Parts, 'deletions'>): Begin {
  return async (order) => {
    const started = await deletions.start(order)
    if (started === undefined) throw tooMany()
    return replyOf(started)
  }
}

function emptyRoute({ buckets, trash }: Parts, begin: Begin): Route {
  return route({
    method: 'POST',
    path: '/trash/empty',
    operationId: 'startEmptyingTrash',
    summary: 'Permanently deletes everything in the trash of a bucket',
    body: emptyBody,
    status: 202,
    reply: deletionReply,
    async answer({ body: { bucket, trashId } }) {
      assertBucket(buckets, bucket)
      if (trashId !== undefined) assertId(trashId)
      const prefix = trashId === undefined ? '' : `${trashId}/`
      await trash.open(bucket)
      return begin({ bucket: trashBucketOf(bucket), prefix })
    },
  })
}

function listRoute({ buckets, trash, counter }: Parts): Route {
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

function assertTrash({ buckets, trash }: Parts, bucket: string): void {
  assertBucket(buckets, bucket)
  if (trash.days > 0 && trash.has(bucket)) return
  const message =
    'This bucket has no trash: TRASH_DAYS is 0, or its drive has its own trash or none.'
  throw new ApiError(409, message)
}

function assertId(id: string): void {
  if (!isTrashId(id))
    throw new ApiError(400, 'Expected an id from GET /trash.', { field: 'trashId' })
}
