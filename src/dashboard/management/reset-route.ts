import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Route, route } from '../../platform/json-api/route.ts'

interface ResetRouteParts {
  /** Removes all objects and open uploads. */
  readonly reset: () => Promise<void>
  /** Whether a browser may have sent the request for a page that is not ours. */
  readonly isFromOtherPage: (request: HttpRequest) => boolean
}

/**
 * `POST /-/api/reset`, for tests of other programs. To be served only with a drive that keeps nothing,
 * because it asks for no session.
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
