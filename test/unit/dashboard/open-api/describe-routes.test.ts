import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { describeRoutes, jsonSchema } from '../../../../src/dashboard/open-api/describe-routes.ts'
import { route, routesBelow } from '../../../../src/platform/json-api/route.ts'

test('jsonSchema leaves out keywords that the type implies, at any depth', () => {
  const schema = z.strictObject({
    at: z.iso.datetime(),
    code: z.string().regex(/^x$/),
    names: z.record(z.string(), z.int()),
    // A property that is called as a keyword is none.
    pattern: z.array(z.int().min(0)).readonly(),
  })
  assert.deepEqual(jsonSchema(schema, 'output'), {
    type: 'object',
    properties: {
      at: { type: 'string', format: 'date-time' },
      code: { type: 'string', pattern: '^x$' },
      names: { type: 'object', additionalProperties: { type: 'integer' } },
      pattern: { type: 'array', items: { type: 'integer', minimum: 0 } },
    },
    required: ['at', 'code', 'names', 'pattern'],
    additionalProperties: false,
  })
})

const get = route({
  ...{ method: 'GET', path: '/models/{id+}', operationId: 'get', summary: 'x' },
  params: z.object({ id: z.string().describe('A model.') }),
  query: z.strictObject({ page: z.int().optional() }),
  errors: { 503: 'The store is away.' },
  reply: z.object({}),
  answer: async () => ({}),
})
const hidden = { ...get, path: '/models/', isHidden: true }

test('describeRoutes describes parameters, statuses and errors, and leaves out hidden routes', () => {
  const paths = describeRoutes(routesBelow('/v1', { tag: 'models' }, [get, hidden]))
  assert.deepEqual(Object.keys(paths), ['/v1/models/{id}'])
  const operation = paths['/v1/models/{id}']?.get
  assert.deepEqual(operation?.tags, ['models'])
  assert.deepEqual(operation?.parameters, [
    { name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'A model.' },
    { name: 'page', in: 'query', required: false, schema: { type: 'integer' } },
  ])
  const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  assert.deepEqual(operation?.responses, {
    200: { description: 'Success.', content: { 'application/json': { schema } } },
    '4XX': { description: 'The request is rejected.', content: error },
    '5XX': {
      description: 'The service cannot handle the request, at least not now.',
      content: error,
    },
    503: { description: 'The store is away.', content: error },
  })
})

test('describeRoutes describes a reply without a body and the errors of another format', () => {
  const remove = { ...get, method: 'DELETE', status: 204, replyDescription: 'Gone.' } as const
  const { reply: _, query: __, ...bodiless } = remove
  const errorSchema = z.object({ error: z.string() })
  const [operation] = Object.values(describeRoutes([{ ...bodiless, errorSchema }]))
  const { responses } = operation?.delete ?? assert.fail()
  assert.deepEqual(responses[204], { description: 'Gone.' })
  assert.deepEqual(responses['4XX']?.content?.['application/json']?.schema?.required, ['error'])
})
