import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  comboInput,
  customModelInput,
  modelAliasInput,
  type RoutingAnswer,
} from '../../../../src/models/routing/routing-schemas.ts'
import { aliases, combos, customModels } from '../../../../web/src/models/items/item-resources.ts'

const state: RoutingAnswer = {
  connections: [],
  combos: [{ name: 'smart', models: ['lab/big', 'openai/gpt-5'] }],
  customModels: [
    {
      ...{ id: 'org/big model', providerAlias: 'lab', type: 'image', name: 'Big' },
      price: { input: 3, output: 15, cacheRead: 0.3 },
    },
  ],
  modelAliases: { 'mi/ne': 'lab/big' },
}

for (const [resource, schema] of [
  [combos, comboInput],
  [customModels, customModelInput],
  [aliases, modelAliasInput],
] as const) {
  test(`${resource.title}: an unchanged form sends the stored values back`, () => {
    for (const item of resource.itemsOf(state)) {
      const body = resource.bodyOf(resource.draftOf(item as never))
      const { kind, ...rest } = { kind: undefined, ...item } as { kind?: string }
      assert.deepEqual(
        schema.parse(body),
        resource === combos ? { ...rest, kind: kind ?? 'llm' } : item,
      )
    }
  })

  test(`${resource.title}: an empty form has a text for every field`, () => {
    const draft = resource.draftOf(undefined)
    for (const { name } of resource.fields) assert.equal(typeof draft[name], 'string', name)
  })
}

test('keyOf encodes the parts of the path', () => {
  assert.equal(
    customModels.keyOf({ id: 'org/big model', providerAlias: 'lab' }),
    'llm/lab/org%2Fbig%20model',
  )
  assert.equal(aliases.keyOf({ name: 'mi/ne', target: '' }), 'mi%2Fne')
})

test('kindOf is undefined for chat models', () => {
  assert.equal(combos.kindOf({ name: 'a' }), undefined)
  assert.equal(combos.kindOf({ name: 'a', kind: 'llm' }), undefined)
  assert.equal(combos.kindOf({ name: 'a', kind: 'tts' }), 'Speech')
})
