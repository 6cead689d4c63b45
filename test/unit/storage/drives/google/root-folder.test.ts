import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { GoogleApi } from '../../../../../src/storage/drives/google/api/google-api.ts'
import { makeRootFolder } from '../../../../../src/storage/drives/google/root-folder.ts'
import { KeyLeases } from '../../../../../src/storage/drives/kit/key-leases.ts'
import { startGoogleEmulator } from '../../../../fakes/google/google-emulator.ts'

async function account(t: TestContext) {
  const emulator = await startGoogleEmulator({ sharedDrive: 'Team' })
  const { endpoints, credentials, sharedDriveId = '' } = emulator
  const api = new GoogleApi({ endpoints, credentials, sharedDriveId })
  t.after(async () => {
    await api.close()
    await emulator.close()
  })
  const absent = () => Promise.reject(new Error('no lease is needed'))
  const table = new Proxy({}, { get: () => absent }) as never
  const leases = new KeyLeases({ table, now: Date.now })
  const find = (folder: string, drive?: string) =>
    makeRootFolder({ api, leases, folder, sharedDriveId: drive })
  return { emulator, sharedDriveId, find }
}

test('makeRootFolder accepts an id of a folder in the configured drive', async (t) => {
  const { emulator, sharedDriveId, find } = await account(t)
  const mine = emulator.byHand.folder('mine')
  const shared = emulator.byHand.folder('shared', sharedDriveId)
  assert.equal(await find(mine), mine)
  assert.equal(await find(shared, sharedDriveId), shared)
  assert.equal(await find(sharedDriveId, sharedDriveId), sharedDriveId)
  assert.equal(await find('', sharedDriveId), sharedDriveId)
  assert.equal(await find('shared', sharedDriveId), shared)
})

test('makeRootFolder rejects an id of a folder in another drive, naming the setting', async (t) => {
  const { emulator, sharedDriveId, find } = await account(t)
  const mine = emulator.byHand.folder('mine')
  const shared = emulator.byHand.folder('shared', sharedDriveId)
  const refuses = (finding: Promise<string>, message: RegExp) =>
    assert.rejects(finding, (error: unknown) => {
      assert.ok(error instanceof DriveError && error.kind === 'unavailable')
      assert.match(error.message, message)
      return true
    })
  await refuses(find(shared), new RegExp(`set GDRIVE_SHARED_DRIVE=${sharedDriveId}`))
  await refuses(find(sharedDriveId), /set GDRIVE_SHARED_DRIVE=/)
  await refuses(find(mine, sharedDriveId), /unset GDRIVE_SHARED_DRIVE/)
})
