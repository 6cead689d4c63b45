import type { JsonApp } from '../../json-api/json-app.ts'
import { bucketMakingRoutes } from './bucket-making-routes.ts'
import { bucketOptionsRoutes } from './bucket-options-route.ts'
import { bucketRoutes } from './bucket-routes.ts'
import { deletionRoutes } from './deletion-routes.ts'
import { failureRoutes } from './failure-routes.ts'
import { folderRoutes } from './folder-routes.ts'
import { keyRoutes } from './key-routes.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { presignRoute } from './presign-route.ts'
import { statusRoute } from './status-route.ts'
import { uploadRoutes } from './upload-routes.ts'

/**
 * The management API (docs/management-api.md), a Fastify plugin; to be registered with the prefix
 * `/-/api`.
 */
export async function managementApi(app: JsonApp, parts: ManagementApiParts): Promise<void> {
  app.addHook('onRequest', parts.requireSession)
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, tags: ['management'], security: [{ session: [] }] }
  })
  statusRoute(app, parts)
  bucketRoutes(app, parts)
  keyRoutes(app, parts)
  bucketOptionsRoutes(app, parts)
  bucketMakingRoutes(app, parts)
  folderRoutes(app, parts)
  presignRoute(app, parts)
  deletionRoutes(app, parts)
  uploadRoutes(app, parts)
  failureRoutes(app, parts)
}
