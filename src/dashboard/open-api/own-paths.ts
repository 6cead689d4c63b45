import type { ApiResponse, PathItem, Schema } from './describe-routes.ts'

/** Paths outside S3 and the JSON protocols. */

const health: Schema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ok', 'unavailable'] },
    failing: { type: 'array', items: { type: 'string', enum: ['drive', 'database'] } },
  },
  required: ['status'],
}

const access = {
  type: 'object',
  properties: { ready: { type: 'boolean' }, failing: health.properties?.failing ?? {} },
  required: ['ready'],
} as const
const readiness: Schema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['ready', 'unavailable', 'stopping'] },
    reads: access,
    writes: access,
  },
  required: ['status'],
}

const page = (description: string): ApiResponse => ({ description, content: { 'text/html': {} } })
const json = (description: string, schema = health): ApiResponse => ({
  description,
  content: { 'application/json': { schema } },
})

function readyPath(operationId: string, what: string): PathItem {
  return {
    get: {
      operationId,
      summary: `Whether ${what} ready`,
      tags: ['service'],
      responses: {
        200: json(`${what[0]?.toUpperCase()}${what.slice(1)} ready.`, readiness),
        503: json('Something fails, or the process is about to stop.', readiness),
      },
    },
  }
}

function pathParameter(name: string, description: string) {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } } as const
}

export const ownPaths: Readonly<Record<string, PathItem>> = {
  '/-/healthz': {
    get: {
      operationId: 'getHealth',
      summary: 'Health of the drive and the database',
      tags: ['service'],
      responses: {
        200: json('Both respond.'),
        503: json('`failing` names what does not respond.'),
      },
    },
  },
  '/-/livez': {
    get: {
      operationId: 'getLiveness',
      summary: 'Whether the process is serving',
      tags: ['service'],
      responses: { 200: json('Nothing else is checked.') },
    },
  },
  '/-/readyz': readyPath('getReadiness', 'reads and writes are'),
  '/-/readyz/reads': readyPath('getReadsReadiness', 'reads are'),
  '/-/readyz/writes': readyPath('getWritesReadiness', 'writes are'),
  '/-/metrics': {
    get: {
      operationId: 'getMetrics',
      summary: 'Metrics of all processes, for Prometheus',
      description: 'Requires METRICS_TOKEN as a bearer token.',
      tags: ['service'],
      responses: {
        200: { description: 'The metrics.', content: { 'text/plain': {} } },
        401: { description: 'The token is wrong or missing.', content: { 'application/json': {} } },
        404: { description: 'METRICS_TOKEN is not set.', content: { 'application/json': {} } },
      },
    },
  },
  '/-/': {
    get: {
      operationId: 'getDashboard',
      summary: 'The dashboard',
      description: 'Browsers that request `/` without a signature are redirected here.',
      tags: ['service'],
      responses: { 200: page('The app.'), 503: page('The dashboard is not built.') },
    },
  },
  '/-/docs': {
    get: {
      operationId: 'getDocs',
      summary: 'This API description as a page',
      tags: ['service'],
      responses: { 200: page('The page.'), 503: page('The dashboard is not built.') },
    },
  },
  '/-/{page}': {
    get: {
      operationId: 'getDashboardPage',
      summary: 'A page of the dashboard',
      tags: ['service'],
      parameters: [pathParameter('page', 'Any path not listed here.')],
      responses: { 200: page('The app.'), 503: page('The dashboard is not built.') },
    },
  },
  '/-/assets/{name}': {
    get: {
      operationId: 'getDashboardAsset',
      summary: 'A file of the dashboard',
      tags: ['service'],
      parameters: [pathParameter('name', 'The name contains a hash: the file never changes.')],
      responses: {
        200: { description: 'The file.', content: { '*/*': {} } },
        404: { description: 'Not found.', content: { 'text/plain': {} } },
      },
    },
  },
}
