import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeRoutes } from '../../../../src/dashboard/open-api/describe-routes.ts'
import { routingApi } from '../../../../src/models/routing/routing-api.ts'
import { RoutingStore } from '../../../../src/models/routing/routing-store.ts'
import { RoutingTables } from '../../../../src/models/routing/routing-table.ts'
import type { Database } from '../../../../src/platform/state/database.ts'
import { createSealer } from '../../../../src/platform/state/sealer.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'
import { probeResult } from './routing-fixture.ts'

test('routingApi describes every operation for the OpenAPI document', () => {
  const routes = routingApi({
    store: new RoutingStore(new RoutingTables({} as Database)),
    sealer: createSealer('secret', 'providerKeys'),
    catalogue: smallCatalogue,
    probe: async () => probeResult,
    session: { admit: () => undefined, security: [{ session: [] }] },
    now: () => 0,
  })
  const paths = describeRoutes(routes)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const ids = operations.map(({ operation }) => operation.operationId)
  assert.equal(ids.length, 20)
  assert.equal(new Set(ids).size, ids.length)
  for (const { path, method, operation } of operations) {
    const isBodied = ['put', 'patch'].includes(method) || /(routing|s|import|reorder)$/.test(path)
    assert.equal(
      operation.requestBody !== undefined,
      method !== 'get' && method !== 'delete' && isBodied,
      path,
    )
    assert.deepEqual(operation.security, [{ session: [] }], path)
    assert.ok('4XX' in operation.responses, path)
    assert.ok(
      Object.keys(operation.responses).some((status) => /^20[014]$/.test(status)),
      path,
    )
  }
})
