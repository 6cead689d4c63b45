/** An upload accepts parts again after a Complete that gathered its bytes and did not publish them. */
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { buckets } from '../../contract/drive/drive-suite.ts'
import { getText, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { type DavWorld, davWorldOn } from '../../contract/webdav-world.ts'
import { type FaultyProxy, startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { absenceOfLighttpd, startLighttpd } from '../../support/webdav/lighttpd.ts'

const full = { kind: 'answer', status: 507 } as const

interface Scene {
  readonly world: DavWorld
  readonly drive: Drive
  readonly proxy: FaultyProxy
  /** The server's folder. */
  readonly root: string
}

async function openOn(t: TestContext): Promise<Scene> {
  const server = await startLighttpd(t)
  assert.ok(server)
  const proxy = await startFaultyProxy(t, server.httpUrl)
  const world = await davWorldOn(t, proxy.urlFor(server.url))
  const drive = await world.open()
  await drive.prepare(buckets)
  return { world, drive, proxy, root: server.root }
}

/** An upload with one replaced part. Its Complete failed because the server was full for a while. */
async function failReplaced(t: TestContext): Promise<{ drive: Drive; upload: UploadSession }> {
  const { drive, proxy } = await openOn(t)
  const upload = await UploadSession.begin(drive, 'k')
  await upload.append(Buffer.from('one '))
  await upload.replaceLast(Buffer.from('ONE '))
  proxy.faults.add({ method: 'MOVE', times: Number.POSITIVE_INFINITY, fault: full })
  await rejectsAs(upload.complete(), 'full')
  proxy.faults.clear()
  return { drive, upload }
}

/** Completes the upload; the spool folder is then as if the process had been killed after the MOVE. */
async function completeAndDie({ world, proxy }: Scene, upload: UploadSession): Promise<Drive> {
  const paths = ['spool', '.bucketry/uploads'].map((folder) =>
    join(world.spoolFolder, folder, upload.uploadId),
  )
  const run = async () => {
    for (const path of paths) renameSync(path, `${path}.kept`)
  }
  const fault = { kind: 'run-after', run, status: 201 } as const
  proxy.faults.add({ method: 'MOVE', path: /uploads/, fault })
  await upload.complete()
  assert.equal(proxy.faults.waiting, 0)
  for (const path of paths) renameSync(`${path}.kept`, path)
  const next = await world.open()
  upload.moveTo(next)
  return next
}

describe('an upload staged on this machine', { skip: absenceOfLighttpd() }, () => {
  for (const isReplacedBefore of [false, true]) {
    const title = isReplacedBefore ? 'whose last part was replaced' : 'of two parts'
    it(`${title} accepts parts again after a Complete that could not publish it`, async (t) => {
      const { drive, proxy } = await openOn(t)
      const upload = await UploadSession.begin(drive, 'k')
      await upload.append(Buffer.from('one '))
      await upload.append(Buffer.from('two '))
      if (isReplacedBefore) await upload.replaceLast(Buffer.from('TWO '))
      proxy.faults.add({ method: 'MOVE', times: Number.POSITIVE_INFINITY, fault: full })
      await rejectsAs(upload.complete(), 'full')
      proxy.faults.clear()
      assert.equal(await drive.uploads.isPublished(upload.state), false)
      // As long as the part that it replaces: the bytes sent before must not be published.
      await upload.replaceLast(Buffer.from('2nd '))
      await upload.append(Buffer.from('three'))
      await upload.complete()
      assert.equal(await getText(drive, 'k'), 'one 2nd three')
      assert.equal(await drive.uploads.isPublished(upload.state), true)
    })
  }

  it('is published and accepts no part when the process died right after the MOVE', async (t) => {
    const scene = await openOn(t)
    const upload = await UploadSession.begin(scene.drive, 'k')
    await upload.append(Buffer.from('one '))
    const drive = await completeAndDie(scene, upload)
    assert.equal(await drive.uploads.isPublished(upload.state), true)
    await rejectsAs(upload.append(Buffer.from('two')), 'upload-gone')
    await rejectsAs(upload.replaceLast(Buffer.from('ONE ')), 'upload-gone')
    assert.equal((await upload.complete())?.attributes.etag, upload.attributes.etag)
    assert.equal(await getText(drive, 'k'), 'one ')
  })

  it('is not published over an object that was put after the process died', async (t) => {
    const scene = await openOn(t)
    const upload = await UploadSession.begin(scene.drive, 'k')
    await upload.append(Buffer.from('old'))
    const drive = await completeAndDie(scene, upload)
    await put(drive, 'k', 'new')
    assert.equal(await upload.complete(), undefined)
    assert.equal(await getText(drive, 'k'), 'new')
  })

  it('is reported as gone to a Complete with other bytes than were published', async (t) => {
    const scene = await openOn(t)
    const upload = await UploadSession.begin(scene.drive, 'k')
    await upload.append(Buffer.from('one '))
    await upload.append(Buffer.from('two '))
    await completeAndDie(scene, upload)
    await rejectsAs(upload.complete(undefined, 4), 'upload-gone')
    assert.equal(await getText(scene.drive, 'k'), 'one two ')
  })

  it('is sent again after a failed Complete: the earlier copy may have been damaged since', async (t) => {
    const { drive, proxy, root } = await openOn(t)
    const upload = await UploadSession.begin(drive, 'k')
    await upload.append(Buffer.from('one '))
    proxy.faults.add({ method: 'MOVE', times: Number.POSITIVE_INFINITY, fault: full })
    await rejectsAs(upload.complete(), 'full')
    proxy.faults.clear()
    writeFileSync(join(root, '.bucketry/uploads', upload.uploadId), 'ONE?')
    await upload.complete()
    assert.equal(await getText(drive, 'k'), 'one ')
  })

  it('keeps its replaced last part when the part after it is interrupted', async (t) => {
    const { drive, upload } = await failReplaced(t)
    const brokenOff = await upload.startAppend(4)
    await brokenOff.write(Buffer.from('tw'))
    await brokenOff.discard()
    await upload.append(Buffer.from('two'))
    await upload.complete()
    assert.equal(await getText(drive, 'k'), 'ONE two')
  })

  it('is complete when a Complete follows the interrupted part', async (t) => {
    const { drive, upload } = await failReplaced(t)
    await (await upload.startReplaceLast(4)).discard()
    await upload.complete()
    assert.equal(await getText(drive, 'k'), 'ONE ')
  })
})
