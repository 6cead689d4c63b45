import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOf } from '../../../../web/src/models/listed/list-names.ts'

test('listOf returns the first list for an unknown name', () => {
  assert.equal(listOf('web').path, '/v1/models/web')
  assert.equal(listOf('none').path, '/v1/models')
  assert.equal(listOf(null).path, '/v1/models')
})
