import assert from 'node:assert/strict'
import { test } from 'node:test'
import swagger from '@fastify/swagger'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { createJsonApp } from '../../../../src/json-api/json-app.ts'
import { routingApi } from '../../../../src/models/routing/routing-api.ts'
import { RoutingStore } from '../../../../src/models/routing/routing-store.ts'
import type { Database } from '../../../../src/state/database.ts'
import { createSealer } from '../../../../src/state/sealer.ts'
import { RoutingTables } from '../../../../src/state/stores/routing.ts'
import { smallCatalogue } from '../../../support/small-catalogue.ts'
import { probeResult } from './routing-fixture.ts'

interface Operation {
  readonly operationId?: string
  readonly security?: unknown
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
}

test('routingApi describes every operation for the OpenAPI document', async () => {
  const app = createJsonApp()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'test', version: '1' },
      components: { securitySchemes: { session: { type: 'http', scheme: 'bearer' } } },
    },
    transform: jsonSchemaTransform,
  })
  await app.register(routingApi, {
    prefix: '/-/api/routing',
    store: new RoutingStore(new RoutingTables({} as Database)),
    sealer: createSealer('secret', 'providerKeys'),
    catalogue: smallCatalogue,
    probe: async () => probeResult,
    requireSession: async () => undefined,
    now: () => 0,
  })
  await app.ready()
  const { paths } = app.swagger() as unknown as { paths: Record<string, Record<string, Operation>> }
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
