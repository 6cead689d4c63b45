import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import type { VersionEntry } from '../../../../src/storage/drives/versions.ts'
import { FileJobs } from '../../../../src/storage/jobs/files/file-jobs.ts'
import {
  keysOf,
  openTestDatabase,
  put,
  until,
} from '../../dashboard/management/management-fixture.ts'
import { openJobs } from './jobs-fixture.ts'

const bucket = 'files'

interface Order {
  readonly paths?: readonly string[]
  readonly sinceMs?: number
}

/** A bucket with versions, in which each change happens a second after the one before. */
async function open(t: TestContext) {
  const clock = { now: 1_000_000 }
  const drive = openMemoryDrive({
    versioningOf: () => ({ changes: [0] }),
    now: () => (clock.now += 1_000),
  })
  await drive.prepare([bucket])
  const { process, table } = openJobs(t, await openTestDatabase(t), clock)
  const jobs = new FileJobs({
    ...{
      drive,
      table,
      deletions: { add: async () => undefined, find: async () => new Map() },
      onMoved: async () => undefined,
      keepsRemoved: () => true,
      hasTrash: () => false,
      newLock: async () => ({}),
    },
    ...{ jobs: process(), now: () => clock.now },
    lockRules: async () => ({ nowMs: clock.now }),
    withinRoom: (_bucket, _bytes, work) => work(),
  })
  const run = async (action: 'undelete' | 'erase', { paths = [''], sinceMs }: Order = {}) => {
    const { id = '' } = (await jobs.start({ action, bucket, paths, sinceMs })) ?? {}
    await until(async () => (await jobs.find(id))?.state !== 'running')
    const { state, done, skipped, message } = (await jobs.find(id)) ?? assert.fail()
    assert.equal(state, 'done')
    return { done, skipped, message }
  }
  const remove = async (...keys: string[]) => {
    for (const key of keys) await drive.remove(bucket, key)
  }
  const versions = async () =>
    (await drive.listVersions?.(bucket, { prefix: '', after: '' }).next(9_999)) as VersionEntry[]
  return { drive, clock, run, remove, versions }
}

test('Deleted objects exist again without the markers above them', async (t) => {
  const { drive, run, remove, versions } = await open(t)
  for (const key of ['a/1', 'a/2', 'a/2/x', 'a/3', 'a/live', 'b']) await put(drive, key)
  await remove('a/1', 'a/2', 'a/2', 'a/2/x', 'a/3', 'b', 'a/never')
  await put(drive, 'a/3', 'again')
  await remove('a/3')
  const markers = async () => (await versions()).filter(({ isDeleteMarker }) => isDeleteMarker)
  assert.deepEqual(await run('undelete', { paths: ['a/'] }), { done: 4, skipped: 0, message: '' })
  assert.deepEqual(await keysOf(drive), ['a/1', 'a/2', 'a/2/x', 'a/3', 'a/live'])
  // The older marker of a/3 stays, and an object of which only markers are left.
  const left = (await markers()).map(({ key }) => key)
  assert.deepEqual(left, ['a/3', 'a/never', 'b'])
})

test('An undo leaves what was deleted before, and keys are exact', async (t) => {
  const { drive, clock, run, remove } = await open(t)
  for (const key of ['a', 'a/1', 'a/2', 'ab']) await put(drive, key)
  await remove('a/1', 'ab')
  const sinceMs = clock.now + 1
  await remove('a', 'a/2')
  assert.equal((await run('undelete', { paths: ['a/'], sinceMs })).done, 1)
  assert.deepEqual(await keysOf(drive), ['a/2'])
  assert.equal((await run('undelete', { paths: ['a', 'none'] })).done, 1)
  assert.deepEqual(await keysOf(drive), ['a', 'a/2'])
})

test('Erasing removes all versions of deleted objects, except those of locked ones', async (t) => {
  const { drive, clock, run, remove, versions } = await open(t)
  for (const key of ['gone', 'held', 'held', 'live', 'live']) await put(drive, key)
  const [, held] = (await versions()).filter(({ key }) => key === 'held')
  const lock = { mode: 'COMPLIANCE', untilMs: clock.now + 3_600_000 } as const
  const { versionId } = held ?? assert.fail()
  await drive.setAttributes?.(bucket, 'held', { retention: lock }, { versionId })
  await remove('gone', 'held')
  const { done, skipped, message } = await run('erase')
  assert.deepEqual([done, skipped], [1, 1])
  assert.match(message, /Object Lock keeps 1/)
  // Its delete marker stays: the locked version must not become the object again.
  assert.deepEqual(
    (await versions()).map(({ key, isDeleteMarker }) => [key, isDeleteMarker]),
    [
      ['held', true],
      ['held', false],
      ['live', false],
      ['live', false],
    ],
  )
})

test('Long histories are erased with their markers last', async (t) => {
  const { drive, run, remove, versions } = await open(t)
  for (let index = 0; index < 450; index++) await put(drive, 'k')
  for (let index = 0; index < 3; index++) await remove('k')
  await put(drive, 'z')
  const removed: string[] = []
  const { remove: removeIt } = drive
  drive.remove = async (name, key, conditions) => {
    const removal = await removeIt.call(drive, name, key, conditions)
    removed.push(removal?.isDeleteMarker ? 'marker' : 'version')
    return removal
  }
  assert.equal((await run('erase', { paths: ['k'] })).done, 1)
  assert.deepEqual(
    (await versions()).map(({ key }) => key),
    ['z'],
  )
  assert.equal(removed.lastIndexOf('version'), 449)
})
