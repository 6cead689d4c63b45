import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { openLocalDrive } from '../../../../../src/storage/drives/local/local-drive.ts'
import { MemoryRecords } from './memory-records.ts'
import { attributesOf, bucket, log, put } from './open-drive.ts'

const canMount = process.getuid?.() === 0

/** Runs a test with an object and an open upload on a file system that became read-only. */
async function withReadOnlyDrive(work: (drive: Drive, upload: string) => Promise<void>) {
  const mountPoint = fs.mkdtempSync(join(fs.realpathSync(os.tmpdir()), 'bucketry-read-only-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mountPoint])
  try {
    const root = join(mountPoint, 'drive')
    const drive = await openLocalDrive({ root, records: new MemoryRecords(), log })
    await drive.prepare([bucket])
    await put(drive, 'old', 'bytes')
    const part = await drive.uploads.append(await drive.uploads.begin('open', target), {
      offset: 0,
    })
    await part.write(Buffer.from('bytes'))
    const upload = await part.commit()
    // Also while another mount of the file system has files open for writing.
    execFileSync('mount', ['-o', 'remount,bind,ro', mountPoint])
    await work(drive, upload).finally(() => drive.close())
  } finally {
    execFileSync('umount', ['--lazy', mountPoint])
    fs.rmdirSync(mountPoint)
  }
}

const target = { bucket, key: 'k' }

test('every write to a read-only drive is denied with EROFS in the message, also the start of an upload', {
  skip: canMount ? false : 'only root may mount a file system',
}, async () => {
  await withReadOnlyDrive(async (drive, upload) => {
    const { uploads } = drive
    const attributes = attributesOf('bytes')
    const source = { bucket, key: 'old', etag: attributes.etag }
    const writes: Record<string, () => Promise<unknown> | undefined> = {
      put: () => put(drive, 'new', 'bytes'),
      putInNewFolder: () => put(drive, 'folder/new', 'bytes'),
      copy: () => drive.copy?.(source, target, { attributes }),
      remove: () => drive.remove(bucket, 'old'),
      begin: () => uploads.begin('new', target),
      append: () => uploads.append(upload, { offset: 5 }),
      complete: () => uploads.complete(upload, { target, size: 5, attributes }),
      abort: () => uploads.abort(upload),
    }
    for (const [name, write] of Object.entries(writes)) {
      await assert.rejects(async () => write(), { kind: 'denied', message: /EROFS/ }, name)
    }
    await assert.rejects(drive.check('writes'), { kind: 'denied', message: /EROFS/ })
    await drive.check('reads')
  })
})
