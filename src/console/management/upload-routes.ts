import { z } from 'zod'
import { ApiError } from '../../json-api/api-error.ts'
import { enteredRequest } from '../../json-api/entry.ts'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { uploadsReply } from './replies.ts'
import { assertBucket } from './route-checks.ts'

/** The format of `next`: a time and an id. */
const uploadPosition = /^\d{1,15}\.[A-Za-z0-9_-]{1,64}$/

export function uploadRoutes(app: JsonApp, { buckets, uploads }: ManagementApiParts): void {
  app.get(
    '/uploads',
    {
      schema: {
        operationId: 'getUploads',
        summary: 'Lists open multipart uploads, newest first',
        querystring: z.strictObject({
          bucket: z.string().optional(),
          after: z
            .string()
            .regex(uploadPosition, 'expected `next` of the previous page')
            .optional()
            .meta({ description: '`next` of the previous page.' }),
        }),
        response: { 200: uploadsReply, ...refusals },
      },
    },
    async ({ query: { bucket, after } }) => {
      if (bucket !== undefined) assertBucket(buckets, bucket)
      return uploads.list({ bucket, after })
    },
  )

  app.delete(
    '/uploads/:uploadId',
    {
      schema: {
        operationId: 'abortUpload',
        summary: 'Aborts an open multipart upload',
        description: 'Its bytes are deleted. A part that is being uploaded fails.',
        params: z.object({ uploadId: z.string() }),
        response: { 204: z.undefined().meta({ description: 'Aborted.' }), ...refusals },
      },
    },
    async ({ params: { uploadId } }, reply) => {
      const signal = enteredRequest()?.request.signal ?? new AbortController().signal
      if (!(await uploads.abort(uploadId, signal))) {
        throw new ApiError(404, 'The upload does not exist or is no longer open.')
      }
      return reply.code(204).send()
    },
  )
}
