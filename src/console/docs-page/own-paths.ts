import type { ApiResponse, PathItem, Schema } from './open-api-types.ts'

/** What is served beside S3 and the JSON protocols. */

const health: Schema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ok', 'unavailable'] },
    failing: { type: 'array', items: { type: 'string', enum: ['drive', 'database'] } },
  },
  required: ['status'],
}

const page = (description: string): ApiResponse => ({ description, content: { 'text/html': {} } })
const json = (description: string): ApiResponse => ({
  description,
  content: { 'application/json': { schema: health } },
})

function pathParameter(name: string, description: string) {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } } as const
}

export const ownPaths: Readonly<Record<string, PathItem>> = {
  '/-/healthz': {
    get: {
      operationId: 'getHealth',
      summary: 'Whether drive and database answer',
      tags: ['service'],
      responses: { 200: json('They do.'), 503: json('Those that do not are named.') },
    },
  },
  '/-/': {
    get: {
      operationId: 'getDashboard',
      summary: 'The dashboard',
      description: 'A browser that asks for `/` without a signature is sent here.',
      tags: ['service'],
      responses: { 200: page('The app.'), 503: page('It is not built.') },
    },
  },
  '/-/{page}': {
    get: {
      operationId: 'getDashboardPage',
      summary: 'A page of the dashboard',
      tags: ['service'],
      parameters: [pathParameter('page', 'Any path that is nothing else.')],
      responses: { 200: page('The app.'), 503: page('It is not built.') },
    },
  },
  '/-/assets/{name}': {
    get: {
      operationId: 'getDashboardAsset',
      summary: 'A file of the dashboard',
      tags: ['service'],
      parameters: [pathParameter('name', 'With a hash in it: it never changes.')],
      responses: {
        200: { description: 'The file.', content: { '*/*': {} } },
        404: { description: 'There is none.', content: { 'text/plain': {} } },
      },
    },
  },
}
