import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { PartSizes } from '../../../../../src/storage/drives/attributes.ts'
import {
  contentRange,
  countParts,
  isSameVersion,
  partRange,
  resolveRange,
} from '../../../../../src/storage/s3/headers/range.ts'
import { lastModified, modifiedAtMs } from '../read-fixture.ts'

const cases: readonly (readonly [field: string, size: number, outcome: unknown])[] = [
  ['bytes=0-0', 10, { start: 0, end: 1 }],
  ['bytes=2-5', 10, { start: 2, end: 6 }],
  ['bytes=2-', 10, { start: 2, end: 10 }],
  ['bytes=-3', 10, { start: 7, end: 10 }],
  ['bytes=-30', 10, { start: 0, end: 10 }],
  ['bytes=0-99999999999999999999999', 10, { start: 0, end: 10 }],
  ['Bytes=1-2', 10, { start: 1, end: 3 }],
  ['bytes = 1-2', 10, 'whole'],
  ['bytes=1 -2', 10, 'whole'],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-12', 10, 'unsatisfiable'],
  ['bytes=99999999999999999999999-', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-1', 0, 'unsatisfiable'],
  ['bytes=5-2', 10, 'whole'],
  ['bytes=-', 10, 'whole'],
  ['bytes=0-1,4-5', 10, 'whole'],
  ['lines=0-1', 10, 'whole'],
  ['bytes=a-b', 10, 'whole'],
  ['bytes=0x1-2', 10, 'whole'],
  ['', 10, 'whole'],
]

for (const [field, size, outcome] of cases) {
  test(`resolveRange of "${field}" over ${size} bytes is ${JSON.stringify(outcome)}`, () => {
    assert.deepEqual(resolveRange(field, size), outcome)
  })
}

test('resolveRange never returns bytes outside the object', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat(), (first, last, size) => {
      const outcome = resolveRange(`bytes=${first}-${last}`, size)
      if (typeof outcome === 'string') return
      assert.ok(outcome.start === first && outcome.start < outcome.end && outcome.end <= size)
    }),
  )
})

test('contentRange includes the last byte', () => {
  assert.equal(contentRange({ start: 0, end: 10 }, 100), 'bytes 0-9/100')
})

test('isSameVersion compares If-Range strongly by ETag and exactly by date', () => {
  const version = { etag: 'abc', modifiedAtMs }
  assert.equal(isSameVersion('"abc"', version), true)
  assert.equal(isSameVersion('W/"abc"', version), false)
  assert.equal(isSameVersion('"x"', version), false)
  assert.equal(isSameVersion('*', version), false)
  assert.equal(isSameVersion(lastModified, version), true)
  assert.equal(isSameVersion('Wed, 01 Jan 2025 12:00:01 GMT', version), false)
})

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
