import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PartTurn, turnOf } from '../../../../../src/storage/s3/multipart/part-queue.ts'
import type { UploadPhase } from '../../../../../src/storage/s3/multipart/upload-table.ts'

/** Part number, committed parts, phase, whether the drive can replace the last part. */
const cases: readonly (readonly [number, number, UploadPhase, boolean, PartTurn])[] = [
  [1, 0, 'open', true, 'append'],
  [4, 3, 'open', false, 'append'],
  [3, 3, 'open', true, 'replace'],
  [3, 3, 'open', false, 'compare'],
  [2, 3, 'open', true, 'compare'],
  [2, 0, 'open', true, 'wait'],
  [65, 0, 'open', true, 'wait'],
  [66, 0, 'open', true, 'far'],
  [10_000, 9_935, 'open', true, 'wait'],
  [10_000, 9_934, 'open', true, 'far'],
  [1, 1, 'completing', true, 'wait'],
  [1, 0, 'completed', true, 'gone'],
  [1, 0, 'aborted', true, 'gone'],
]

for (const [number, partCount, phase, replaceLast, turn] of cases) {
  test(`turnOf part ${number} of an upload ${phase} with ${partCount} parts is ${turn}`, () => {
    assert.equal(turnOf(number, { phase, partCount }, { replaceLast }), turn)
  })
}

const anyOrderCases: readonly (readonly [UploadPhase, PartTurn])[] = [
  ['open', 'place'],
  ['completing', 'wait'],
  ['completed', 'gone'],
]

for (const [phase, turn] of anyOrderCases) {
  test(`turnOf a part of an upload ${phase} whose parts come in any order is ${turn}`, () => {
    const abilities = { replaceLast: true, anyOrder: { slots: true } }
    assert.equal(turnOf(5_000, { phase, partCount: 3 }, abilities), turn)
  })
}
