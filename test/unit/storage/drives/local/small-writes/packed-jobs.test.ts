import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  packJobs,
  packOutcomes,
  unpackJobs,
  unpackOutcomes,
} from '../../../../../../src/storage/drives/local/small-writes/packed-jobs.ts'
import type {
  WriteJob,
  WriteOutcome,
} from '../../../../../../src/storage/drives/local/small-writes/write-jobs.ts'

const target = { folder: '/root/bücket', name: 'ключ\n', alternative: '/root/b/ключ.%file' }
const lock = { holder: '/tmp/holder', path: '/locks/1' }
const history = { folder: '/versions', token: '/fence/1', versioning: { changes: [1.5, 2] } }
const jobs: readonly WriteJob[] = [
  { kind: 'seal', path: '/tmp/1', bytes: Buffer.from('one'), modifiedAtMs: 1.5, isRelaxed: true },
  {
    ...{ kind: 'publish', path: '/tmp/2', ...target, lock },
    ...{ history: { ...history, time: '20261130T000000.000Z' }, replaced: '/notes/1/2' },
  },
  {
    ...{ kind: 'store', path: '/tmp/3', ...target, lock, history, links: undefined },
    ...{ bytes: Buffer.alloc(0), modifiedAtMs: 1_796_015_801_123.123, isRelaxed: false },
    record: { path: 'bücket/ключ\n', json: '{"metadata":{"a":"\\u0000"}}' },
  },
  { kind: 'seal', path: '/tmp/4', bytes: Buffer.from('four'), modifiedAtMs: 2, isRelaxed: false },
]

test('jobs arrive with all their texts, numbers and bytes', () => {
  const packed = packJobs(jobs, new SharedArrayBuffer(16))
  const arrived = unpackJobs(structuredClone(packed))
  assert.equal(arrived.length, jobs.length)
  for (const [index, job] of jobs.entries()) {
    for (const [name, value] of Object.entries(job)) {
      const got = arrived[index]?.[name as keyof WriteJob] as unknown
      if (name === 'bytes') assert.deepEqual(Buffer.from(got as Uint8Array), value)
      else assert.deepEqual(got, value, name)
    }
  }
  assert.deepEqual(unpackJobs(packJobs([], new SharedArrayBuffer(0))), [])
})

test('outcomes arrive with what they have', () => {
  const stamp = { identity: '1:2:3:4', size: 4, modifiedAtMs: 1_796_015_801_123.123 }
  const moved = { gone: '5:6:7:8', synced: undefined, syncError: 'EIO' }
  const none = { stamp: undefined, fd: undefined, moved: undefined, recordedMs: undefined }
  const outcomes: readonly WriteOutcome[] = [
    undefined,
    { stamp, fd: 0 },
    { moved: { gone: undefined, synced: '/root/b 1:2', syncError: undefined }, isLocked: true },
    { stamp, fd: undefined, recordedMs: 0.25, moved, isLocked: false },
  ]
  assert.deepEqual(unpackOutcomes(structuredClone(packOutcomes(outcomes))), [
    undefined,
    { ...none, isLocked: false, ...outcomes[1] },
    { ...none, ...outcomes[2] },
    outcomes[3],
  ])
  assert.deepEqual(unpackOutcomes(packOutcomes([])), [])
})
