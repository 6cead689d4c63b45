import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Schema } from '../../../../src/console/docs-page/open-api-types.ts'
import { schemaRows } from '../../../../src/console/docs-page/schema-rows.ts'

const text: Schema = { type: 'string' }

function lines(schema: Schema, schemas: Readonly<Record<string, Schema>> = {}): string[] {
  return schemaRows(schema, schemas).map(
    ({ field, type, isRequired }) => `${field}${isRequired ? '' : '?'}: ${type}`,
  )
}

test('schemaRows gives the fields of objects and lists, those inside after their own', () => {
  const schema: Schema = {
    type: 'object',
    required: ['things'],
    properties: {
      things: {
        type: 'array',
        items: {
          type: 'object',
          properties: { name: text, sizes: { type: 'array', items: text } },
        },
      },
      place: { anyOf: [{ type: 'object', properties: { at: text } }, { type: 'null' }] },
    },
  }
  assert.deepEqual(lines(schema), [
    'things: list of object',
    'things[].name?: string',
    'things[].sizes?: list of string',
    'place?: object or null',
    'place.at?: string',
  ])
})

test('schemaRows names types as a reader would', () => {
  for (const [schema, type] of [
    [{ type: 'string', format: 'date-time' }, 'time'],
    [{ type: 'integer', minimum: 1, maximum: 5 }, 'integer, 1 to 5'],
    [{ type: 'integer', minimum: 1 }, 'integer'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ enum: ['a', 'b'] }, '"a", "b"'],
    [{ const: true }, 'true'],
    [{ type: 'object', additionalProperties: text }, 'map of string'],
    [{ type: 'object', xml: { name: 'Part' } }, '<Part>'],
    [{ $ref: '#/components/schemas/Known' }, 'boolean'],
    [{ $ref: '#/components/schemas/Unknown' }, 'anything'],
  ] as const) {
    assert.deepEqual(lines(schema, { Known: { type: 'boolean' } }), [`: ${type}`])
  }
})

test('schemaRows says the default and ends where a schema has itself inside', () => {
  const [row] = schemaRows({ type: 'integer', default: 300, description: 'Seconds.' }, {})
  assert.equal(row?.description, 'Seconds. Default: `300`.')
  const endless: Schema = {
    type: 'object',
    properties: { inner: { $ref: '#/components/schemas/Endless' } },
  }
  assert.equal(lines(endless, { Endless: endless }).length, 6)
})
