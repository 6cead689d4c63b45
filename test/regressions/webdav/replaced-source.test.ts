/** Servers that answer COPY with an error when the source is replaced while it is copied. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buckets } from '../../contract/drive/drive-suite.ts'
import {
  attributesOf,
  bucket,
  listKeys,
  md5Of,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { absenceOfRclone, startRcloneServe } from '../../support/webdav/rclone-serve.ts'

const cases = [
  { isReplaced: true, kind: 'changed', title: 'reports a changed source when it was replaced' },
  { isReplaced: false, kind: 'unavailable', title: 'reports the failure of the server otherwise' },
] as const

describe('a COPY that the server answers with 500', { skip: absenceOfRclone() }, () => {
  for (const { isReplaced, kind, title } of cases) {
    it(title, async (t) => {
      const server = await startRcloneServe(t)
      assert.ok(server)
      const proxy = await startFaultyProxy(t, server.httpUrl)
      const drive = await (await davWorldOn(t, proxy.urlFor(server.url))).open()
      await drive.prepare(buckets)
      const old = Buffer.from('old')
      await put(drive, 'source', old)
      const run = async () => {
        if (isReplaced) await put(drive, 'source', 'new')
      }
      const fault = { kind: 'run-after', run, status: 500 } as const
      proxy.faults.add({ method: 'COPY', fault })
      const source = { bucket, key: 'source', etag: md5Of(old) }
      const copy = drive.copy?.(source, { bucket, key: 'copy' }, { attributes: attributesOf(old) })
      assert.ok(copy)
      await rejectsAs(copy, kind)
      assert.equal(proxy.faults.waiting, 0)
      assert.deepEqual(await listKeys(drive), ['source'])
    })
  }
})
