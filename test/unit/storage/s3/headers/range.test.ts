import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  contentRange,
  isSameVersion,
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
