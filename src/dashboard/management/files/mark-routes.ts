import { z } from 'zod'
import { type Route, route } from '../../../platform/json-api/route.ts'
import { isSqlText } from '../../../platform/state/statements.ts'
import { keyBefore } from '../../../platform/text/key-order.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import { listedAttributes } from '../../../storage/drives/listed-entry.ts'
import { visitAll, withinDriveTime } from '../../../storage/jobs/walk.ts'
import { activityOf } from '../activity-recorder.ts'
import type { ManagementApiParts } from '../management-parts.ts'
import { assertBucket } from '../route-checks.ts'
import type { MarkedPath } from './mark-table.ts'

const maxPaths = 500
/** Files in the list of recent ones. */
const maxRecent = 100
/** Changes that are looked through for uploads. */
const readChanges = 500
const looksAtOnce = 8
/** So that a drive that does not respond does not hold up the others. */
const lookMs = 5_000

/** The changes after which a file is new. */
const uploads: ReadonlySet<string | null> = new Set([
  ...['PutObject', 'PostObject', 'CompleteMultipartUpload', 'CopyObject', 'share'],
])

const markedEntry = z.object({
  bucket: z.string(),
  key: z.string().meta({ description: 'Ends in a slash if it is a folder.' }),
  size: z.int().optional(),
  modifiedAtMs: z.int().optional(),
  fileTimeMs: z.int().optional(),
  etag: z.string().optional(),
  atMs: z.int().meta({ description: 'When it was starred, uploaded or opened.' }),
})
const markedReply = z.object({ entries: z.array(markedEntry) })
export type MarkedReply = z.infer<typeof markedReply>
type MarkedEntry = MarkedReply['entries'][number]

const markedKey = z.string().min(1).max(1_024).refine(isSqlText, 'expected a key without U+0000')
const starBody = z.strictObject({
  bucket: z.string(),
  keys: z.array(markedKey).min(1).max(maxPaths),
  isStarred: z.boolean(),
})
const openedBody = z.strictObject({ bucket: z.string(), key: markedKey })

type Parts = Pick<ManagementApiParts, 'activity' | 'buckets' | 'databaseNow' | 'drive' | 'marks'>

interface Found extends MarkedPath {
  readonly atMs: number
}

/** Starred and recent files and folders, of all buckets. */
export function markRoutes(parts: Parts): readonly Route[] {
  const { buckets, databaseNow, marks } = parts
  const stars = route({
    method: 'GET',
    path: '/stars',
    operationId: 'getStars',
    summary: 'Lists the starred files and folders, the latest first',
    description:
      'Without those that do not exist any more, and those on drives that do not respond.',
    reply: markedReply,
    answer: async ({ request: { signal } }) => ({
      entries: await existing(parts, await marks.list('star'), signal),
    }),
  })
  const star = route({
    method: 'PUT',
    path: '/stars',
    operationId: 'changeStars',
    summary: 'Stars files and folders, or removes their stars',
    description: 'The latest 1,000 are kept. Renames by this API are followed.',
    body: starBody,
    status: 204,
    replyDescription: 'Changed.',
    async answer({ body: { bucket, keys, isStarred } }) {
      assertBucket(buckets, bucket)
      const atMs = databaseNow()
      if (isStarred) await marks.add(keys.map((key) => ({ kind: 'star', bucket, key, atMs })))
      else
        await marks.remove(
          'star',
          keys.map((key) => ({ bucket, key })),
        )
    },
  })
  const recent = route({
    method: 'GET',
    path: '/recent',
    operationId: 'getRecent',
    summary: 'Lists files that were uploaded, copied or opened lately, the latest first',
    description: 'At most 100, from the recorded activity and what the dashboard has opened.',
    reply: markedReply,
    answer: async ({ request: { signal } }) => ({
      entries: await existing(parts, await recentPaths(parts), signal),
    }),
  })
  const opened = route({
    method: 'POST',
    path: '/recent',
    operationId: 'noteOpened',
    summary: 'Notes that a file was opened',
    body: openedBody,
    status: 204,
    replyDescription: 'Noted.',
    async answer({ body: { bucket, key } }) {
      assertBucket(buckets, bucket)
      await marks.add([{ kind: 'opened', bucket, key, atMs: databaseNow() }])
    },
  })
  return [stars, star, recent, opened]
}

async function recentPaths({ activity, marks }: Parts): Promise<readonly Found[]> {
  const page = { kinds: ['change'] as const, after: undefined, fromMs: 0, limit: readChanges }
  const changes = (await activity.page(page)).flatMap((row): Found[] => {
    const { bucket, key, operation, method } = activityOf(row)
    const isUpload = uploads.has(operation) && method !== 'GET'
    return isUpload && bucket !== null && key !== null ? [{ bucket, key, atMs: row.atMs }] : []
  })
  const byPath = new Map<string, Found>()
  for (const found of [...changes, ...(await marks.list('opened'))]) {
    const path = `${found.bucket}/${found.key}`
    if ((byPath.get(path)?.atMs ?? 0) < found.atMs) byPath.set(path, found)
  }
  return [...byPath.values()].sort((a, b) => b.atMs - a.atMs).slice(0, maxRecent)
}

/** In their order, without what does not exist and what cannot be looked at. */
async function existing(
  { buckets, drive }: Parts,
  paths: readonly Found[],
  signal: AbortSignal,
): Promise<MarkedEntry[]> {
  const found = new Map<Found, MarkedEntry>()
  // Each further look at a drive that does not respond could take as long as the first one.
  const silent = new Set<string>()
  const served = paths.filter(({ bucket }) => buckets.find(bucket) !== undefined)
  await visitAll(served, looksAtOnce, async (path) => {
    if (silent.has(path.bucket)) return
    try {
      const entry = await withinDriveTime(lookAt(drive, path), signal, lookMs)
      if (entry !== undefined) found.set(path, entry)
    } catch (error) {
      // The others are shown. A request that ends ends the look-ups.
      signal.throwIfAborted()
      if (error instanceof DriveError && error.kind === 'unavailable') silent.add(path.bucket)
    }
  })
  return served.flatMap((path) => found.get(path) ?? [])
}

async function lookAt(
  drive: Parts['drive'],
  { bucket, key, atMs }: Found,
): Promise<MarkedEntry | undefined> {
  if (!key.endsWith('/')) {
    const object = await drive.head(bucket, key)
    if (object === undefined) return undefined
    const { etag, fileTimeMs } = listedAttributes(object.attributes)
    const { size } = object
    const modifiedAtMs = Math.floor(object.modifiedAtMs / 1_000) * 1_000
    return {
      bucket,
      key,
      atMs,
      size,
      modifiedAtMs,
      etag,
      ...(fileTimeMs !== undefined && { fileTimeMs }),
    }
  }
  const query = { prefix: key.slice(0, -1), after: keyBefore(key), delimiter: '/' } as const
  const [first] = await drive.list(bucket, query).next(1)
  return first?.key === key ? { bucket, key, atMs } : undefined
}
