import assert from 'node:assert/strict'
import { utimesSync } from 'node:fs'
import { test } from 'node:test'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import type { CacheCounts } from '../../../../../src/storage/drives/drive-statistics.ts'
import { get, openDrive, put } from './open-drive.ts'

function countsOf(drive: Drive, cache: string): CacheCounts {
  const counts = drive.statistics?.().caches?.[cache]
  assert.ok(counts)
  return { ...counts }
}

test('a local drive counts lookups of attributes', async (t) => {
  const { drive, records, root } = await openDrive(t)
  await put(drive, 'k', 'bytes')
  await get(drive, 'k')
  // Written by this process, so they are known.
  const { hits, misses } = countsOf(drive, 'attributes')
  assert.ok(hits >= 1)
  assert.equal(misses, 0)
  const { drive: other } = await openDrive(t, root, records)
  await get(other, 'k')
  assert.deepEqual(countsOf(other, 'attributes'), { hits: 0, misses: 1 })
})

// While the machine is slow, calls of the system are asynchronous, and such a read is a miss.
test('a local drive counts reads of small contents in memory', { timeout: 60_000 }, async (t) => {
  const { drive, folder } = await openDrive(t)
  await put(drive, 'k', 'bytes')
  await get(drive, 'k')
  await get(drive, 'k')
  // Too new to be kept.
  assert.deepEqual(countsOf(drive, 'contents'), { hits: 0, misses: 1 })
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
  utimesSync(`${folder}/k`, 0, 0)
  while (countsOf(drive, 'contents').hits === 0)
    assert.equal((await get(drive, 'k'))?.text, 'bytes')
})

test('a local drive counts reads of large files that stay open', { timeout: 60_000 }, async (t) => {
  const { drive } = await openDrive(t)
  await put(drive, 'k', 'x'.repeat(200_000))
  await get(drive, 'k')
  await get(drive, 'k')
  assert.deepEqual(countsOf(drive, 'files'), { hits: 0, misses: 1 })
  while (countsOf(drive, 'files').hits === 0) {
    assert.equal((await get(drive, 'k'))?.text.length, 200_000)
  }
})

test('nothing waits in a local drive that is idle', async (t) => {
  const { drive } = await openDrive(t)
  assert.deepEqual(drive.statistics?.().queues, { writes: 0, folders: 0 })
})
