import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../../json-api/api-error.ts'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'

export interface ResetApiParts {
  /** Removes all objects and open uploads. */
  readonly reset: () => Promise<void>
  /** Whether a browser may have sent the request for a page that is not ours. */
  readonly isFromOtherPage: (request: FastifyRequest) => boolean
}

/**
 * `POST /-/api/reset`, for tests of other programs. To be registered only with a drive that keeps nothing,
 * because it asks for no session.
 */
export async function resetApi(app: JsonApp, parts: ResetApiParts): Promise<void> {
  app.post(
    '/reset',
    {
      schema: {
        operationId: 'reset',
        summary: 'Removes all objects and open uploads',
        description: 'Exists only with DRIVE=memory:, and needs no session. For tests.',
        tags: ['management'],
        security: [],
        response: {
          204: z.undefined().meta({ description: 'The buckets are empty.' }),
          ...refusals,
        },
      },
    },
    async (request, reply) => {
      if (parts.isFromOtherPage(request)) {
        const message =
          'A web page may send this request only from its own origin, on localhost or an IP address.'
        throw new ApiError(403, message)
      }
      await parts.reset()
      return reply.code(204).send()
    },
  )
}
