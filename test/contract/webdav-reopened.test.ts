/** An upload whose Complete gathered the bytes and did not publish them takes parts again. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startFaultyProxy } from '../support/webdav/faulty-proxy.ts'
import { absenceOfLighttpd, startLighttpd } from '../support/webdav/lighttpd.ts'
import { buckets } from './drive/drive-suite.ts'
import { getText, rejectsAs } from './drive/stored-object.ts'
import { UploadSession } from './drive/upload-session.ts'
import { davWorldOn } from './webdav-world.ts'

describe('an upload staged on this machine', { skip: absenceOfLighttpd() }, () => {
  for (const isReplacedBefore of [false, true]) {
    const title = isReplacedBefore ? 'whose last part was replaced' : 'of two parts'
    it(`${title} takes parts again after a Complete that could not publish it`, async (t) => {
      const server = await startLighttpd(t)
      assert.ok(server)
      const proxy = await startFaultyProxy(t, server.httpUrl)
      const drive = await (await davWorldOn(t, proxy.urlFor(server.url))).open()
      await drive.prepare(buckets)
      const upload = await UploadSession.begin(drive, 'k')
      await upload.append(Buffer.from('one '))
      await upload.append(Buffer.from('two '))
      if (isReplacedBefore) await upload.replaceLast(Buffer.from('TWO '))
      const full = { kind: 'answer', status: 507 } as const
      proxy.faults.add({ method: 'MOVE', times: Number.POSITIVE_INFINITY, fault: full })
      await rejectsAs(upload.complete(), 'full')
      proxy.faults.clear()
      assert.equal(await drive.uploads.isPublished(upload.state), false)
      // As long as the part that it replaces: what was sent before must not be published.
      await upload.replaceLast(Buffer.from('2nd '))
      await upload.append(Buffer.from('three'))
      await upload.complete()
      assert.equal(await getText(drive, 'k'), 'one 2nd three')
      assert.equal(await drive.uploads.isPublished(upload.state), true)
    })
  }
})
