import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  itemsOf,
  jsonProblem,
  trimmed,
} from '../../../../../../web/src/files/preview/text/json-items.ts'

function pairsOf(text: string): (readonly [string, string])[] {
  const { start } = trimmed(text, 0, text.length)
  return itemsOf(text, start).map(({ name, start, end }) => [name, text.slice(start, end)])
}

describe('itemsOf', () => {
  test('keeps long numbers, the order of names, and equal names', () => {
    assert.deepEqual(
      pairsOf(' {"b": 9007199254740993 ,"1":1, "b\\n\\"" : [1.50, {"x": "},"}]}\n'),
      [
        ['b', '9007199254740993'],
        ['1', '1'],
        ['b\n"', '[1.50, {"x": "},"}]'],
      ],
    )
  })

  test('is empty for what has no items', () => {
    for (const text of ['[]', '{ }', '[ ]']) assert.deepEqual(pairsOf(text), [])
  })

  test('finds the items of any value', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const value: unknown = JSON.parse(json)
        if (typeof value !== 'object' || value === null) return
        const text = JSON.stringify(value, undefined, indent)
        const found = pairsOf(text).map(([name, item]) => [name, JSON.parse(item)])
        assert.deepEqual(found, Object.entries(JSON.parse(text)))
      }),
    )
  })

  test('finds one item in a million levels, and a million items', () => {
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
    assert.equal(pairsOf(deep).length, 1)
    assert.equal(pairsOf(`[${'1,'.repeat(999_999)}1]`).length, 1_000_000)
  })
})

test('jsonProblem says what is wrong', () => {
  assert.equal(jsonProblem('{"a": [1]}'), undefined)
  assert.match(jsonProblem('{"a": }') ?? '', /Unexpected token/)
  assert.notEqual(jsonProblem(''), undefined)
})
