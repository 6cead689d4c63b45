import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type FieldSpec,
  fieldOfError,
  linesOf,
  shownFields,
} from '../../../../web/src/models/forms/field-spec.ts'

const field = (name: string, path: string): FieldSpec => ({
  ...{ name, path },
  label: name,
  kind: 'text',
})
const fields = [
  field('name', 'name'),
  field('baseUrl', 'providerSpecificData.baseUrl'),
  field('models', 'models'),
]

for (const [path, name] of [
  ['name', 'name'],
  ['providerSpecificData.baseUrl', 'baseUrl'],
  ['models[3]', 'models'],
  ['models.length', 'models'],
  ['names', undefined],
  ['providerSpecificData', undefined],
  [undefined, undefined],
] as const) {
  test(`fieldOfError returns ${name} for ${path}`, () => {
    assert.equal(fieldOfError(fields, path), name)
  })
}

test('linesOf omits blank lines and trims the others', () => {
  assert.deepEqual(linesOf(' a \r\n\n  \nb c\n'), ['a', 'b c'])
  assert.deepEqual(linesOf(undefined), [])
})

test('shownFields omits fields that do not apply to the draft', () => {
  const choosy: FieldSpec = { ...field('key', 'key'), isShown: ({ name }) => name === 'a' }
  assert.deepEqual(shownFields([choosy], { name: 'a' }), [choosy])
  assert.deepEqual(shownFields([choosy], { name: 'b' }), [])
})
