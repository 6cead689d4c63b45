import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type MemoryDrive,
  openMemoryDrive,
} from '../../../../src/storage/drives/memory/memory-drive.ts'
import { traceOf } from '../../../../src/storage/events/change-trace.ts'
import type { ObjectChange } from '../../../../src/storage/events/event-message.ts'

const bucket = 'files'

async function open(hasVersions: boolean) {
  const clock = { now: 1_000_000 }
  const drive = openMemoryDrive({
    now: () => clock.now,
    ...(hasVersions && { versioningOf: () => ({ changes: [0] }) }),
  })
  await drive.prepare([bucket])
  const look = (change: Omit<ObjectChange, 'bucket' | 'key'>, sinceMs = clock.now) =>
    traceOf({ drive, hasVersions: () => hasVersions }, { bucket, key: 'k', ...change }, sinceMs)
  const idOf = async () => (await drive.head(bucket, 'k'))?.versionId
  return { clock, drive, look, idOf }
}

async function put(drive: MemoryDrive, key: string, body: string): Promise<void> {
  const draft = await drive.draft(bucket, key, {})
  await draft.write(Buffer.from(body))
  await draft.publish({ etag: `tag of ${body}`, headers: {}, metadata: {} })
}

const putOf = (body: string) => ({ event: 'ObjectCreated:Put', etag: `tag of ${body}` }) as const
const deletion = { event: 'ObjectRemoved:Delete' } as const
const markerMade = { event: 'ObjectRemoved:DeleteMarkerCreated' } as const

test('without versions, the object itself is the trace', async () => {
  const { drive, look } = await open(false)
  assert.deepEqual([await look(putOf('a')), await look(deletion)], [undefined, {}])
  await put(drive, 'k', 'a')
  assert.deepEqual(await look(putOf('a')), { size: 1, etag: 'tag of a' })
  assert.deepEqual([await look(putOf('b')), await look(deletion)], [undefined, undefined])
})

test('a version is found after it was overwritten or removed, with its ID', async () => {
  const { drive, look, idOf } = await open(true)
  await put(drive, 'k', 'a')
  const versionId = await idOf()
  const trace = { size: 1, etag: 'tag of a', versionId }
  assert.deepEqual(await look(putOf('a')), trace)
  await put(drive, 'k', 'b')
  await put(drive, 'k2', 'c')
  assert.deepEqual(await look(putOf('a')), trace)
  await drive.remove(bucket, 'k')
  assert.deepEqual(await look(putOf('a')), trace)
  // Of a key that begins with this one.
  assert.equal(await look(putOf('c')), undefined)
})

test('a new delete marker is found, one from before the deletion is not', async () => {
  const { clock, drive, look } = await open(true)
  await put(drive, 'k', 'a')
  await drive.remove(bucket, 'k')
  clock.now += 10 * 60_000
  const intendedAtMs = clock.now
  assert.equal(await look(markerMade, intendedAtMs), undefined)
  const removal = await drive.remove(bucket, 'k')
  const trace = { versionId: removal?.versionId }
  assert.deepEqual(await look(markerMade, intendedAtMs), trace)
  await put(drive, 'k', 'b')
  assert.deepEqual(await look(markerMade, intendedAtMs), trace)
})

test('the removal of a version is found while the object has others', async () => {
  const { drive, look, idOf } = await open(true)
  await put(drive, 'k', 'a')
  const versionId = (await idOf()) ?? assert.fail('no version')
  await put(drive, 'k', 'b')
  assert.equal(await look({ ...deletion, versionId }), undefined)
  await drive.remove(bucket, 'k', { versionId })
  assert.deepEqual(await look({ ...deletion, versionId }), {})
})

test('the search ends after 1,000 versions', async () => {
  const { drive, look } = await open(true)
  await put(drive, 'k', 'old')
  for (let count = 0; count < 999; count += 1) await put(drive, 'k', 'new')
  assert.notEqual(await look(putOf('old')), undefined)
  await put(drive, 'k', 'new')
  assert.equal(await look(putOf('old')), undefined)
})
