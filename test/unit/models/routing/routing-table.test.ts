import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type OrderedRow,
  type RoutingRow,
  rowChanges,
} from '../../../../src/models/routing/routing-table.ts'

const ordered = (id: string, position: number, json = ''): OrderedRow => ({ id, position, json })
const row = (id: string, json = ''): RoutingRow => ({ id, json })

test('rowChanges touches one row when one is added, changed or removed', () => {
  const seen = [ordered('a', 0), ordered('b', 1), ordered('c', 2)]
  const cases: readonly (readonly [RoutingRow[], string[], OrderedRow[]])[] = [
    [[row('a'), row('b'), row('c'), row('d')], [], [ordered('d', 3)]],
    [[row('a'), row('b', 'new'), row('c')], ['b'], [ordered('b', 1, 'new')]],
    [[row('a'), row('c')], ['b'], []],
    [[row('a'), row('b'), row('c')], [], []],
  ]
  for (const [next, removed, added] of cases) {
    assert.deepEqual(rowChanges(seen, next), { removed, added })
  }
})

test('rowChanges transforms any rows into any others', () => {
  const letters = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 8 })
  const contents = fc.constantFrom('x', 'y')
  fc.assert(
    fc.property(letters, letters, contents, contents, (before, after, json, nextJson) => {
      const seen = before.map((id, index) => ordered(id, index * 3, json))
      const next = after.map((id, index) => row(id, index % 2 === 0 ? nextJson : json))
      const { removed, added } = rowChanges(seen, next)
      const kept = seen.filter(({ id }) => !removed.includes(id))
      const ids = new Set(kept.map(({ id }) => id))
      for (const { id } of added) assert.ok(!ids.has(id), `${id} would be there twice`)
      const made = [...kept, ...added].toSorted((a, b) => a.position - b.position)
      assert.equal(new Set(made.map(({ position }) => position)).size, made.length)
      assert.deepEqual(
        made.map(({ id, json: content }) => ({ id, json: content })),
        next,
      )
    }),
  )
})
