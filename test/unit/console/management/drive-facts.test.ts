import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveFacts } from '../../../../src/console/management/drive-facts.ts'
import type { Drive } from '../../../../src/drives/drive.ts'
import { silent } from './management-fixture.ts'

type Asked = Pick<Drive, 'quota' | 'bucketCreatedAtMs'>

function factsOf(drive: Partial<Asked>) {
  const clock = { now: 0 }
  const facts = new DriveFacts({
    drive: { kind: 'webdav', bucketCreatedAtMs: async () => 5, ...drive },
    ...{ buckets: ['files'], now: () => clock.now, log: silent, waitMs: 20 },
  })
  return { facts, clock }
}

const unknown = { kind: 'webdav', freeBytes: null, totalBytes: null }

test('The room on the drive is asked for once in ten seconds, for all who look', async () => {
  let asked = 0
  const { facts, clock } = factsOf({
    quota: async () => {
      asked += 1
      return { freeBytes: 10 * asked, totalBytes: 100 }
    },
  })
  await Promise.all([facts.status(), facts.status()])
  clock.now = 9_999
  assert.deepEqual(await facts.status(), { kind: 'webdav', freeBytes: 10, totalBytes: 100 })
  clock.now = 10_000
  assert.equal((await facts.status()).freeBytes, 20)
  assert.equal(asked, 2)
})

test('A drive that hangs is unknown, is asked once, and is believed when it answers', async () => {
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
  assert.deepEqual(await facts.status(), { kind: 'webdav', freeBytes: 1, totalBytes: 2 })
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
  assert.equal(await factsOf({}).facts.createdAtMs('other'), undefined)
})
