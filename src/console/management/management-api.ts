import { type Route, routesBelow } from '../../json-api/route.ts'
import { bucketMakingRoutes } from './bucket-making-routes.ts'
import { bucketOptionsRoutes } from './bucket-options-route.ts'
import { bucketRoutes } from './bucket-routes.ts'
import { deletionRoutes } from './deletion-routes.ts'
import { failureRoutes } from './failure-routes.ts'
import { folderRoute } from './folder-route.ts'
import { keyRoutes } from './key-routes.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { presignRoute } from './presign-route.ts'
import { statusRoute } from './status-route.ts'
import { uploadRoutes } from './upload-routes.ts'

/** The management API (docs/management-api.md). */
export function managementApi(parts: ManagementApiParts): readonly Route[] {
  return routesBelow('/-/api', { tag: 'management', access: parts.session }, [
    statusRoute(parts),
    ...bucketRoutes(parts),
    ...keyRoutes(parts),
    ...bucketOptionsRoutes(parts),
    ...bucketMakingRoutes(parts),
    folderRoute(parts),
    presignRoute(parts),
    ...deletionRoutes(parts),
    ...uploadRoutes(parts),
    ...failureRoutes(parts),
  ])
}
