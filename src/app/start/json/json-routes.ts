import { createLogin } from '../../../dashboard/login/login-api.ts'
import { managementApi, resetRoute } from '../../../dashboard/management/management-api.ts'
import { describeService, openApiRoute } from '../../../dashboard/open-api/open-api-document.ts'
import { shareRoutes } from '../../../dashboard/shares/share-routes.ts'
import { ShareTable } from '../../../dashboard/shares/share-table.ts'
import { type Catalogue, readCatalogue } from '../../../models/catalogue/catalogue.ts'
import { listedModelsApi } from '../../../models/list/model-list-api.ts'
import { ModelLists } from '../../../models/list/model-lists.ts'
import { modelsErrorFormats } from '../../../models/list/models-error-format.ts'
import { DatabaseRoutingSource } from '../../../models/routing/database-routing-source.ts'
import { routingApi } from '../../../models/routing/routing-api.ts'
import { RoutingStore } from '../../../models/routing/routing-store.ts'
import { RoutingTables } from '../../../models/routing/routing-table.ts'
import { Upstreams } from '../../../models/upstream/upstreams.ts'
import type { HttpHandler, HttpRequest } from '../../../platform/http/message.ts'
import { isFromOtherOrigin, isRebindable, originBehind } from '../../../platform/http/origin.ts'
import { ApiError } from '../../../platform/json-api/api-error.ts'
import { jsonHandler } from '../../../platform/json-api/json-handler.ts'
import type { Access, Route } from '../../../platform/json-api/route.ts'
import { DatabaseError } from '../../../platform/state/database.ts'
import { KeyValueError } from '../../../platform/state/key-value/key-value.ts'
import { createSealer } from '../../../platform/state/sealer.ts'
import { clientOf } from '../../gateway/untrusted-proxies.ts'
import { kindOf } from '../../settings/drive-kinds.ts'
import { openPassword } from '../dashboard-password.ts'
import { reset } from '../reset.ts'
import { type ManagementWiring, openManagement } from './management.ts'
import { type ModelCallsWiring, openModelCalls } from './model-calls.ts'

export interface JsonProtocolParts extends ManagementWiring, ModelCallsWiring {}

/**
 * The routes of `/auth`, `/v1`, `/ai/v1` and `/-/api`, and of their OpenAPI description.
 *
 * @throws CatalogueError with a user-facing message when MODEL_CATALOGUE has mistakes.
 */
export async function openJsonRoutes(parts: JsonProtocolParts): Promise<readonly Route[]> {
  const { settings, sessions } = parts
  const catalogue = await readCatalogue(settings.modelCatalogue)
  const originOf = originBehind(settings.trustProxy)
  const isFromOther = (request: HttpRequest) =>
    isFromOtherOrigin(request, [settings.publicUrl, originOf(request)])
  const { session, routes: loginRoutes } = createLogin({
    store: sessions,
    password: openPassword(settings),
    isFromOtherOrigin: isFromOther,
    clientAddress: clientOf(settings),
  })
  const management = openManagement(parts)
  const routes = [
    ...loginRoutes,
    ...modelRoutes(parts, catalogue, session),
    ...managementApi({ ...management, session }),
    ...shareRoutes({
      ...{ keys: parts.keys, buckets: parts.buckets, originOf: management.originOf, session },
      ...{ ownerKey: settings.accessKey, now: parts.now },
      table: new ShareTable(parts.database),
      sealer: createSealer(settings.secretKey, 'shares'),
    }),
  ]
  if (kindOf(settings.drive).isInMemory) {
    const isFromOtherPage = (request: HttpRequest) =>
      isFromOther(request) || isRebindable(request, originOf(request))
    routes.push(resetRoute({ reset: () => reset(parts), isFromOtherPage }))
  }
  routes.push(openApiRoute(() => describeService(routes)))
  return routes
}

function modelRoutes(
  parts: JsonProtocolParts,
  catalogue: Catalogue,
  session: Access,
): readonly Route[] {
  const { settings, log, database } = parts
  const tables = new RoutingTables(database)
  const sealer = createSealer(settings.secretKey, 'providerKeys')
  const upstreams = new Upstreams()
  const source = new DatabaseRoutingSource({ tables, sealer, log })
  const lists = new ModelLists({ source, catalogue, upstreams, now: Date.now, log })
  return [
    ...listedModelsApi({ lists, catalogue, session }),
    ...openModelCalls(parts, { lists, catalogue, upstreams, session }),
    ...routingApi({
      ...{ sealer, catalogue, session, store: new RoutingStore(tables), now: Date.now },
      probe: (connection) =>
        upstreams.probe(connection, catalogue.byId.get(connection.provider)?.modelsApi),
    }),
  ]
}

/**
 * `/auth`, `/v1`, `/ai/v1`, `/-/api` and their OpenAPI description as one handler.
 *
 * @throws CatalogueError with a user-facing message when MODEL_CATALOGUE has mistakes.
 */
export async function openJsonProtocols(parts: JsonProtocolParts): Promise<HttpHandler> {
  const { log } = parts
  return jsonHandler(await openJsonRoutes(parts), {
    errorFormats: modelsErrorFormats,
    translate: unavailable,
    onFailure: (error, requestId) => log.error({ requestId, err: error }, 'request failed'),
  })
}

/** A failure of the database is not the client's fault: 503. */
function unavailable(error: unknown): ApiError | undefined {
  if (!(error instanceof DatabaseError || error instanceof KeyValueError)) return undefined
  return new ApiError(503, 'The database is not responding. Try again later.', { cause: error })
}
