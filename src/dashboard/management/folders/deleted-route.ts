import { z } from 'zod'
import { type Route, route } from '../../../platform/json-api/route.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import type { VersionEntry } from '../../../storage/drives/versions.ts'
import { deletedVersions } from '../../../storage/jobs/deleted-versions.ts'
import { safeSum } from '../../../storage/jobs/walk.ts'
import type { ManagementApiParts } from '../management-parts.ts'
import { assertBucket, driveUnavailable, timeOf } from '../route-checks.ts'

const count = z.int().min(0)

const deletedReply = z.object({
  entries: z.array(
    z.object({
      key: z.string().meta({ description: 'A folder ends in a slash.' }),
      objects: count.meta({ description: 'How many deleted objects: 1, or those in the folder.' }),
      bytes: count,
      deletedAt: z.iso.datetime().meta({ description: 'The latest deletion.' }),
    }),
  ),
  next: z
    .string()
    .nullable()
    .meta({ description: 'null: all were found. Otherwise pass it as `after` to continue.' }),
})
export type DeletedReply = z.infer<typeof deletedReply>

const maxEntries = 500
/** After this time another request has to continue. */
const limitMs = 5_000
/** How many delete markers of one object are read after that. */
const manyMarkers = 500
const hangMs = 30_000

type Found = Map<string, DeletedReply['entries'][number]>

export function deletedRoute({
  buckets,
  drive,
}: Pick<ManagementApiParts, 'buckets' | 'drive'>): Route {
  return route({
    method: 'GET',
    path: '/deleted',
    operationId: 'getDeleted',
    summary: 'Lists the deleted objects of a bucket with versions',
    description:
      'Objects whose newest version is a delete marker: those in the folder, and the folders that contain some. ' +
      'After about 5 seconds or 500 entries it returns what was found so far, and `next`.',
    query: z.strictObject({
      bucket: z.string(),
      prefix: z.string().max(1_024).default('').meta({ description: 'Empty, or ends in a slash.' }),
      after: z
        .string()
        .max(1_024)
        .default('')
        .meta({ description: '`next` of the previous page.' }),
    }),
    reply: deletedReply,
    async answer({ query, request: { signal } }) {
      assertBucket(buckets, query.bucket)
      const found: Found = new Map()
      try {
        const next = await findDeleted({ ...query, drive, signal, hangMs }, found)
        return { entries: [...found.values()], next }
      } catch (error) {
        throw error instanceof DriveError ? driveUnavailable(error) : error
      }
    },
  })
}

/** Returns the last key that was looked at; null after the last one of all. */
async function findDeleted(
  walk: Parameters<typeof deletedVersions>[0] & { readonly after: string },
  found: Found,
): Promise<string | null> {
  const endsAt = performance.now() + limitMs
  const isLate = () => performance.now() >= endsAt
  let key = walk.after
  let markers = 0
  for await (const { version, newest, role } of deletedVersions(walk, { skipsOlder: true })) {
    if (version.key !== key) {
      if (key !== walk.after && (found.size >= maxEntries || isLate())) return key
      key = version.key
      markers = 0
    }
    // Below so many, nothing is found in time.
    if (role === 'marker' && ++markers > manyMarkers && isLate()) return key
    if (role === 'last') add(found, walk.prefix, version, newest)
  }
  return null
}

/** @param deleted the version that is restored */
function add(found: Found, prefix: string, deleted: VersionEntry, marker: VersionEntry): void {
  // The marker object of the folder itself belongs to the folder above.
  if (deleted.key === prefix) return
  const end = deleted.key.indexOf('/', prefix.length)
  const key = end < 0 ? deleted.key : deleted.key.slice(0, end + 1)
  const { objects, bytes, deletedAt } = found.get(key) ?? { objects: 0, bytes: 0, deletedAt: '' }
  const atMs = Math.max(marker.modifiedAtMs, Date.parse(deletedAt) || 0)
  const sum = { objects: objects + 1, bytes: safeSum(bytes, deleted.size) }
  found.set(key, { key, ...sum, deletedAt: timeOf(atMs) })
}
