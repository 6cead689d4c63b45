import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDriveStatus } from '../../../../src/dashboard/management/drive-status.ts'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { silentLog } from '../../../support/silent-log.ts'

type Asked = Pick<Drive, 'check' | 'quota' | 'bucketCreatedAtMs'>

function factsOf(drive: Partial<Asked>) {
  const clock = { now: 0 }
  const facts = createDriveStatus({
    drive: {
      ...{ kind: 'webdav', deletes: 'server' },
      ...{ check: async () => undefined, bucketCreatedAtMs: async () => 5 },
      ...drive,
    },
    ...{ now: () => clock.now, log: silentLog, waitMs: 20 },
  })
  return { facts, clock }
}

const well = { kind: 'webdav', deletes: 'server', problem: null } as const
const unknown = { ...well, freeBytes: null, totalBytes: null }

test('the free space is requested once in ten seconds for all callers', async () => {
  let asked = 0
  const { facts, clock } = factsOf({
    quota: async () => {
      asked += 1
      return { freeBytes: 10 * asked, totalBytes: 100 }
    },
  })
  await Promise.all([facts.status(), facts.status()])
  clock.now = 9_999
  assert.deepEqual(await facts.status(), { ...well, freeBytes: 10, totalBytes: 100 })
  clock.now = 10_000
  assert.equal((await facts.status()).freeBytes, 20)
  assert.equal(asked, 2)
})

test('a hanging drive gets one request, is unknown until the reply, and its late reply is used', async () => {
  let asked = 0
  let answer: (room: { freeBytes: number; totalBytes: number }) => void = () => undefined
  const { facts } = factsOf({
    quota: () => {
      asked += 1
      return new Promise((resolve) => {
        answer = resolve
      })
    },
  })
  assert.deepEqual(await facts.status(), unknown)
  assert.deepEqual(await facts.status(), unknown)
  assert.equal(asked, 1)
  answer({ freeBytes: 1, totalBytes: 2 })
  assert.deepEqual(await facts.status(), { ...well, freeBytes: 1, totalBytes: 2 })
})

for (const [title, drive] of [
  ['has no such thing', {}],
  [
    'fails',
    {
      quota: async () => {
        throw new Error('down')
      },
    },
  ],
  ['has no limit', { quota: async () => ({ freeBytes: Infinity, totalBytes: Infinity }) }],
  ['makes no sense', { quota: async () => ({ freeBytes: -3, totalBytes: Number.NaN }) }],
] as const) {
  test(`The room of a drive that ${title} is unknown`, async () => {
    assert.deepEqual(await factsOf(drive).facts.status(), unknown)
  })
}

test('The creation of a bucket is unknown while the drive does not answer', async () => {
  const { facts } = factsOf({ bucketCreatedAtMs: () => new Promise(() => undefined) })
  assert.equal(await facts.createdAtMs('files'), undefined)
  assert.equal(await factsOf({}).facts.createdAtMs('files'), 5)
})

test('a missing drive is reported with the reason until it is back', async () => {
  let problem: Error | undefined = new DriveError('unavailable', 'It is not mounted.')
  const { facts, clock } = factsOf({
    check: async () => {
      if (problem !== undefined) throw problem
    },
  })
  assert.equal((await facts.status()).problem, 'It is not mounted.')
  problem = new Error('socket hang up')
  clock.now = 10_000
  assert.match((await facts.status()).problem ?? '', /^The drive does not respond/)
  problem = undefined
  clock.now = 20_000
  assert.equal((await facts.status()).problem, null)
})

test('A drive that hangs when it is checked counts as missing', async () => {
  const { facts } = factsOf({ check: () => new Promise(() => undefined) })
  assert.match((await facts.status()).problem ?? '', /^The drive does not respond/)
})
