import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VersionEntry, Versioning } from '../../../../../../src/storage/drives/versions.ts'
import { bucket, get, openDrive, put } from '../open-drive.ts'

const enabledAt = 1_000_000

/** Of the key, and whether they are delete markers. */
async function versionsOf(drive: Awaited<ReturnType<typeof openDrive>>['drive']) {
  const listed = drive.listVersions?.(bucket, { prefix: '', after: '' }).next(100)
  const entries = ((await listed) ?? []) as VersionEntry[]
  return entries.map(
    ({ versionId, isDeleteMarker }) => (isDeleteMarker ? 'marker ' : '') + versionId,
  )
}

test('a write before a suspension begins has an ID, which another process does not take away', async (t) => {
  const comingMs = Date.now() + 60_000
  let versioning: Versioning = { changes: [comingMs], begunMs: 0 }
  const { drive, root, records } = await openDrive(t, undefined, undefined, () => versioning)
  const { drive: unaware } = await openDrive(t, root, records, () => ({ changes: [enabledAt] }))
  versioning = { changes: [enabledAt, comingMs], begunMs: enabledAt }
  const ids: (string | undefined)[] = []
  for (const text of ['one', 'two']) {
    ids.unshift((await put(drive, 'k', text)).versionId)
    ids.unshift((await put(unaware, 'k', `${text} of another`)).versionId)
  }
  const removed = await drive.remove(bucket, 'k')
  ids.unshift(`marker ${removed?.versionId}`)
  assert.ok(!ids.some((id) => id === undefined || id.includes('null')))
  assert.deepEqual((await versionsOf(unaware)).slice(0, 5), ids)
  versioning = { changes: [enabledAt, Date.now()] }
  await put(drive, 'k', 'null')
  assert.deepEqual((await versionsOf(drive)).slice(0, 6), ['null', ...ids])
})

test('a removal that waited while versions were enabled removes nothing permanently', async (t) => {
  let versioning: Versioning | undefined
  const { drive } = await openDrive(t, undefined, undefined, () => versioning)
  await put(drive, 'k', 'kept')
  const assertMayGoOn = () => {
    versioning = { changes: [enabledAt] }
    throw new Error('not now')
  }
  const first = drive.remove(bucket, 'k', { assertMayGoOn })
  // Waits for the lock of the first one.
  const second = drive.remove(bucket, 'k')
  await assert.rejects(first, /not now/)
  await assert.rejects(second, { kind: 'busy' })
  assert.equal((await get(drive, 'k'))?.text, 'kept')
})
