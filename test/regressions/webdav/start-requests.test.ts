/** Each request at the start is a round trip on a slow line: at most 60 are allowed. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { startNextcloud } from '../../fakes/nextcloud/start-nextcloud.ts'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'
import { absenceOfLighttpd, startLighttpd } from '../../support/webdav/lighttpd.ts'
import { absenceOfNginx, startNginx } from '../../support/webdav/nginx.ts'
import { absenceOfRclone, startRcloneServe } from '../../support/webdav/rclone-serve.ts'

const mostAtFirst = 60
const mostLater = 45

const servers = [
  ['Apache', startApache, absenceOfApache()],
  [
    'Apache with index files',
    (t: TestContext) => startApache(t, { hasDirectoryIndex: true }),
    absenceOfApache(),
  ],
  ['lighttpd', startLighttpd, absenceOfLighttpd()],
  ['nginx', startNginx, absenceOfNginx()],
  ['Nextcloud', startNextcloud, false],
  ['rclone serve', startRcloneServe, absenceOfRclone()],
] as const

describe('the requests of a start', () => {
  for (const [name, start, skip] of servers) {
    it(`number at most ${mostAtFirst} on ${name}`, { skip }, async (t) => {
      const server = await start(t)
      assert.ok(server)
      const proxy = await startFaultyProxy(t, server.httpUrl)
      const world = await davWorldOn(t, proxy.urlFor(server.url))
      await world.open()
      const first = proxy.requests.length
      await world.open()
      const later = proxy.requests.length - first
      t.diagnostic(`${first} at first, ${later} later`)
      assert.ok(first <= mostAtFirst, `${first} requests`)
      assert.ok(later <= mostLater, `${later} requests later`)
    })
  }
})
