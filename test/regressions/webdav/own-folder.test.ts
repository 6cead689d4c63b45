/** The drive's own folder is missing: someone removed it, or a gateway took this one for dead. */
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { buckets } from '../../contract/drive/drive-suite.ts'
import {
  attributesOf,
  bucket,
  bytesOf,
  get,
  getText,
  put,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { startNextcloud } from '../../fakes/nextcloud/start-nextcloud.ts'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'
import { absenceOfRclone, startRcloneServe } from '../../support/webdav/rclone-serve.ts'

const tmp = '.bucketry/tmp'

interface Cleared {
  readonly drive: Drive
  /** Removes the content of a folder of the drive. */
  clear(folder: string): void
}

async function openedOn(t: TestContext, url: string): Promise<Drive> {
  const drive = await (await davWorldOn(t, url)).open()
  await drive.prepare(buckets)
  return drive
}

const onDisk = (start: typeof startApache) => async (t: TestContext) => {
  const server = await start(t)
  assert.ok(server)
  const clear = (folder: string) => {
    for (const name of readdirSync(join(server.root, folder))) {
      rmSync(join(server.root, folder, name), { recursive: true })
    }
  }
  return { drive: await openedOn(t, server.url), clear }
}

async function onNextcloud(t: TestContext): Promise<Cleared> {
  const server = await startNextcloud(t)
  const { otherClient } = server
  const clear = (folder: string) => {
    for (const name of otherClient.list(folder)) {
      if (/^[^/]+\/?$/.test(name)) otherClient.remove(`${folder}/${name.replace('/', '')}`)
    }
  }
  return { drive: await openedOn(t, server.url), clear }
}

describe('a drive whose own folder lost its content', () => {
  const servers = [
    ['apache', onDisk(startApache), absenceOfApache()],
    ['rclone serve', onDisk(startRcloneServe), absenceOfRclone()],
    ['nextcloud', onNextcloud, false],
  ] as const
  for (const [name, open, skip] of servers) {
    it(`accepts small, large and unsized objects, copies and uploads on ${name}`, {
      skip,
    }, async (t) => {
      const { drive, clear } = await open(t)
      await put(drive, 'k', 'old')
      clear(tmp)
      await put(drive, 'k', 'new')
      assert.equal(await getText(drive, 'k'), 'new')

      const bytes = bytesOf(600_000)
      clear(tmp)
      const draft = await drive.draft(bucket, 'unsized', {})
      await draft.write(bytes)
      await draft.publish(attributesOf(bytes))
      assert.ok((await get(drive, 'unsized'))?.equals(bytes))

      clear(tmp)
      const large = async () => await put(drive, 'large', bytes)
      // Streamed bytes cannot be sent again; the next upload finds the folder.
      await large().catch(large)
      assert.ok((await get(drive, 'large'))?.equals(bytes))

      clear('.bucketry')
      const { attributes } = (await drive.head(bucket, 'k')) ?? assert.fail()
      const { etag } = attributes
      await drive.copy?.({ bucket, key: 'k', etag }, { bucket, key: 'copy' }, { attributes })
      const upload = await UploadSession.begin(drive, 'upload')
      await upload.append(Buffer.from('part'))
      await upload.complete()
      assert.equal(await getText(drive, 'upload'), 'part')
    })
  }
})
