import { createLogin } from '../console/login/login-api.ts'
import { managementApi } from '../console/management/management-api.ts'
import type { HttpHandler } from '../http/message.ts'
import { ApiError } from '../json-api/api-error.ts'
import { bridge } from '../json-api/bridge.ts'
import { createJsonApp } from '../json-api/json-app.ts'
import { readCatalogue } from '../models/catalogue/read-catalogue.ts'
import { listedModelsApi } from '../models/listed-models-api.ts'
import { modelListApi } from '../models/model-list-api.ts'
import { ModelLists } from '../models/model-lists.ts'
import { modelsDialect } from '../models/models-dialect.ts'
import { DatabaseRoutingSource } from '../models/routing/database-routing-source.ts'
import { routingApi } from '../models/routing/routing-api.ts'
import { RoutingStore } from '../models/routing/routing-store.ts'
import { createKeySealer } from '../models/routing/seal.ts'
import { Upstreams } from '../models/upstream/upstreams.ts'
import { DatabaseError } from '../state/database.ts'
import { KeyValueError, type KeyValueStore } from '../state/key-value.ts'
import { RoutingTables } from '../state/routing.ts'
import { clientOf } from './client-of.ts'
import { type ManagementWiring, openManagement } from './management.ts'

export interface JsonProtocolParts extends ManagementWiring {
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
}

export interface JsonProtocols {
  readonly handler: HttpHandler
  close(): Promise<void>
}

/**
 * `/auth`, `/v1` and `/-/api` as one handler: the login, the model list and its management.
 *
 * @throws CatalogueError, for people, when MODEL_CATALOGUE has mistakes.
 */
export async function openJsonProtocols(parts: JsonProtocolParts): Promise<JsonProtocols> {
  const { settings, log, database, sessions } = parts
  const catalogue = await readCatalogue(settings.modelCatalogue)
  const app = createJsonApp({
    dialects: [modelsDialect],
    translate: unavailable,
    onFailure: (error, requestId) => log.error({ requestId, err: error }, 'request failed'),
  })
  const login = createLogin({ store: sessions, password: settings.dashboardPassword })
  const tables = new RoutingTables(database)
  const sealer = createKeySealer(settings.secretKey)
  const upstreams = new Upstreams()
  await app.register(login.plugin)
  const source = new DatabaseRoutingSource({ tables, sealer, log })
  const lists = new ModelLists({ source, catalogue, upstreams, now: Date.now, log })
  await app.register(modelListApi, { lists, apiKey: settings.modelsApiKey })
  await app.register(listedModelsApi, {
    prefix: '/-/api/routing',
    ...{ lists, catalogue, requireSession: login.requireSession },
  })
  await app.register(routingApi, {
    prefix: '/-/api/routing',
    store: new RoutingStore(tables),
    sealer,
    probe: (connection) => upstreams.probe(connection),
    requireSession: login.requireSession,
    now: Date.now,
  })
  const management = await openManagement(parts)
  await app.register(managementApi, {
    prefix: '/-/api',
    ...management.parts,
    requireSession: login.requireSession,
  })
  const handler = await bridge(app, { clientAddress: clientOf(settings) })
  return {
    handler,
    async close() {
      await management.close()
      await app.close()
    },
  }
}

/** What is kept below does not answer, which is nothing the client did. */
function unavailable(error: unknown): ApiError | undefined {
  if (!(error instanceof DatabaseError || error instanceof KeyValueError)) return undefined
  return new ApiError(503, 'The database does not answer. Try again later.', { cause: error })
}
