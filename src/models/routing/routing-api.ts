import type {} from '@fastify/swagger'
import type { JsonApp } from '../../json-api/json-app.ts'
import { connectionRoutes } from './connection-routes.ts'
import { importRoutes } from './import/import-routes.ts'
import { itemRoutes } from './item-routes.ts'
import type { RoutingApiParts } from './routing-api-parts.ts'
import { stateRoutes } from './state-routes.ts'

/**
 * The management API for the sources of the model list (docs/routing-api.md), a Fastify plugin to
 * register with the prefix `/-/api/routing`.
 */
export async function routingApi(app: JsonApp, parts: RoutingApiParts): Promise<void> {
  app.addHook('onRequest', parts.requireSession)
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, tags: ['routing'], security: [{ session: [] }] }
  })
  stateRoutes(app, parts)
  connectionRoutes(app, parts)
  itemRoutes(app, parts)
  importRoutes(app, parts)
}
