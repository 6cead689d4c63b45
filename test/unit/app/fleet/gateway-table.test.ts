import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outdatedRows } from '../../../../src/app/fleet/gateway-table.ts'

const hour = 3_600_000
const nowMs = 1_000 * hour

function row(id: string, process: string, startedAtMs: number, endedAtMs = 0) {
  const about = { beat: 1, beatTicks: 0, json: '{}', question: '', answer: '' }
  return { id, process, startedAtMs, endedAtMs, ...about }
}

function outdated(...rows: readonly ReturnType<typeof row>[]): string[] {
  return outdatedRows(rows, nowMs).map(({ id }) => id)
}

test('A row is kept for 48 h after its gateway has ended', () => {
  const old = row('old', 'far.1/7/1000', 0, nowMs - 48 * hour)
  const recent = row('recent', 'far.1/8/2000', 0, nowMs - 48 * hour + 1)
  assert.deepEqual(outdated(old, recent), ['old'])
})

test('A row is removed at once if an older gateway runs on the host', () => {
  const ended = row('ended', 'far.1/8/2000', nowMs - 2_000, nowMs - 1_000)
  assert.deepEqual(outdated(row('runs', 'far.1/7/1000', 0), ended), ['ended'])
  assert.deepEqual(outdated(row('runs', 'far.2/7/1000', 0), ended), [])
  assert.deepEqual(outdated(row('ran', 'far.1/7/1000', 0, nowMs), ended), [])
  assert.deepEqual(outdated(row('mac', 'mac/7/', 0), row('other', 'mac/8/', 0, 1_000_000)), [
    'other',
  ])
})

test('A row is removed an hour after the start of a gateway on the host', () => {
  const ended = row('ended', 'far.1/7/1000', 0, nowMs - 2 * hour)
  assert.deepEqual(outdated(ended, row('runs', 'far.1/9/5000', nowMs - hour)), ['ended'])
  assert.deepEqual(outdated(ended, row('runs', 'far.1/9/5000', nowMs - hour + 1)), [])
  const overlapping = row('runs', 'far.1/9/5000', nowMs - 2 * hour - 1)
  assert.deepEqual(outdated(ended, overlapping), [])
})
