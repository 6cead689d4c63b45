import type { HttpHandler } from '../../http/message.ts'
import { ApiError } from '../../json-api/api-error.ts'
import { bridge } from '../../json-api/bridge.ts'
import { createJsonApp } from '../../json-api/json-app.ts'
import { modelListHandler } from '../../models/model-list-handler.ts'
import { modelsErrorFormat } from '../../models/models-error-format.ts'
import { DatabaseError } from '../../state/database.ts'
import { KeyValueError } from '../../state/key-value/key-value.ts'
import { clientOf } from '../untrusted-proxies.ts'
import { type JsonProtocolParts, openJsonParts, registerJsonRoutes } from './json-routes.ts'

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
  const { settings, log } = parts
  const opened = await openJsonParts(parts)
  const app = createJsonApp({
    errorFormats: [modelsErrorFormat],
    translate: unavailable,
    onFailure: (error, requestId) => log.error({ requestId, err: error }, 'request failed'),
  })
  await registerJsonRoutes(app, opened)
  const bridged = await bridge(app, { clientAddress: clientOf(settings) })
  const handler = modelListHandler({ lists: opened.lists, apiKey: settings.modelsApiKey }, bridged)
  return {
    handler,
    async close() {
      await opened.management.close()
      await app.close()
    },
  }
}

/** The database is not responding, which is not the client's fault. */
function unavailable(error: unknown): ApiError | undefined {
  if (!(error instanceof DatabaseError || error instanceof KeyValueError)) return undefined
  return new ApiError(503, 'The database is not responding. Try again later.', { cause: error })
}
