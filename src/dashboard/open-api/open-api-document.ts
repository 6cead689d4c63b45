import { z } from 'zod'
import { JsonBytes, type Route, route } from '../../platform/json-api/route.ts'
import type { OpenApiDocument, Schema } from './describe-routes.ts'
import { describeRoutes } from './describe-routes.ts'
import { ownPaths } from './own-paths.ts'

const info = {
  title: 'Bucketry',
  // docs/contract/decisions.md, "Version".
  version: '1.0.0',
  description:
    'The JSON APIs: login, management of the gateway and the model list. S3 is described in ' +
    'docs/s3-compatibility.md.',
  license: { name: 'MIT', identifier: 'MIT' },
}

const tags = [
  { name: 'login', description: 'Sessions of the dashboard.' },
  { name: 'management', description: 'The API behind the dashboard.' },
  {
    name: 'models',
    description: 'The model list and calls, in the formats of OpenAI and Anthropic.',
  },
  { name: 'calls', description: 'Keys and usage of model calls.' },
  { name: 'routing', description: 'The sources of the model list.' },
  { name: 'service', description: 'The service itself.' },
]

const securitySchemes = {
  session: { type: 'http', scheme: 'bearer', description: 'A token from `POST /auth/login`.' },
  modelsKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'MODELS_API_KEY, if it is set. Calls also accept a model key.',
  },
  modelsKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'MODELS_API_KEY, if it is set. Calls also accept a model key.',
  },
} as const

const errorSchema: Schema = {
  type: 'object',
  description: 'The reason.',
  properties: {
    message: { type: 'string', description: 'Human-readable.' },
    field: { type: 'string', description: 'JSON path of the invalid field in the request.' },
  },
  required: ['message'],
}

/** The OpenAPI 3.1 document of the JSON APIs, with these routes. docs/s3-compatibility.md describes S3. */
export function describeService(routes: readonly Route[]): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/', description: 'The address that serves this document.' }],
    tags,
    paths: { ...describeRoutes(routes), ...ownPaths },
    components: { securitySchemes, schemas: { Error: errorSchema } },
  }
}

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
