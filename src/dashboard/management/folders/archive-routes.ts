import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../../platform/json-api/api-error.ts'
import { PassedReply, type Route, route } from '../../../platform/json-api/route.ts'
import { attachmentNamed } from '../../../platform/text/percent-encoding.ts'
import type { ArchiveBody } from '../../../storage/archive/object-archive.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import type { ManagementApiParts } from '../management-parts.ts'
import { archiveBody, archiveReply } from '../management-schemas.ts'
import { assertBucket, driveIsAway, noBucket, ReplySlots, timeOf } from '../route-checks.ts'

/** How long an address can be opened. A download that has begun goes on. */
const openMs = 10 * 60_000
const maxOrders = 100
/** Of what is stored for an address. */
const maxOrderLength = 256 * 1024
/** Archives that a process sends at a time. Each has the names of its files in memory. */
const maxSent = 8

const orderSchema = archiveBody.required({ prefix: true })

/** Downloads of folders: a request with a session makes an address that any download of a browser can open. */
export function orderRoute({ buckets, store, now }: ManagementApiParts): Route {
  return route({
    method: 'POST',
    path: '/archives',
    operationId: 'orderArchive',
    summary: 'Creates an address that downloads a folder, or some of its entries, as a ZIP file',
    description: 'Whoever has the address can open it for ten minutes, without a session.',
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
        const message = 'The names are too long together. Download the folder instead.'
        throw new ApiError(400, message, { field: 'names' })
      }
      const token = randomBytes(32).toString('base64url')
      await store.set(keyOf(token), text, { ttlMs: openMs, maxFamily: maxOrders })
      return { url: `/-/api/archive?token=${token}`, expiresAt: timeOf(now() + openMs) }
    },
  })
}

/** Opens the addresses of `orderRoute`. It needs no session. */
export function archiveRoute({ buckets, store, openArchive }: ManagementApiParts): Route {
  const places = new ReplySlots(maxSent, 'Too many folders are being downloaded. Try again later.')
  return route({
    method: 'GET',
    path: '/archive',
    operationId: 'downloadArchive',
    summary: 'Downloads what an address of `orderArchive` is for',
    description:
      'A ZIP file that is made while it is sent, so its length is not known. Files that vanish meanwhile are named ' +
      'in `missing-files.txt`. If the drive fails, the connection is cut: such a download is not complete.',
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
      const leave = places.enter()
      try {
        const body = await openArchive({ ...order, signal })
        return archiveFile(fileName(order), { ...body, close: () => body.close().finally(leave) })
      } catch (error) {
        leave()
        throw error instanceof DriveError ? driveIsAway(error) : error
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

/** Of one folder its name, otherwise that of the folder that the entries are in. */
function fileName({ bucket, prefix, names }: z.output<typeof orderSchema>): string {
  const only = names?.length === 1 && names[0]?.endsWith('/') ? names[0] : ''
  return `${(prefix + only).split('/').at(-2) ?? bucket}.zip`
}

function keyOf(token: string): string {
  return `archive:${createHash('sha256').update(token).digest('base64url')}`
}
