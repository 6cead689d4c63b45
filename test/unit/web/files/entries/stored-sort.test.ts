import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byName } from '../../../../../web/src/files/entries/entry-order.ts'
import { parseSort } from '../../../../../web/src/files/entries/stored-sort.ts'

test('parseSort reads a stored sort order', () => {
  const sort = { field: 'size', isDescending: true } as const
  assert.deepEqual(parseSort(JSON.stringify(sort)), sort)
})

for (const text of [null, '', 'null', '5', '{', '{"field":"colour"}', '[]']) {
  test(`parseSort falls back to the name for ${text}`, () => {
    assert.deepEqual(parseSort(text), byName)
  })
}
