import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bytesOf } from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { sha256Of } from '../../support/test-bytes.ts'
import { absenceOfLighttpd, startLighttpd } from '../../support/webdav/lighttpd.ts'
import { absenceOfRclone, startRcloneServe } from '../../support/webdav/rclone-serve.ts'

const mib = 1024 * 1024

const servers = [
  ['lighttpd', startLighttpd, absenceOfLighttpd()],
  ['rclone', startRcloneServe, absenceOfRclone()],
] as const

for (const [name, start, absence] of servers) {
  test(`a staged upload arrives whole on a slow ${name}`, { skip: absence }, async (t) => {
    const server = await start(t)
    assert.ok(server)
    const proxy = await startFaultyProxy(t, server.url)
    const world = await davWorldOn(t, proxy.urlFor(server.url), { maxSpoolBytes: 64 * mib })
    const drive = await world.open()
    await drive.prepare(['alpha'])
    const session = await UploadSession.begin(drive, 'large')
    for (const seed of [1, 2, 3]) await session.append(bytesOf(8 * mib, seed))
    proxy.faults.add({ method: 'PUT', fault: { kind: 'slow', pauseMs: 5 } })
    await session.complete()
    const stored = readFileSync(join(server.root, 'alpha/large'))
    assert.equal(sha256Of(stored), sha256Of(session.bytes))
    assert.equal(proxy.faults.waiting, 0)
  })
}
