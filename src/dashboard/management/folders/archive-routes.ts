import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../../platform/json-api/api-error.ts'
import { PassedReply, type Route, route } from '../../../platform/json-api/route.ts'
import { attachmentNamed } from '../../../platform/text/percent-encoding.ts'
import type { ArchiveBody } from '../../../storage/archive/object-archive.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import type { ManagementApiParts } from '../management-parts.ts'
import { archiveBody, archiveReply } from '../management-schemas.ts'
import { assertBucket, driveUnavailable, noBucket, ReplySlots, timeOf } from '../route-checks.ts'

/** How long the address of a download is valid. A download that has begun continues. */
const openMs = 10 * 60_000
const maxOrders = 100
/** The maximum length of a stored order. */
const maxOrderLength = 256 * 1024
/** The maximum number of archives that a process sends at a time. Each keeps the names of its files in memory. */
const maxSent = 8

const orderSchema = archiveBody.required({ prefix: true })

/**
 * Creates the address of a folder download. It needs no session, because a browser's own downloads cannot send one.
 */
export function orderRoute({ buckets, store, now }: ManagementApiParts): Route {
  return route({
    method: 'POST',
    path: '/archives',
    operationId: 'orderArchive',
    summary: 'Creates an address that downloads a folder, or some of its entries, as a ZIP file',
    description: 'Anyone with the address can open it for ten minutes, without a session.',
    body: archiveBody,
    bodyLimit: 4 * 1024 * 1024,
    status: 201,
    reply: archiveReply,
    async answer({ body }) {
      assertBucket(buckets, body.bucket)
      if (body.prefix !== '' && !body.prefix.endsWith('/')) {
        throw new ApiError(400, 'Expected a prefix that ends in a slash.', { field: 'prefix' })
      }
      const text = JSON.stringify(body)
      if (text.length > maxOrderLength) {
        const message = 'The names are too long in total. Download the folder instead.'
        throw new ApiError(400, message, { field: 'names' })
      }
      const token = randomBytes(32).toString('base64url')
      await store.set(keyOf(token), text, { ttlMs: openMs, maxFamily: maxOrders })
      return { url: `/-/api/archive?token=${token}`, expiresAt: timeOf(now() + openMs) }
    },
  })
}

/** Serves the addresses that `orderRoute` creates. It needs no session. */
export function archiveRoute({ buckets, store, openArchive }: ManagementApiParts): Route {
  const slots = new ReplySlots(maxSent, 'Too many folders are being downloaded. Try again later.')
  return route({
    method: 'GET',
    path: '/archive',
    operationId: 'downloadArchive',
    summary: 'Downloads an archive that was ordered with `orderArchive`',
    description:
      'A ZIP file that is created while it is sent, so its length is not known in advance. Files that disappear ' +
      'during the download are listed in `missing-files.txt`. If the drive fails, the connection is closed and ' +
      'the download is incomplete.',
    query: z.strictObject({ token: z.string().max(64) }),
    replyDescription: 'The ZIP file.',
    errors: { 404: 'The address has expired.' },
    async answer({ request: { signal }, query }) {
      const text = await store.get(keyOf(query.token))
      if (text === undefined) {
        throw new ApiError(404, 'This download has expired. Start it again in the dashboard.')
      }
      const order = orderSchema.parse(JSON.parse(text))
      if (buckets.find(order.bucket) === undefined) throw noBucket()
      const leave = slots.enter()
      try {
        const body = await openArchive({ ...order, signal })
        return archiveFile(fileName(order), { ...body, close: () => body.close().finally(leave) })
      } catch (error) {
        leave()
        throw error instanceof DriveError ? driveUnavailable(error) : error
      }
    },
  })
}

function archiveFile(name: string, body: ArchiveBody): PassedReply {
  const headers = [
    ['content-type', 'application/zip'],
    ['content-disposition', attachmentNamed(name)],
  ] as const
  return new PassedReply({ status: 200, headers, body })
}

/** Named after the folder if it is the only entry, otherwise after the folder that contains the entries. */
function fileName({ bucket, prefix, names }: z.output<typeof orderSchema>): string {
  const only = names?.length === 1 && names[0]?.endsWith('/') ? names[0] : ''
  return `${(prefix + only).split('/').at(-2) ?? bucket}.zip`
}

function keyOf(token: string): string {
  return `archive:${createHash('sha256').update(token).digest('base64url')}`
}
