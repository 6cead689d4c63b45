import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallCounts } from '../../../../../src/app/telemetry/metrics/call-counts.ts'
import { SnapshotBuilder } from '../../../../../src/app/telemetry/metrics/snapshot.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'

const attributes = { etag: 'e', headers: {}, metadata: {} }

async function openCounted() {
  const calls = new CallCounts()
  const drive = calls.of(openMemoryDrive())
  await drive.prepare(['photos'])
  return {
    drive,
    counts() {
      const snapshot = new SnapshotBuilder()
      calls.addTo(snapshot, drive.kind)
      const counted = snapshot.build().find(({ name }) => name === 'bucketry_drive_calls_total')
      return Object.fromEntries(
        (counted?.values ?? []).map(({ labels, value }) => [
          `${labels.drive} ${labels.call} ${labels.outcome}`,
          value,
        ]),
      )
    },
  }
}

test('Calls of a drive are counted by their outcome', async () => {
  const { drive, counts } = await openCounted()
  const draft = await drive.draft('photos', 'k', { size: 1 })
  await draft.write(Buffer.from('x'))
  await draft.publish(attributes)
  const again = await drive.draft('photos', 'k', { size: 1 })
  await assert.rejects(again.publish(attributes, { ifNoneMatch: '*' }), { kind: 'condition' })
  assert.ok(await drive.open('photos', 'k'))
  assert.equal((await drive.list('photos', { prefix: '', after: '' }).next(10)).length, 1)
  const state = await drive.uploads.begin('u', { bucket: 'photos', key: 'm' })
  const part = await drive.uploads.append(state, { offset: 0 })
  await part.write(Buffer.from('y'))
  await drive.uploads.abort(await part.commit())
  assert.equal(await drive.remove('photos', 'k'), true)
  assert.deepEqual(counts(), {
    'memory prepare ok': 1,
    'memory draft ok': 2,
    'memory write ok': 2,
    'memory publish ok': 1,
    'memory publish condition': 1,
    'memory open ok': 1,
    'memory list ok': 1,
    'memory beginUpload ok': 1,
    'memory appendPart ok': 1,
    'memory commitPart ok': 1,
    'memory abortUpload ok': 1,
    'memory remove ok': 1,
  })
})

test('A result that needs no promise stays without one, and other errors are `other`', async () => {
  const calls = new CallCounts()
  const open = (work: () => unknown) => calls.call('open', [], work)
  assert.equal(
    open(() => 5),
    5,
  )
  const errors = [new DriveError('full', 'Full.'), new Error('aborted')]
  for (const error of errors)
    await assert.rejects(async () => open(() => Promise.reject(error)), error)
  const snapshot = new SnapshotBuilder()
  calls.addTo(snapshot, 'file')
  const counted = snapshot.build().find(({ name }) => name === 'bucketry_drive_calls_total')
  assert.deepEqual(
    counted?.values.map(({ labels }) => labels.outcome),
    ['ok', 'full', 'other'],
  )
})
