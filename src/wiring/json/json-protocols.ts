import type { HttpHandler } from '../../http/message.ts'
import { ApiError } from '../../json-api/api-error.ts'
import { jsonHandler } from '../../json-api/json-handler.ts'
import { modelsErrorFormat } from '../../models/models-error-format.ts'
import { DatabaseError } from '../../state/database.ts'
import { KeyValueError } from '../../state/key-value/key-value.ts'
import { type JsonProtocolParts, openJsonRoutes } from './json-routes.ts'

export interface JsonProtocols {
  readonly handler: HttpHandler
  close(): Promise<void>
}

/**
 * `/auth`, `/v1`, `/-/api` and the description of them all as one handler.
 *
 * @throws CatalogueError, for people, when MODEL_CATALOGUE has mistakes.
 */
export async function openJsonProtocols(parts: JsonProtocolParts): Promise<JsonProtocols> {
  const { log } = parts
  const { routes, close } = await openJsonRoutes(parts)
  const handler = jsonHandler(routes, {
    errorFormats: [modelsErrorFormat],
    translate: unavailable,
    onFailure: (error, requestId) => log.error({ requestId, err: error }, 'request failed'),
  })
  return { handler, close }
}

/** The database is not responding, which is not the client's fault. */
function unavailable(error: unknown): ApiError | undefined {
  if (!(error instanceof DatabaseError || error instanceof KeyValueError)) return undefined
  return new ApiError(503, 'The database is not responding. Try again later.', { cause: error })
}
