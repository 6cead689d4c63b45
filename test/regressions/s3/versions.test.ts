import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { versionsOf } from '../../../src/storage/drives/unversioned.ts'
import { bucket, get, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { openCutDrive } from './store-under-test.ts'

const versioning = { changes: [1] }
const never = { request: /^NEVER/, bytes: 0 }

async function historyOf(drive: Drive) {
  return await versionsOf(drive, bucket, { prefix: '', after: '' }).next(100)
}

test('a PUT whose reply is lost returns the version that the object has', async (t) => {
  const cut = { request: /^PUT \/[^ ]*\/k\?/, bytes: 10 }
  const { drive, heads } = await openCutDrive(t, cut, versioning)
  const { versionId } = await put(drive, 'k', 'one')
  assert.ok(heads.filter((head) => cut.request.test(head)).length > 1, 'it was repeated')
  assert.equal((await drive.head(bucket, 'k'))?.versionId, versionId)
  assert.equal(String(await get(drive, 'k')), 'one')
})

test('a removal whose reply is lost creates one delete marker', async (t) => {
  const cut = { request: /^DELETE \/[^ ]*\/k\?/, bytes: 10 }
  const { drive, heads } = await openCutDrive(t, cut, versioning)
  const { versionId } = await put(drive, 'k', 'one')
  const removal = await drive.remove(bucket, 'k')
  const history = await historyOf(drive)
  assert.deepEqual(
    history.map((entry) => entry.kind === 'object' && [entry.versionId, entry.isDeleteMarker]),
    [
      [history[0]?.kind === 'object' && history[0].versionId, true],
      [versionId, false],
    ],
  )
  assert.ok(removal !== undefined)
  assert.ok(heads.filter((head) => cut.request.test(head)).length > 1, 'it was repeated')
})

test('folders of one bucket of the store have its versions', async (t) => {
  const { drive } = await openCutDrive(t, never)
  await rejectsAs(Promise.resolve(drive.setVersioning?.(bucket, versioning)), 'unsupported')
  const versioned = await openCutDrive(t, never, versioning)
  await versioned.drive.setVersioning?.(bucket, versioning)
  const suspending = versioned.drive.setVersioning?.(bucket, { changes: [1, 2] })
  await rejectsAs(Promise.resolve(suspending), 'unsupported')
})

test('a start on a store whose versions were suspended ends with a message', async (t) => {
  await assert.rejects(openCutDrive(t, never, { changes: [1, 2] }), /set photos to Suspended/)
})

test('a bucket that never had versions shows none of those of the store', async (t) => {
  const { drive, options } = await openCutDrive(t, never, versioning)
  await put(drive, 'k', 'one')
  await put(drive, 'k', 'two')
  const { openS3Drive } = await import('../../../src/storage/drives/s3/s3-drive.ts')
  const plain = await openS3Drive({ ...options, versioningOf: () => undefined })
  t.after(() => plain.close())
  const written = await put(plain, 'k', 'three')
  assert.equal('versionId' in written, false)
  const [entry, ...others] = await historyOf(plain)
  assert.deepEqual(others, [])
  assert.equal(entry?.kind === 'object' && entry.versionId, 'null')
  assert.deepEqual(await plain.remove(bucket, 'k'), {})
  assert.deepEqual(await historyOf(plain), [])
  assert.equal(await plain.remove(bucket, 'k'), undefined)
  // As after the loss of the database, once versions are enabled again.
  const found = await historyOf(drive)
  assert.deepEqual(
    found.map((one) => one.kind === 'object' && [one.isDeleteMarker, one.isLatest]),
    [true, false, false, false].map((isMarker, index) => [isMarker, index === 0]),
  )
})
