import { type Route, routesBelow } from '../../platform/json-api/route.ts'
import { connectionRoutes } from './connection-routes.ts'
import { itemRoutes } from './item-routes.ts'
import type { RoutingApiParts } from './route-replies.ts'
import { importRoute, stateRoutes } from './state-routes.ts'

/** The management API for the sources of the model list (docs/routing-api.md). */
export function routingApi(parts: RoutingApiParts): readonly Route[] {
  return routesBelow('/-/api/routing', { tag: 'routing', access: parts.session }, [
    ...stateRoutes(parts),
    ...connectionRoutes(parts),
    ...itemRoutes(parts),
    importRoute(parts),
  ])
}
