/** Changes by others to the object and its surroundings during an upload. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bucket,
  bytesOf,
  getText,
  listKeys,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { driveFolder, folderAt } from '../../contract/google-drive-under-test.ts'
import { assertCompletes, scene } from './upload-scene.ts'

const mib = 1024 * 1024
const key = 'f/upload'

describe('during an upload', () => {
  const one = bytesOf(mib, 1)
  const two = bytesOf(mib + 1, 2)

  test('another writer may write the key', async (t) => {
    const it = await scene(t)
    const session = await UploadSession.begin(it.drive, key)
    await session.append(one)
    await put(it.drive, key, 'meanwhile')
    await session.append(two)
    await assertCompletes(session, it)
    assert.deepEqual(await listKeys(it.drive), [key])
  })

  for (const deletes of ['trash', 'permanent'] as const) {
    test(`its object may be removed (${deletes}), and is restored`, async (t) => {
      const it = await scene(t)
      const drive = await it.open({ deletes })
      await put(drive, key, 'old')
      const session = await UploadSession.begin(drive, key)
      await session.append(one)
      assert.equal((await drive.remove(bucket, key)) !== undefined, true)
      assert.equal(await drive.head(bucket, key), undefined)
      await session.append(two)
      await assertCompletes(session, it)
      assert.deepEqual(await listKeys(drive), [key])
    })
  }

  test('its object may be removed and written again', async (t) => {
    const it = await scene(t)
    await put(it.drive, key, 'old')
    const session = await UploadSession.begin(it.drive, key)
    await session.append(one)
    await it.drive.remove(bucket, key)
    await put(it.drive, key, 'meanwhile')
    await session.append(two)
    await assertCompletes(session, it)
    assert.deepEqual(await listKeys(it.drive), [key])
  })

  test('its folder may be deleted', async (t) => {
    const it = await scene(t)
    await put(it.drive, 'f/other', 'x')
    const session = await UploadSession.begin(it.drive, key)
    await session.append(one)
    await it.drive.remove(bucket, 'f/other')
    await session.append(two)
    await assertCompletes(session, it)
  })

  test('a user may delete the staging folder', async (t) => {
    const it = await scene(t)
    const { emulator, drive } = it
    const first = await UploadSession.begin(drive, key)
    await first.append(one)
    await first.append(two)
    await assertCompletes(first, it)
    emulator.byHand.delete(folderAt(emulator, `${driveFolder}/.bucketry`))
    const second = await UploadSession.begin(drive, 'other')
    await second.append(two)
    await assertCompletes(second, it)
  })

  test('a user may delete the file with its first bytes, which ends it', async (t) => {
    const it = await scene(t)
    const { emulator, drive } = it
    const session = await UploadSession.begin(drive, key)
    await session.append(one)
    await session.appendWithoutStoring(two)
    // Other bytes than those that were sent: the session is ended into a file, which is then read.
    const staged = folderAt(emulator, `${driveFolder}/.bucketry`)
    const run = () => {
      for (const { id } of emulator.byHand.children(staged)) emulator.byHand.delete(id)
    }
    emulator.faults.next({ on: 'download', do: 'run', run })
    await rejectsAs(session.append(bytesOf(mib, 3)), 'upload-gone')
    assert.ok(emulator.faults.isSpent)
  })

  test('a user may rename its object and keeps the renamed file', async (t) => {
    const it = await scene(t)
    const { emulator, drive } = it
    await put(drive, 'mine', 'old')
    const session = await UploadSession.begin(drive, 'mine')
    await session.append(one)
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    emulator.byHand.rename(emulator.byHand.children(home)[0]?.id ?? '', 'theirs')
    await rejectsAs(session.complete(), 'upload-gone')
    await drive.refresh()
    assert.equal(await getText(drive, 'theirs'), 'old')
    assert.deepEqual(await listKeys(drive), ['theirs'])
  })

  test('a user may permanently delete its object', async (t) => {
    const it = await scene(t)
    const { emulator, drive } = it
    await put(drive, 'mine', 'old')
    const session = await UploadSession.begin(drive, 'mine')
    await session.append(one)
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    emulator.byHand.delete(emulator.byHand.children(home)[0]?.id ?? '')
    await rejectsAs(session.complete(), 'upload-gone')
    assert.deepEqual(await listKeys(drive), [])
  })
})
