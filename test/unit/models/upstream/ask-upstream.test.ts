import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listedModels } from '../../../../src/models/upstream/ask-upstream.ts'

const listedIds = (answer: unknown) => {
  const models = listedModels(answer)
  return models && [...models.keys()]
}

describe('listedIds finds the array', () => {
  const list = [{ id: 'a' }]
  const forms = {
    'by itself': list,
    'in data': { object: 'list', data: list },
    'in models': { models: list },
    'in results': { results: list },
    'in data before models': { models: [{ id: 'b' }], data: list },
    'in models when data is none': { data: null, models: list },
  }
  for (const [form, answer] of Object.entries(forms)) {
    test(form, () => assert.deepEqual(listedIds(answer), ['a']))
  }

  for (const answer of [null, 5, 'x', {}, { data: {} }, { data: 'a' }, { items: list }]) {
    test(`not in ${JSON.stringify(answer)}`, () => assert.equal(listedIds(answer), undefined))
  }
})

describe('listedIds takes an id', () => {
  const cases: readonly [string, unknown[], string[]][] = [
    ['from id, name or model', [{ id: 'a' }, { name: 'b' }, { model: 'c' }], ['a', 'b', 'c']],
    ['from the first of them', [{ model: 'c', name: 'b', id: 'a' }], ['a']],
    ['from the next one where one is empty', [{ id: '', name: null, model: 'c' }], ['c']],
    ['as it is written', [{ id: ' a ' }], [' a ']],
    ['once', [{ id: 'a' }, { name: 'a' }, { id: 'b' }], ['a', 'b']],
    ['not when it is blank or no text', [{ id: ' ' }, { id: 5 }, { id: {} }, { id: true }], []],
    ['not from what is no object', [null, 'a', 5, ['a'], undefined], []],
    ['not from a prototype', [Object.create({ id: 'a' })], []],
    ['not when it is longer than 500 characters', [{ id: 'x'.repeat(501) }, { id: 'a' }], ['a']],
    ['of 500 characters', [{ id: 'x'.repeat(500) }], ['x'.repeat(500)]],
    ['from no element', [], []],
  ]
  for (const [title, elements, expected] of cases) {
    test(title, () => assert.deepEqual(listedIds(elements), expected))
  }
})
