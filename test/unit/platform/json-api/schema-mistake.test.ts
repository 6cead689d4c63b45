import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { schemaMistake } from '../../../../src/platform/json-api/schema-mistake.ts'

const schema = z.strictObject({
  name: z.string(),
  items: z.array(z.strictObject({ count: z.int() })).optional(),
  place: z
    .union([z.string(), z.object({ at: z.object({ line: z.number() }) }), z.null()])
    .optional(),
})

const cases: readonly (readonly [title: string, value: unknown, field: string | undefined])[] = [
  ['a missing field', {}, 'name'],
  ['a field of a wrong type', { name: 1 }, 'name'],
  ['a field of an item', { name: '', items: [{ count: 1 }, { count: 1.5 }] }, 'items[1].count'],
  ['an unknown field', { name: '', extra: 1 }, 'extra'],
  ['an unknown field of an item', { name: '', items: [{ count: 1, b: 2 }] }, 'items[0].b'],
  ['the variant that got furthest', { name: '', place: { at: { line: '1' } } }, 'place.at.line'],
  ['a value that fits no variant', { name: '', place: 7 }, 'place'],
  ['a body that is no object', [], undefined],
  ['no body', null, undefined],
]

for (const [title, value, field] of cases) {
  test(`schemaMistake names ${title}`, () => {
    const { error } = schema.safeParse(value)
    assert.ok(error !== undefined)
    const mistake = schemaMistake(error)
    assert.equal(mistake.status, 400)
    assert.equal(mistake.field, field)
    assert.notEqual(mistake.message, '')
  })
}

test('schemaMistake is short, however long the field is', () => {
  const { error } = schema.safeParse({ name: '', [`x${'y'.repeat(100_000)}`]: 1 })
  assert.ok(error !== undefined)
  const { message, field = '' } = schemaMistake(error)
  assert.ok(message.length + field.length < 1_000)
})
