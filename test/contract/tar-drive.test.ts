import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStagedUploads } from '../../src/storage/drives/local/staged-uploads.ts'
import { tempFolder } from '../unit/storage/drives/local/temp-folder.ts'
import { buckets, noVersions } from './drive/drive-suite.ts'
import { bucket, getText, listKeys, put } from './drive/stored-object.ts'
import { UploadSession } from './drive/upload-session.ts'
import { driveContract } from './drive-contract.ts'
import { localDriveLacks, makeRoot } from './local-drive-under-test.ts'
import { openTarDrive } from './tar-drive.ts'

async function openIn(t: TestContext, folder: string) {
  const staging = await openStagedUploads(join(folder, 'staging'), console)
  const drive = await openTarDrive(join(folder, 'drive.tar'), staging)
  await drive.prepare(buckets)
  t.after(() => drive.close())
  return drive
}

driveContract(
  'a tar drive',
  async (t, options) => {
    const folder = makeRoot(t, options)
    const drive = await openIn(t, folder)
    const leftovers = async () => {
      const drafts = readdirSync(folder).filter((name) => name.includes('.draft-'))
      return [...drafts, ...readdirSync(join(folder, 'staging', '.bucketry', 'uploads'))]
    }
    return { drive, leftovers }
  },
  {
    reopen: 'one process uses the archive at a time',
    byHand: 'nobody puts files into the archive',
    ...localDriveLacks,
    copy: 'the gateway reads and writes',
    setAttributes: 'a member of the archive cannot be changed',
    removeFolder: 'it has no folders that nobody needs',
    anyOrder: 'parts are staged in order',
    ...noVersions,
  },
)

test('a tar drive has its objects and uploads again when it is opened again', async (t) => {
  const folder = tempFolder(t)
  const before = await openIn(t, folder)
  await put(before, 'a/k', 'text')
  await put(before, 'gone', 'text')
  await before.remove(bucket, 'gone')
  const [open, done] = [
    await UploadSession.begin(before, 'open'),
    await UploadSession.begin(before, 'done'),
  ]
  for (const session of [open, done]) await session.append(Buffer.from('part'))
  const metadata = await done.complete()
  // A crash leaves the beginning of a member.
  appendFileSync(join(folder, 'drive.tar'), Buffer.alloc(700, 'x'))
  const after = await openIn(t, folder)
  for (const session of [open, done]) session.moveTo(after)
  assert.deepEqual(await done.complete(), metadata)
  await open.append(Buffer.from('part'))
  await open.complete()
  assert.deepEqual(await listKeys(after), ['a/k', 'done', 'open'])
  assert.equal(await getText(after, 'a/k'), 'text')
  assert.equal(await getText(after, 'open'), 'partpart')
  const names = String(execFileSync('tar', ['-tf', join(folder, 'drive.tar')])).split('\n')
  assert.ok(names.includes('alpha/a/k'), String(names))
})
