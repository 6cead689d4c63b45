/** An upload on the server after one of its parts filled the drive. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buckets } from '../../contract/drive/drive-suite.ts'
import { getText, rejectsAs } from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'

const full = { kind: 'answer', status: 507 } as const

describe('a part that fills the drive', { skip: absenceOfApache() }, () => {
  const cases = {
    'while there is room for the others beside it': 0,
    'while there is none, and nobody else takes it': 1,
    'while there is none, and others take it for a while': 3,
  }
  for (const [when, refusals] of Object.entries(cases)) {
    it(`costs no part that was there before, ${when}`, async (t) => {
      const server = await startApache(t)
      assert.ok(server)
      const proxy = await startFaultyProxy(t, server.httpUrl)
      const drive = await (await davWorldOn(t, proxy.urlFor(server.url))).open()
      await drive.prepare(buckets)
      const upload = await UploadSession.begin(drive, 'k')
      await upload.append(Buffer.from('committed'))
      // For the part, for the copy beside it, and for the file that replaces it.
      proxy.faults.add({ method: 'PUT', path: /uploads/, fault: full })
      if (refusals > 0) proxy.faults.add({ method: 'PUT', path: /copy$/, fault: full })
      if (refusals > 1) {
        proxy.faults.add({ method: 'PUT', path: /uploads/, fault: full, times: refusals - 1 })
      }
      await rejectsAs(upload.append(Buffer.from('does not fit')), 'full')
      assert.equal(proxy.faults.waiting, 0)
      await upload.append(Buffer.from(' and more'))
      await upload.complete()
      assert.equal(await getText(drive, 'k'), 'committed and more')
    })
  }
})
