/** Drive errors are sent to clients, who must not see the drive's path on this machine. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { bucket, openDrive, put } from './open-drive.ts'
import { tempFolder } from './temp-folder.ts'

async function messageOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof DriveError)
    return error.message
  }
  return assert.fail('it succeeded')
}

async function everything(root: string, drive: Awaited<ReturnType<typeof openDrive>>['drive']) {
  const target = { bucket, key: 'a/b' }
  const works = [
    () => put(drive, 'a/b', 'x'),
    () => drive.check(),
    () => drive.list(bucket, { prefix: '', after: '' }).next(1),
    () => Promise.resolve(drive.head(bucket, 'a/b')),
    () => Promise.resolve(drive.open(bucket, 'a/b')),
    () => drive.remove(bucket, 'a/b'),
    () => drive.uploads.begin('upload', target),
    () => drive.bucketCreatedAtMs(bucket),
  ]
  for (const work of works) assert.ok(!(await messageOf(work())).includes(root))
}

test('the error for an unmounted drive does not contain its path', async (t) => {
  const root = tempFolder(t)
  const { drive } = await openDrive(t, root)
  fs.renameSync(root, `${root}-away`)
  fs.mkdirSync(root)
  await everything(root, drive)
  fs.rmdirSync(root)
  fs.renameSync(`${root}-away`, root)
})

test('a file in the way of a key is reported by its path below the root', async (t) => {
  const root = tempFolder(t)
  const { drive } = await openDrive(t, root)
  fs.symlinkSync('/nowhere', join(root, bucket, 'link'))
  for (const key of ['link', 'link/below']) {
    const message = await messageOf(put(drive, key, 'x'))
    assert.ok(message.includes(`${bucket}/link`), message)
    assert.ok(!message.includes(root), message)
  }
})
