import { createLogin } from '../../console/login/login-api.ts'
import { managementApi } from '../../console/management/management-api.ts'
import { resetApi } from '../../console/management/reset-api.ts'
import { openApiRoute } from '../../console/open-api/open-api-route.ts'
import { isFromOtherOrigin, isRebindable } from '../../http/page-origin.ts'
import { originBehind } from '../../http/request-origin.ts'
import { type RequestSource, sourceOf } from '../../json-api/entry.ts'
import type { JsonApp } from '../../json-api/json-app.ts'
import { readCatalogue } from '../../models/catalogue/read-catalogue.ts'
import { listedModelsApi } from '../../models/listed-models-api.ts'
import { modelListApi } from '../../models/model-list-api.ts'
import { ModelLists } from '../../models/model-lists.ts'
import { DatabaseRoutingSource } from '../../models/routing/database-routing-source.ts'
import { routingApi } from '../../models/routing/routing-api.ts'
import { RoutingStore } from '../../models/routing/routing-store.ts'
import { Upstreams } from '../../models/upstream/upstreams.ts'
import type { KeyValueStore } from '../../state/key-value/key-value.ts'
import { createSealer } from '../../state/sealer.ts'
import { RoutingTables } from '../../state/stores/routing.ts'
import { kindOf } from '../drive-kinds/drive-kinds.ts'
import { reset } from '../reset.ts'
import { type ManagementWiring, openManagement } from './management.ts'

export interface JsonProtocolParts extends ManagementWiring {
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
}

export type OpenedJsonParts = Awaited<ReturnType<typeof openJsonParts>>

/**
 * What the plugins of the JSON protocols work with.
 *
 * @throws CatalogueError, for people, when MODEL_CATALOGUE has mistakes.
 */
export async function openJsonParts({
  settings,
  log,
  database,
  sessions,
  ...rest
}: JsonProtocolParts) {
  const catalogue = await readCatalogue(settings.modelCatalogue)
  const originOf = originBehind(settings.trustProxy)
  const isFromOther = (request: RequestSource) =>
    isFromOtherOrigin(request, [settings.publicUrl, originOf(request)])
  const login = createLogin({
    store: sessions,
    password: settings.dashboardPassword,
    isFromOtherOrigin: isFromOther,
  })
  const tables = new RoutingTables(database)
  const sealer = createSealer(settings.secretKey, 'providerKeys')
  const upstreams = new Upstreams()
  const source = new DatabaseRoutingSource({ tables, sealer, log })
  return {
    ...{ settings, catalogue, login, sealer, upstreams, isFromOther, originOf },
    reset: () => reset(rest),
    store: new RoutingStore(tables),
    lists: new ModelLists({ source, catalogue, upstreams, now: Date.now, log }),
    management: await openManagement({ settings, log, database, ...rest }),
  }
}

/** Serves and describes the same routes, so that the two cannot differ. */
export async function registerJsonRoutes(app: JsonApp, opened: OpenedJsonParts): Promise<void> {
  const { settings, catalogue, login, sealer, upstreams, store, lists, management } = opened
  const { requireSession } = login
  await app.register(login.plugin)
  await app.register(modelListApi, { lists, apiKey: settings.modelsApiKey })
  await app.register(listedModelsApi, {
    prefix: '/-/api/routing',
    ...{ lists, catalogue, requireSession },
  })
  await app.register(routingApi, {
    prefix: '/-/api/routing',
    ...{ store, sealer, catalogue, requireSession, now: Date.now },
    probe: (connection) =>
      upstreams.probe(connection, catalogue.byId.get(connection.provider)?.modelsApi),
  })
  await app.register(managementApi, { prefix: '/-/api', ...management.parts, requireSession })
  if (kindOf(settings.drive).isOfOneProcess) {
    await app.register(resetApi, {
      prefix: '/-/api',
      reset: opened.reset,
      isFromOtherPage(request) {
        const source = sourceOf(request)
        return opened.isFromOther(source) || isRebindable(source, opened.originOf(source))
      },
    })
  }
  await app.register(openApiRoute, {
    async describe() {
      const { describeService } = await import('../../console/open-api/open-api-document.ts')
      return describeService((described) => registerJsonRoutes(described, opened))
    },
  })
}
