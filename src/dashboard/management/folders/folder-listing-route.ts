import { z } from 'zod'
import type { StreamBody } from '../../../platform/http/message.ts'
import { ApiError } from '../../../platform/json-api/api-error.ts'
import { PassedReply, type Route, route } from '../../../platform/json-api/route.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import type { Entry, EntryCursor } from '../../../storage/drives/listed-entry.ts'
import type { ManagementApiParts } from '../management-parts.ts'
import { assertBucket, ReplySlots } from '../route-checks.ts'

/** Entries per line: few enough for a browser to parse a line between two frames. */
const lineEntries = 500

/** The maximum number of entries in a reply. */
const maxEntries = 100_000

/**
 * The maximum number of replies that a process sends at a time. For each, a drive may keep the names of a folder in
 * memory.
 */
const maxSent = 64

const listedEntry = z.object({
  key: z.string().meta({ description: 'Ends in a slash if it is a folder.' }),
  size: z.int().optional(),
  modifiedAtMs: z.int().optional().meta({ description: 'In whole seconds.' }),
  fileTimeMs: z
    .int()
    .optional()
    .meta({
      description:
        'The modification time of the uploaded file, from `x-amz-meta-mtime`. Absent if there is none, or the drive ' +
        'does not list metadata: S3 stores.',
    }),
  etag: z.string().optional().meta({ description: 'Without quotes.' }),
})

const folderLine = z.object({
  entries: z.array(listedEntry),
  next: z.string().nullable().optional().meta({
    description: 'Only in the last line: `after` of the next request; null at the end.',
  }),
  message: z.string().optional().meta({ description: 'Why the listing is incomplete.' }),
})
export type FolderLine = z.infer<typeof folderLine>

/** Lists a whole folder in one reply, so that a client does not wait for each page. */
export function folderListingRoute({ buckets, drive }: ManagementApiParts): Route {
  const slots = new ReplySlots(maxSent, 'Too many folders are being listed. Try again later.')
  return route({
    method: 'GET',
    path: '/folder',
    operationId: 'listFolder',
    summary: 'Lists a folder',
    description:
      'Lines of JSON (`application/x-ndjson`) with up to 500 entries each, in S3 order, sent as fast as the ' +
      'client reads them. The last line has `next`; a reply without it was cut off.',
    query: z.strictObject({
      bucket: z.string(),
      prefix: z.string().max(1_024).default('').meta({ description: 'Ends in a slash.' }),
      filter: z.string().max(1_024).default('').meta({
        description: 'Only names that begin with this.',
      }),
      // The longest key, plus a character that sorts it just before another key.
      after: z.string().max(1_026).default('').meta({ description: 'Only keys after this one.' }),
      deep: z.enum(['true', 'false']).default('false').meta({
        description: 'Lists everything below the folder, instead of one entry per subfolder.',
      }),
      limit: z.coerce.number().pipe(z.int().min(1).max(maxEntries)).default(maxEntries).meta({
        description: 'The maximum number of entries in the reply.',
      }),
    }),
    reply: folderLine,
    replyDescription: 'Each line.',
    async answer({ query: { bucket, prefix, filter, after, deep, limit } }) {
      assertBucket(buckets, bucket)
      if (prefix !== '' && !prefix.endsWith('/')) {
        throw new ApiError(400, 'Expected a prefix that ends in a slash.', { field: 'prefix' })
      }
      const leave = slots.enter()
      try {
        const isDeep = deep === 'true'
        const level = isDeep ? {} : ({ delimiter: '/' } as const)
        const cursor = drive.list(bucket, { prefix: prefix + filter, after, ...level })
        const first = await cursor.next(Math.min(lineEntries, limit))
        // The folder's own marker object is not listed.
        const hidden = isDeep ? undefined : prefix
        const body = linesOf({ cursor, first, limit, hidden, leave })
        const headers = [['content-type', 'application/x-ndjson']] as const
        return new PassedReply({ status: 200, headers, body })
      } catch (error) {
        leave()
        throw error instanceof DriveError
          ? new ApiError(503, error.message, { cause: error })
          : error
      }
    },
  })
}

interface OpenListing {
  readonly cursor: EntryCursor
  readonly first: readonly Entry[]
  readonly limit: number
  /** A key that is left out. */
  readonly hidden: string | undefined
  /** Frees the slot of the reply. */
  readonly leave: () => void
}

/** If the drive fails, the last line has the reason. */
function linesOf({ cursor, first, limit, hidden, leave }: OpenListing): StreamBody {
  let isClosed = false
  return {
    length: undefined,
    async lend(borrow) {
      const send = (line: FolderLine) => borrow(Buffer.from(`${JSON.stringify(line)}\n`))
      let entries = first
      for (let count = entries.length; !isClosed; count += entries.length) {
        const next = count >= limit ? (entries.at(-1)?.key ?? null) : null
        const isLast = entries.length === 0 || next !== null
        const listed = entries.filter(({ key }) => key !== hidden).map(listedOf)
        await send({ entries: listed, ...(isLast && { next }) })
        if (isLast) return
        const more = await cursor.next(Math.min(lineEntries, limit - count)).catch(failureOfDrive)
        if (more instanceof DriveError) return send({ entries: [], message: more.message })
        entries = more
      }
    },
    async close() {
      isClosed = true
      leave()
    },
  }
}

function failureOfDrive(error: unknown): DriveError {
  if (error instanceof DriveError) return error
  throw error
}

function listedOf(entry: Entry): FolderLine['entries'][number] {
  if (entry.kind === 'folder') return { key: entry.key }
  const { key, size, modifiedAtMs, fileTimeMs, etag } = entry
  // Whole seconds, as in XML listings. JSON leaves out what is undefined.
  return { key, size, modifiedAtMs: Math.floor(modifiedAtMs / 1_000) * 1_000, fileTimeMs, etag }
}
