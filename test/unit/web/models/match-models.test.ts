import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOf } from '../../../../web/src/models/listed/list-names.ts'
import { matchModels } from '../../../../web/src/models/listed/match-models.ts'

const models = [
  { id: 'openai/gpt-5', owned_by: 'openai' },
  { id: 'lab/GPT-small', owned_by: 'lab' },
  { id: 'anthropic/claude', owned_by: 'anthropic' },
]

for (const [search, found] of [
  ['', [0, 1, 2]],
  ['  ', [0, 1, 2]],
  ['gpt', [0, 1]],
  ['GPT lab', [1]],
  ['small gpt', [1]],
  ['none', []],
] as const) {
  test(`matchModels finds ${found.length} for "${search}"`, () => {
    assert.deepEqual(
      matchModels(models, search),
      found.map((index) => models[index]),
    )
  })
}

test('listOf returns the first list for an unknown name', () => {
  assert.equal(listOf('web').path, '/v1/models/web')
  assert.equal(listOf('none').path, '/v1/models')
  assert.equal(listOf(null).path, '/v1/models')
})
