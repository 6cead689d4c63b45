import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonPath } from '../../../../src/platform/json-api/api-error.ts'
import { aliasField, warningsAt } from '../../../../web/src/models/warnings-at.ts'

test('warningsAt returns only the warnings about one item', () => {
  const warnings = [
    { field: 'combos[1].models[0]', message: 'one' },
    { field: 'combos[1]', message: 'two' },
    { field: 'combos[11].models[0]', message: 'other' },
    { field: 'combos[10]', message: 'other' },
  ]
  assert.deepEqual(warningsAt(warnings, 'combos[1]'), ['one', 'two'])
  assert.deepEqual(warningsAt([{ field: 'modelAliases.ab', message: 'x' }], aliasField('a')), [])
})

test('aliasField names an alias as the API does', () => {
  for (const name of ['mine', 'my name', 'a"b', '$', '1', 'ä', 'a.b', '__proto__']) {
    assert.equal(aliasField(name), jsonPath(['modelAliases', name]))
  }
})
