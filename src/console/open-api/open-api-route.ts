import { z } from 'zod'
import { JsonBytes, type Route, route } from '../../json-api/route.ts'
import type { OpenApiDocument } from './open-api-types.ts'

/**
 * The OpenAPI document, created on the first request. It contains no secrets and is public. The
 * dashboard's API reference (web/docs.html) shows it.
 *
 * @param describe called on the first request, and again after a failure.
 */
export function openApiRoute(describe: () => OpenApiDocument): Route {
  let rendered: Uint8Array | undefined
  return route({
    method: 'GET',
    path: '/-/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This API description as OpenAPI 3.1',
    tag: 'service',
    reply: z.looseObject({}).meta({ description: 'The document.' }),
    async answer({ replyHeaders }) {
      rendered ??= Buffer.from(JSON.stringify(describe()))
      replyHeaders.set('cache-control', 'no-cache')
      return new JsonBytes(rendered)
    },
  })
}
