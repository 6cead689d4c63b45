import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import type { VersionEntry } from '../../../../src/storage/drives/versions.ts'
import { changeDeleted } from '../../../../src/storage/jobs/deleted-versions.ts'
import type { Run } from '../../../../src/storage/jobs/job-runner.ts'
import { put } from '../../dashboard/management/management-fixture.ts'

const bucket = 'files'
/** More than are held in memory. */
const markers = 500

async function openWithMarkers() {
  const drive = openMemoryDrive({ versioningOf: () => ({ changes: [0] }) })
  await drive.prepare([bucket])
  const remove = async (key: string) => {
    for (let index = 0; index < markers; index++) await drive.remove(bucket, key)
  }
  for (const key of ['a', 'k']) {
    await put(drive, key)
    await remove(key)
  }
  await remove('never')
  const { signal } = new AbortController()
  const run = { signal, late: signal, assertMayGoOn: () => undefined } as unknown as Run
  const change = async (kind: 'undelete' | 'erase', keys?: readonly string[]) => {
    const figures = { deleted: 0, done: 0, skipped: 0 }
    await changeDeleted(drive, { bucket, prefix: '', kind, keys, lock: undefined }, run, figures)
    return figures.deleted + figures.done
  }
  const versions = async () => {
    const cursor = drive.listVersions?.(bucket, { prefix: '', after: '' }) ?? assert.fail()
    return Map.groupBy((await cursor.next(9_999)) as VersionEntry[], ({ key }) => key)
  }
  return { drive, change, versions }
}

test('an object below any number of delete markers exists again', async () => {
  const { change, versions } = await openWithMarkers()
  assert.equal(await change('undelete'), 2)
  const left = await versions()
  assert.deepEqual(
    [...left].map(([key, { length }]) => [key, length]),
    [
      ['a', 1],
      ['k', 1],
      ['never', markers],
    ],
  )
})

test('an object with any number of delete markers is erased, its markers last', async () => {
  const { drive, change, versions } = await openWithMarkers()
  const removed: (true | undefined)[] = []
  const { remove } = drive
  drive.remove = async (...given) => {
    const removal = await remove.apply(drive, given)
    removed.push(removal?.isDeleteMarker)
    return removal
  }
  assert.equal(await change('erase', ['k']), 1)
  assert.deepEqual([...(await versions()).keys()], ['a', 'never'])
  assert.deepEqual([removed.length, removed.indexOf(undefined)], [markers + 1, 0])
})

test('an object that somebody restores while it is erased stays with its history', async () => {
  const { drive, change, versions } = await openWithMarkers()
  const { remove } = drive
  let isRestored = false
  drive.remove = async (...given) => {
    const [restored] = isRestored ? [] : [(await versions()).get('a') ?? assert.fail()]
    isRestored = true
    for (const { isDeleteMarker, versionId } of restored ?? []) {
      if (isDeleteMarker) await remove.call(drive, bucket, 'a', { versionId })
    }
    return await remove.apply(drive, given)
  }
  assert.equal(await change('erase', ['a']), 0)
  assert.notEqual(await drive.head(bucket, 'a'), undefined)
})
