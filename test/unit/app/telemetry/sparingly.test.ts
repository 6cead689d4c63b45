import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sparingly } from '../../../../src/app/telemetry/sparingly.ts'

test('sparingly reports immediately, then once per interval with the number of calls', () => {
  let nowMs = 1_000
  const said: number[] = []
  const call = sparingly(
    100,
    (calls) => said.push(calls),
    () => nowMs,
  )
  call()
  assert.deepEqual(said, [1])
  nowMs += 99
  call()
  call()
  assert.deepEqual(said, [1])
  nowMs += 1
  call()
  assert.deepEqual(said, [1, 3])
})
