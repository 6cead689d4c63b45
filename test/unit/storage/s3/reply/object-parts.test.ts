import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PartSizes } from '../../../../../src/storage/drives/attributes.ts'
import { countParts, partRange } from '../../../../../src/storage/s3/reply/object-parts.ts'

test('partRange finds parts by their runs', () => {
  const partSizes: PartSizes = [
    [2, 10],
    [1, 3],
  ]
  assert.equal(countParts(partSizes), 3)
  assert.deepEqual(partRange(partSizes, 1), { start: 0, end: 10 })
  assert.deepEqual(partRange(partSizes, 2), { start: 10, end: 20 })
  assert.deepEqual(partRange(partSizes, 3), { start: 20, end: 23 })
  assert.equal(partRange(partSizes, 4), undefined)
})

test('partRange returns adjacent parts that cover the object', () => {
  const runs = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(100)), { maxLength: 5 })
  fc.assert(
    fc.property(runs, (partSizes) => {
      let end = 0
      for (let part = 1; part <= countParts(partSizes); part++) {
        const range = partRange(partSizes, part)
        assert.equal(range?.start, end)
        end = range?.end ?? -1
      }
      assert.equal(
        end,
        partSizes.reduce((sum, [count, size]) => sum + count * size, 0),
      )
    }),
  )
})
