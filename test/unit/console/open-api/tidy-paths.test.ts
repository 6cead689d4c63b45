import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tidyPaths, tidySchema } from '../../../../src/console/open-api/tidy-paths.ts'

test('tidySchema removes keywords that the type implies, at any depth', () => {
  const noisy = {
    type: 'integer',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  }
  assert.deepEqual(
    tidySchema({
      type: 'object',
      propertyNames: { type: 'string' },
      properties: {
        at: { type: 'string', format: 'date-time', pattern: '^\\d$' },
        code: { type: 'string', pattern: '^x$' },
        // A property that is called as a keyword is none.
        pattern: { type: 'array', readOnly: true, items: noisy },
      },
      additionalProperties: false,
    }),
    {
      type: 'object',
      properties: {
        at: { type: 'string', format: 'date-time' },
        code: { type: 'string', pattern: '^x$' },
        pattern: { type: 'array', items: { type: 'integer' } },
      },
      additionalProperties: false,
    },
  )
})

test('tidyPaths names the wildcard, and describes statuses that have no description', () => {
  const error = {
    type: 'object',
    properties: { message: { type: 'string' }, field: { type: 'string' } },
  }
  const { '/v1/models/{id}': item } = tidyPaths({
    '/v1/models/{*}': {
      get: {
        ...{ operationId: 'get', summary: 'x', tags: [] },
        parameters: [{ name: '*', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: { description: 'Default Response' },
          '4XX': { description: 'The reason.', content: { 'application/json': { schema: error } } },
          503: { description: 'The store is away.' },
        },
      },
    },
  })
  const operation = item?.get
  assert.equal(operation?.parameters?.[0]?.name, 'id')
  assert.deepEqual(operation?.responses, {
    200: { description: 'Success.' },
    '4XX': {
      description: 'The request is rejected.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
    503: { description: 'The store is away.' },
  })
})
