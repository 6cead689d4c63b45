import { z } from 'zod'
import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Route, route, routesBelow } from '../../platform/json-api/route.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { thumbnailRoutes } from '../thumbnails/thumbnail-routes.ts'
import { activityRoutes } from './activity-routes.ts'
import { bucketOptionsRoutes } from './bucket-options-route.ts'
import { bucketMakingRoutes, bucketRoutes } from './bucket-routes.ts'
import { fileJobRoutes } from './files/file-job-routes.ts'
import { markRoutes } from './files/mark-routes.ts'
import { archiveRoute, orderRoute } from './folders/archive-routes.ts'
import { deletedRoute } from './folders/deleted-route.ts'
import { folderCountRoutes } from './folders/folder-count-routes.ts'
import { folderListingRoute } from './folders/folder-listing-route.ts'
import { searchRoute } from './folders/search-route.ts'
import { keyRoutes } from './key-routes.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { folderRevisionReply, statusReply, uploadsReply } from './management-schemas.ts'
import { presignRoute } from './presign-route.ts'
import { assertBucket, driveUnavailable, originOfRequest } from './route-checks.ts'
import { settingsRoute } from './settings-route.ts'
import { trafficRoute } from './traffic-route.ts'
import { trashRoutes } from './trash-routes.ts'

/** The management API (docs/management-api.md). */
export function managementApi(parts: ManagementApiParts): readonly Route[] {
  const open = routesBelow('/-/api', { tag: 'management' }, [archiveRoute(parts)])
  const ofSession = routesBelow('/-/api', { tag: 'management', access: parts.session }, [
    statusRoute(parts),
    ...bucketRoutes(parts),
    ...keyRoutes(parts),
    ...bucketOptionsRoutes(parts),
    ...bucketMakingRoutes(parts),
    folderRoute(parts),
    folderListingRoute(parts),
    ...folderCountRoutes(parts),
    presignRoute(parts),
    ...fileJobRoutes(parts),
    ...markRoutes(parts),
    ...trashRoutes(parts),
    deletedRoute(parts),
    ...uploadRoutes(parts),
    ...activityRoutes(parts),
    settingsRoute(parts),
    trafficRoute(parts),
    orderRoute(parts),
    ...thumbnailRoutes(parts),
    searchRoute(parts),
  ])
  return [...ofSession, ...open]
}

function statusRoute(parts: ManagementApiParts): Route {
  return route({
    method: 'GET',
    path: '/status',
    operationId: 'getStatus',
    summary: 'Returns version, drive, endpoint and settings',
    description:
      'Secret settings are listed without their values, and URLs without their passwords.',
    reply: statusReply,
    async answer({ request }) {
      const { region, accessKey, hasPublicUrl: isPublicUrl } = parts
      const endpoint = { url: originOfRequest(parts, request), isPublicUrl, region, accessKey }
      return { ...(await parts.status()), endpoint }
    },
  })
}

function folderRoute({ buckets, folders }: ManagementApiParts): Route {
  return route({
    method: 'GET',
    path: '/folder-revision',
    operationId: 'getFolderRevision',
    summary: 'Returns a revision that changes with the folder',
    description:
      'A short text that stays the same as long as the names, sizes, times and ETags in the folder do. It may be ' +
      'a few seconds old, or minutes if the folder takes long to list; `ageMs` is its age.',
    query: z.strictObject({
      bucket: z.string(),
      prefix: z.string().max(1_024).default('').meta({ description: 'Ends in a slash.' }),
      filter: z.string().max(1_024).default('').meta({
        description: 'Only names that begin with this.',
      }),
    }),
    reply: folderRevisionReply,
    async answer({ query }) {
      const askedAtMs = performance.now()
      assertBucket(buckets, query.bucket)
      try {
        const { revision, beganAtMs } = await folders.read(query)
        return { revision, ageMs: Math.max(0, Math.ceil(askedAtMs - beganAtMs)) }
      } catch (error) {
        throw error instanceof DriveError ? driveUnavailable(error) : error
      }
    },
  })
}

/** The format of `next`: a time and an id. */
const uploadPosition = /^\d{1,15}\.[A-Za-z0-9_-]{1,64}$/

function uploadRoutes({ buckets, uploads }: ManagementApiParts): readonly Route[] {
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

interface ResetRouteParts {
  /** Removes all objects and open uploads. */
  readonly reset: () => Promise<void>
  /** Whether a browser may have sent the request on behalf of a page that is not ours. */
  readonly isFromOtherPage: (request: HttpRequest) => boolean
}

/**
 * `POST /-/api/reset`, for the tests of other programs. It requires no session, so it must be served only with a
 * drive that keeps nothing.
 */
export function resetRoute({ reset, isFromOtherPage }: ResetRouteParts): Route {
  return route({
    method: 'POST',
    path: '/-/api/reset',
    operationId: 'reset',
    summary: 'Removes all objects and open uploads',
    description: 'Exists only with DRIVE=memory:, and needs no session. For tests.',
    tag: 'management',
    access: {
      security: [],
      admit(request) {
        if (!isFromOtherPage(request)) return
        const message =
          'A web page may send this request only from its own origin, on localhost or an IP address.'
        throw new ApiError(403, message)
      },
    },
    status: 204,
    replyDescription: 'The buckets are empty.',
    answer: reset,
  })
}
