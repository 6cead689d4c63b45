import swagger from '@fastify/swagger'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { createJsonApp, type JsonApp } from '../../json-api/json-app.ts'
import type { OpenApiDocument, Schema } from './open-api-types.ts'
import { ownPaths } from './own-paths.ts'
import { tidyPaths } from './tidy-paths.ts'

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
  { name: 'models', description: 'The model list, in the format of OpenAI.' },
  { name: 'routing', description: 'The sources of the model list.' },
  { name: 'service', description: 'The service itself.' },
]

const securitySchemes = {
  session: { type: 'http', scheme: 'bearer', description: 'A token from `POST /auth/login`.' },
  modelsKey: { type: 'http', scheme: 'bearer', description: 'MODELS_API_KEY, if it is set.' },
  modelsKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'MODELS_API_KEY, if it is set.',
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

/**
 * OpenAPI 3.1 of the JSON APIs. docs/s3-compatibility.md describes S3.
 *
 * @param register registers the plugins of the JSON protocols, as they are served. The app is closed
 *   afterwards and never answers a request.
 */
export async function describeService(
  register: (app: JsonApp) => Promise<void>,
): Promise<OpenApiDocument> {
  const app = createJsonApp()
  try {
    await app.register(swagger, {
      openapi: { openapi: '3.1.0', info, components: { securitySchemes } },
      transform: jsonSchemaTransform,
    })
    await register(app)
    await app.ready()
    // The types of the library also cover OpenAPI 3.0 and are therefore wider.
    const { paths } = app.swagger() as unknown as { readonly paths: OpenApiDocument['paths'] }
    return {
      openapi: '3.1.0',
      info,
      servers: [{ url: '/', description: 'The address that serves this document.' }],
      tags,
      paths: { ...tidyPaths(paths), ...ownPaths },
      components: { securitySchemes, schemas: { Error: errorSchema } },
    }
  } finally {
    await app.close()
  }
}
