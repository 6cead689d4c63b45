import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  attributesOf,
  bucket,
  bytesOf,
  get,
  put,
  writeChunks,
} from '../../contract/drive/stored-object.ts'
import { until } from '../../support/management-client.ts'
import { storeOfFiles } from './store-of-files.ts'
import { openDriveOn } from './store-under-test.ts'

test('a store that keeps a part of a body that breaks off keeps the object', async (t) => {
  const { answer, broken } = storeOfFiles()
  const drive = await openDriveOn(t, answer)
  await drive.prepare([bucket])
  const before = bytesOf(3_000_000)
  await put(drive, 'k', before)
  const brokenBefore = broken.length
  const draft = await drive.draft(bucket, 'k', { size: 4_000_000 })
  await writeChunks(draft, bytesOf(3_900_000, 1))
  await draft.discard()
  await until(() => broken.length > brokenBefore)
  assert.deepEqual(broken.slice(brokenBefore), ['/bucket/alpha/k'])
  assert.ok((await get(drive, 'k'))?.equals(before))
  const after = bytesOf(4_000_000, 1)
  await put(drive, 'k', after)
  assert.ok((await get(drive, 'k'))?.equals(after))
  assert.deepEqual((await drive.head(bucket, 'k'))?.attributes, attributesOf(after))
})
