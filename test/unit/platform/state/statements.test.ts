import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Database } from '../../../../src/platform/state/database.ts'
import { parameterLists, readLists, valueLists } from '../../../../src/platform/state/statements.ts'

const pair = fc.tuple(fc.string(), fc.integer())

test('parameterLists holds every item once, in order, followed only by null', () => {
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 1_500 }), (items) => {
      const lists = parameterLists(items, '(?, ?)')
      const values = lists.flatMap(({ params }) => params)
      assert.deepEqual(values.slice(0, items.length * 2), items.flat())
      assert.ok(values.slice(items.length * 2).every((value) => value === null))
      for (const { sql, params } of lists) assert.equal(sql.split('?').length - 1, params.length)
    }),
    { numRuns: 50 },
  )
})

test('parameterLists produces few different statements', () => {
  const items = Array.from({ length: 1_300 }, (_, index) => [index])
  const statements = items.flatMap((_, count) =>
    parameterLists(items.slice(0, count), '?').map(({ sql }) => sql),
  )
  assert.equal(new Set(statements).size, 4)
})

test('parameterLists returns no list for no items', () => {
  assert.deepEqual(parameterLists([], '?'), [])
})

test('readLists returns more rows than a call has room for arguments', async () => {
  const many = Array.from({ length: 300_000 }, (_, id) => ({ id }))
  const database = { read: async () => many } as unknown as Database
  const rows = await readLists(database, valueLists(['folder']), (list) => list)
  assert.equal(rows.length, many.length)
})
