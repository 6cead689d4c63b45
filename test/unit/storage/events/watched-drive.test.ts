import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { expiryContext, withEventContext } from '../../../../src/storage/events/event-context.ts'
import { EventRecorder } from '../../../../src/storage/events/event-recorder.ts'
import type { EventRow } from '../../../../src/storage/events/event-table.ts'
import { watchedDrive } from '../../../../src/storage/events/watched-drive.ts'
import { put } from '../../dashboard/management/management-fixture.ts'

const bucket = 'files'

async function open(hasVersions: boolean) {
  const memory = openMemoryDrive({
    ...(hasVersions && { versioningOf: () => ({ changes: [0] }) }),
  })
  await memory.prepare([bucket])
  const stored = { intended: [] as string[], confirmed: [] as string[], cancelled: 0 }
  const shown = ({ message }: EventRow) => {
    const [{ eventName, s3 }] = JSON.parse(message).Records
    return `${eventName} ${s3.object.versionId}`
  }
  const recorder = new EventRecorder({
    table: {
      intend: async (rows) => void stored.intended.push(...rows.map(shown)),
      confirm: async (rows) => void stored.confirmed.push(...rows.map(shown)),
      cancel: async () => {
        stored.cancelled += 1
      },
      countWaiting: async () => 0,
    },
    ...{ now: () => 1, onEvents: () => undefined, onFull: () => undefined },
    ...{ region: () => 'r', ownerId: 'o' },
    rules: (name) => {
      if (name !== bucket) return []
      const events = ['s3:ObjectCreated:*', 's3:ObjectRemoved:*', 's3:LifecycleExpiration:*']
      return [{ id: 'i', target: 'webhook', events, prefix: '', suffix: '' }]
    },
  })
  const moved = { ...memory, moveFolder: async () => 1 }
  const drive = watchedDrive(moved, recorder, () => hasVersions)
  const idOf = async () => (await drive.head(bucket, 'k'))?.versionId
  return { drive, stored, idOf }
}

test('folders of a bucket with events do not move in one step', async () => {
  const { drive } = await open(false)
  const moving = { beforeMove: async () => undefined, assertMayGoOn: () => undefined }
  const move = (from: string, to: string) =>
    drive.moveFolder?.({ bucket: from, key: 'a/' }, { bucket: to, key: 'b/' }, moving)
  assert.equal(await move(bucket, bucket), undefined)
  assert.equal(await move('other', bucket), undefined)
  assert.equal(await move(bucket, 'other'), undefined)
  assert.equal(await move('other', 'other'), 1)
})

test('in a bucket with versions, each event has the ID of its version or delete marker', async () => {
  const { drive, stored, idOf } = await open(true)
  await put(drive, 'k', 'a')
  const first = await idOf()
  await drive.copy?.(
    { bucket, key: 'k', etag: (await drive.head(bucket, 'k'))?.attributes.etag ?? '' },
    { bucket, key: 'copy' },
    { attributes: { etag: '0'.repeat(32), headers: {}, metadata: {} } },
  )
  const copy = (await drive.head(bucket, 'copy'))?.versionId
  const marker = await drive.remove(bucket, 'k')
  await drive.remove(bucket, 'k', { versionId: marker?.versionId })
  await drive.remove(bucket, 'k', { versionId: first })
  await drive.remove(bucket, 'k', { versionId: first })
  assert.deepEqual(stored.confirmed, [
    `ObjectCreated:Put ${first}`,
    `ObjectCreated:Copy ${copy}`,
    `ObjectRemoved:DeleteMarkerCreated ${marker?.versionId}`,
    `ObjectRemoved:Delete ${marker?.versionId}`,
    `ObjectRemoved:Delete ${first}`,
  ])
  // The last removal removed nothing. The version to be removed is known before.
  assert.equal(stored.cancelled, 1)
  assert.equal(stored.intended.at(-1), `ObjectRemoved:Delete ${first}`)
})

test('what a lifecycle rule does has its own names', async () => {
  const { drive, stored, idOf } = await open(true)
  await put(drive, 'k', 'a')
  const versionId = await idOf()
  await withEventContext(expiryContext, async () => {
    await drive.remove(bucket, 'k')
    await drive.remove(bucket, 'k', { versionId })
  })
  assert.deepEqual(
    stored.confirmed.slice(1).map((text) => text.split(' ')[0]),
    ['LifecycleExpiration:DeleteMarkerCreated', 'LifecycleExpiration:Delete'],
  )
})

test('a locked version that stays has no event', async () => {
  const { drive, stored, idOf } = await open(true)
  await put(drive, 'k', 'a')
  const versionId = await idOf()
  await drive.setAttributes?.(bucket, 'k', { legalHold: true })
  await assert.rejects(drive.remove(bucket, 'k', { versionId }), { kind: 'locked' })
  assert.deepEqual([stored.confirmed.length, stored.cancelled], [1, 1])
})

test('in a bucket that never had versions, messages have no version ID', async () => {
  const { drive, stored } = await open(false)
  await put(drive, 'k', 'a')
  await drive.remove(bucket, 'k')
  assert.deepEqual(stored.confirmed, [
    'ObjectCreated:Put undefined',
    'ObjectRemoved:Delete undefined',
  ])
})
