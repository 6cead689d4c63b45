import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VersionEntry } from '../../../../../../src/storage/drives/versions.ts'
import { bucket, openDrive, put } from '../open-drive.ts'

test('versions that are stored for the first time during a listing are in it', async (t) => {
  const { drive } = await openDrive(t, undefined, undefined, () => ({ changes: [1_000_000] }))
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f/1', 'g']) await put(drive, key, key)
  const cursor = drive.listVersions?.(bucket, { prefix: '', after: '' }) ?? assert.fail()
  const shown: string[] = []
  const next = async () => {
    const page = (await cursor.next(1)) as VersionEntry[]
    for (const { key, size, isDeleteMarker } of page) {
      shown.push(`${key} ${isDeleteMarker ? 'marker' : size}`)
    }
    return page.length
  }
  assert.equal(await next(), 1)
  await put(drive, 'a', 'again')
  await put(drive, 'b', 'again')
  await drive.remove(bucket, 'c')
  await put(drive, 'f/1', 'again')
  await put(drive, 'e', 'again')
  assert.equal(await next(), 1)
  // The rest of this key is not shown either.
  cursor.seek('c')
  for (let index = 0; index < 4; index++) assert.equal(await next(), 1)
  cursor.seek('f/')
  while ((await next()) > 0) assert.ok(shown.length < 12)
  const c = ['c marker', 'c 1']
  assert.deepEqual(shown, ['a 1', 'b 5', ...c, 'd 1', 'e 5', 'f/1 5', 'f/1 3', 'g 1'])
})
