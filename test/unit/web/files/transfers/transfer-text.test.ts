import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Job } from '../../../../../web/src/files/transfers/job-list.ts'
import {
  announcement,
  dockTitle,
  jobText,
  paceText,
  percent,
} from '../../../../../web/src/files/transfers/transfer-text.ts'
import type { UploadItem, UploadState } from '../../../../../web/src/files/upload/upload-item.ts'
import type { UploadQueueState } from '../../../../../web/src/files/upload/upload-queue.ts'

function queueOf(counts: Partial<Record<UploadState, number>>, facts = {}): UploadQueueState {
  const all = { waiting: 0, running: 0, paused: 0, retrying: 0, failed: 0, done: 0, ...counts }
  const length = Object.values(all).reduce((sum, count) => sum + count, 0)
  return {
    items: Array.from({ length }, () => ({}) as UploadItem),
    totals: { counts: all, totalBytes: 3_000, sentBytes: 1_000, idleBytes: 0 },
    bytesPerSecond: 100,
    isPaused: false,
    ...facts,
  }
}

const job: Job = {
  ...{
    id: 1,
    isOnServer: false,
    title: 'Moving “a”',
    state: 'running',
    done: 2,
    total: 5,
    outcome: undefined,
  },
  ...{ problems: [], undo: undefined, problemCount: 0 },
}

describe('dockTitle', () => {
  test('shows running uploads first, then a job, then the last result', () => {
    assert.equal(
      dockTitle(queueOf({ running: 1, waiting: 2, done: 1 }), [job], true),
      'Uploading 1 of 4',
    )
    assert.equal(dockTitle(queueOf({ done: 1 }), [job], true), 'Moving “a”')
    assert.equal(dockTitle(queueOf({ done: 2 }), [], true), '2 files uploaded')
    assert.equal(dockTitle(queueOf({ done: 2, failed: 1 }), [], true), '1 file not uploaded')
    const none = { ...queueOf({}), items: [] }
    const ended = { ...job, state: 'done', title: 'Moved “a”' } as const
    assert.equal(dockTitle(none, [ended], true), 'Transfers')
    // Folded, it is the only line.
    assert.equal(dockTitle(none, [ended], false), 'Moved “a”')
  })
})

describe('announcement', () => {
  test('announces only what has ended', () => {
    assert.equal(announcement(queueOf({ running: 1, done: 1 }), [job]), '')
    const ended = { ...job, state: 'done', outcome: '5 moved.' } as const
    const text = announcement(queueOf({ done: 2, failed: 1 }), [ended])
    assert.equal(text, '2 files uploaded, 1 failed. Moving “a”: 5 moved.')
  })
})

test('paceText returns speed and remaining time, or why there are none', () => {
  const running = queueOf({ running: 1, paused: 1, failed: 1 })
  assert.equal(paceText(running, true), '100 bytes/s, 20 seconds left')
  const totals = { ...running.totals, idleBytes: 1_500 }
  assert.equal(paceText({ ...running, totals }, true), '100 bytes/s, 5 seconds left')
  assert.equal(paceText(running, false), 'Not connected, trying again')
  assert.equal(paceText(queueOf({ paused: 1 }, { isPaused: true }), true), 'Paused')
  assert.equal(paceText(queueOf({ paused: 2, failed: 1 }), true), 'Paused')
  assert.equal(paceText(queueOf({ retrying: 1, waiting: 3 }), true), 'Waiting to retry')
  assert.equal(paceText(queueOf({ running: 1 }, { bytesPerSecond: 0 }), true), '')
  assert.equal(paceText(queueOf({ done: 1 }), true), '')
})

test('jobText returns the progress, then the result', () => {
  assert.equal(jobText(job), '2 of 5')
  assert.equal(jobText({ ...job, total: undefined }), '2 so far')
  assert.equal(jobText({ ...job, state: 'done', outcome: 'x' }), 'x')
})

test('percent is at most 100', () => {
  assert.equal(percent(1, 4), 25)
  assert.equal(percent(5, 4), 100)
  assert.equal(percent(0, 0), 0)
})
