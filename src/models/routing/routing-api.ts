import type {} from '@fastify/swagger'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonApp } from '../../json-api/json-app.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Connection } from '../routing-inputs.ts'
import type { ProbeReport } from '../upstream/probe-report.ts'
import { connectionRoutes } from './connection-routes.ts'
import { importRoutes } from './import/import-routes.ts'
import { itemRoutes } from './item-routes.ts'
import type { RoutingStore } from './routing-store.ts'
import type { KeySealer } from './seal.ts'
import { stateRoutes } from './state-routes.ts'

export interface RoutingApiParts {
  readonly store: RoutingStore
  readonly sealer: KeySealer
  readonly catalogue: Catalogue
  /**
   * Asks the upstream of a connection with a decrypted key; a failure of the upstream is a result.
   */
  readonly probe: (connection: Connection) => Promise<ProbeReport>
  /** Rejects requests without a valid session; runs before the body is read. */
  readonly requireSession: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

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
