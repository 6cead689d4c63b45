import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { PassedReply, type Route, route } from '../../platform/json-api/route.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { isLegalKey } from '../../storage/drives/kit/names/key-path.ts'
import { assertBucket, driveUnavailable } from '../management/route-checks.ts'
import { storedOrPreview } from './photo-preview.ts'
import { maxPictureBytes, pictureHeaders, pictureType } from './picture-form.ts'
import type { ThumbnailTable } from './thumbnail-table.ts'

/** As in listings, without quotes. It is part of a key in the database. */
const etag = z.string().regex(/^[!#-~]{1,255}$/)

const thumbnailBody = z.strictObject({
  bucket: z.string(),
  key: z.string(),
  etag,
  picture: z.base64().meta({
    description: `WebP or JPEG of at most 256 × 256 pixels and ${maxPictureBytes} bytes.`,
  }),
})
export type ThumbnailBody = z.input<typeof thumbnailBody>

interface ThumbnailParts {
  readonly buckets: Buckets
  readonly drive: Pick<Drive, 'head' | 'open'>
  readonly thumbnails: Pick<ThumbnailTable, 'find' | 'add'>
  /** The database's time. */
  readonly databaseNow: () => number
}

/** Thumbnails of objects, which browsers create and store here (docs/decisions/0048-thumbnails.md). */
export function thumbnailRoutes(parts: ThumbnailParts): readonly Route[] {
  return [readRoute(parts), storeRoute(parts)]
}

function readRoute({ buckets, drive, thumbnails, databaseNow }: ThumbnailParts): Route {
  return route({
    method: 'GET',
    path: '/thumbnails',
    operationId: 'getThumbnail',
    summary: 'Returns the thumbnail for an ETag',
    description:
      'A picture, or 204 if there is none yet. With the key of an object, the preview that a camera has put into it becomes the thumbnail.',
    query: z.strictObject({ bucket: z.string(), etag, key: z.string().default('') }),
    replyDescription: 'WebP or JPEG.',
    async answer({ query, replyHeaders }) {
      assertBucket(buckets, query.bucket)
      const picture = await storedOrPreview(query, {
        ...{ thumbnails, now: databaseNow },
        readBeginning: (length) => beginningOf(drive, query, length),
      })
      const type = picture && pictureType(picture)
      if (type === undefined) return new PassedReply({ status: 204, headers: [] })
      for (const [name, value] of pictureHeaders) replyHeaders.set(name, value)
      const headers = [['content-type', type]] as const
      return new PassedReply({ status: 200, headers, body: picture })
    },
  })
}

function storeRoute({ buckets, drive, thumbnails, databaseNow }: ThumbnailParts): Route {
  return route({
    method: 'PUT',
    path: '/thumbnails',
    operationId: 'storeThumbnail',
    summary: 'Stores the thumbnail of an object',
    description:
      'The object must have this ETag. An existing thumbnail is not replaced. Only the newest thumbnails are kept.',
    body: thumbnailBody,
    bodyLimit: 4 * maxPictureBytes,
    status: 204,
    replyDescription: 'Stored.',
    errors: { 404: 'There is no such object, or it has another ETag.' },
    async answer({ body: { bucket, key, etag, picture: text } }) {
      assertBucket(buckets, bucket)
      const picture = Buffer.from(text, 'base64')
      if (pictureType(picture) === undefined) {
        const message = `Expected a WebP or JPEG of at most 256 × 256 pixels and ${maxPictureBytes} bytes.`
        throw new ApiError(400, message, { field: 'picture' })
      }
      if (!isLegalKey(key) || (await etagOf(drive, bucket, key)) !== etag) {
        throw new ApiError(404, 'The object does not exist or has another ETag.')
      }
      await thumbnails.add({ bucket, etag, picture, atMs: databaseNow() })
    },
  })
}

/** The first bytes of an object; undefined if there is none with this ETag. */
async function beginningOf(
  drive: Pick<Drive, 'open'>,
  { bucket, key, etag }: { readonly bucket: string; readonly key: string; readonly etag: string },
  length: number,
): Promise<Buffer | undefined> {
  if (!isLegalKey(key)) return undefined
  try {
    const wanted = { start: 0, end: length }
    const object = await drive.open(bucket, key, { wanted })
    if (object === undefined) return undefined
    try {
      if (object.attributes.etag !== etag) return undefined
      const chunks: Uint8Array[] = []
      const end = Math.min(object.size, length)
      for await (const chunk of object.read(0, end)) chunks.push(chunk)
      return Buffer.concat(chunks)
    } finally {
      await object.close()
    }
  } catch (error) {
    throw error instanceof DriveError ? driveUnavailable(error) : error
  }
}

async function etagOf(drive: Pick<Drive, 'head'>, bucket: string, key: string) {
  try {
    return (await drive.head(bucket, key))?.attributes.etag
  } catch (error) {
    throw error instanceof DriveError ? driveUnavailable(error) : error
  }
}
