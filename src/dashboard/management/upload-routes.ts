import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Route, route } from '../../platform/json-api/route.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { uploadsReply } from './replies.ts'
import { assertBucket } from './route-checks.ts'

/** The format of `next`: a time and an id. */
const uploadPosition = /^\d{1,15}\.[A-Za-z0-9_-]{1,64}$/

export function uploadRoutes({ buckets, uploads }: ManagementApiParts): readonly Route[] {
  const list = route({
    method: 'GET',
    path: '/uploads',
    operationId: 'getUploads',
    summary: 'Lists open multipart uploads, newest first',
    query: z.strictObject({
      bucket: z.string().optional(),
      after: z
        .string()
        .regex(uploadPosition, 'expected `next` of the previous page')
        .optional()
        .meta({ description: '`next` of the previous page.' }),
    }),
    reply: uploadsReply,
    async answer({ query: { bucket, after } }) {
      if (bucket !== undefined) assertBucket(buckets, bucket)
      return uploads.list({ bucket, after })
    },
  })
  const abort = route({
    method: 'DELETE',
    path: '/uploads/{uploadId}',
    operationId: 'abortUpload',
    summary: 'Aborts an open multipart upload',
    description: 'Its bytes are deleted. A part that is being uploaded fails.',
    params: z.object({ uploadId: z.string() }),
    status: 204,
    replyDescription: 'Aborted.',
    async answer({ params: { uploadId }, request: { signal } }) {
      if (await uploads.abort(uploadId, signal)) return
      throw new ApiError(404, 'The upload does not exist or is no longer open.')
    },
  })
  return [list, abort]
}
