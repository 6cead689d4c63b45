import { z } from 'zod'
import { type Route, route } from '../../platform/json-api/route.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { trashBucketOf } from '../../storage/drives/trash-bucket.ts'
import {
  isTrashId,
  listTrash,
  type TrashQuery,
  trashFiles,
} from '../../storage/jobs/trash/trash.ts'
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
      paths: z.array(z.string()).meta({
        description:
          'What was deleted, the first 20: keys of files, and of folders, which end in a slash.',
      }),
      count: count.meta({ description: 'How many paths there are.' }),
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

const trashFilesReply = z.object({
  files: z.array(
    z.object({
      key: z.string().meta({ description: 'The key that the object had.' }),
      size: count,
      modifiedAt: z.iso.datetime(),
    }),
  ),
  next: z.string().nullable().meta({ description: 'Pass as `after` to get the next page.' }),
})
export type TrashFilesReply = z.infer<typeof trashFilesReply>

const search = z.string().max(255).default('').meta({
  description: 'Only deletions of which a key has this part, regardless of case.',
})

type Parts = Pick<ManagementApiParts, 'buckets' | 'counter' | 'deletions' | 'trash'>

/** Objects in a page of `trashFilesReply`. */
const pageFiles = 200

/** Buckets that are listed at a time. */
const listedAtOnce = 8
/** So that a drive that does not respond does not hold up the others. */
const listingMs = 5_000

/** What the dashboard has deleted. File jobs move it to the trash and back, and delete it. */
export function trashRoutes(parts: Parts): readonly Route[] {
  return [trashRoute(parts), trashesRoute(parts), trashFilesRoute(parts)]
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
      search,
    }),
    reply: trashReply,
    async answer({ request: { signal }, query: { bucket, after, search } }) {
      assertBucket(parts.buckets, bucket)
      try {
        return await readTrash(parts, { bucket, after, text: search, signal })
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
    query: z.strictObject({ search }),
    reply: trashesReply,
    async answer({ request: { signal }, query: { search: text } }) {
      const names = parts.buckets.all().map(({ name }) => name)
      const found = new Map<string, TrashReply>()
      const failed: string[] = []
      await visitAll(names, listedAtOnce, async (bucket) => {
        const end = new AbortController()
        const reading = readTrash(parts, { bucket, after: '', text, signal: end.signal })
        try {
          found.set(bucket, await withinDriveTime(reading, signal, listingMs))
        } catch (error) {
          if (!(error instanceof DriveError)) throw error
          failed.push(bucket)
        } finally {
          end.abort()
        }
      })
      const trashes = names.flatMap((bucket) => {
        const trash = found.get(bucket)
        return trash === undefined || (trash.items.length === 0 && trash.next === null)
          ? []
          : [{ ...trash, bucket }]
      })
      return { trashes, failed: failed.toSorted() }
    },
  })
}

function trashFilesRoute({ buckets, trash }: Parts): Route {
  return route({
    method: 'GET',
    path: '/trash-files',
    operationId: 'getTrashFiles',
    summary: 'Lists the objects of one deletion in the trash',
    query: z.strictObject({
      bucket: z.string(),
      trashId: z.string().refine(isTrashId, 'expected the id of a deletion'),
      after: z
        .string()
        .max(1_024)
        .default('')
        .meta({ description: '`next` of the previous page.' }),
    }),
    reply: trashFilesReply,
    async answer({ query: { bucket, trashId: id, after } }) {
      assertBucket(buckets, bucket)
      try {
        const found = await trashFiles(trash.drive, { bucket, id, after, limit: pageFiles })
        const files = found.map(({ key, size, modifiedAtMs }) => {
          return { key, size, modifiedAt: timeOf(modifiedAtMs) }
        })
        return { files, next: found.length < pageFiles ? null : (files.at(-1)?.key ?? null) }
      } catch (error) {
        throw error instanceof DriveError ? driveUnavailable(error) : error
      }
    },
  })
}

/** @throws DriveError */
async function readTrash(
  { trash, counter, deletions }: Parts,
  query: TrashQuery,
): Promise<TrashReply> {
  const { bucket, after, text } = query
  const { days } = trash
  if (!trash.has(bucket)) return { ...nothing, days, isThere: false }
  const name = trashBucketOf(bucket)
  const { items, next = null } = await listTrash({ drive: trash.drive, deletions }, query)
  const isEmpty = items.length === 0 && after === '' && text === ''
  const counted = isEmpty ? nothing : (await counter.read([name])).get(name)?.figures
  const { objects, bytes } = counted ?? { objects: null, bytes: null }
  const shown = items.map(({ deletedAtMs, paths, ...item }) => {
    return { ...item, paths: [...paths], deletedAt: timeOf(deletedAtMs) }
  })
  return { days, isThere: true, objects, bytes, items: shown, next }
}

const nothing = { objects: 0, bytes: 0, items: [], next: null }
