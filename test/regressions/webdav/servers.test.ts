import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'
import { absenceOfLighttpd, startLighttpd } from '../../support/webdav/lighttpd.ts'
import { absenceOfRclone, startRcloneServe } from '../../support/webdav/rclone-serve.ts'
import { absenceOf, type WebdavServer } from '../../support/webdav/server-process.ts'

const servers = {
  Apache: { start: startApache, skip: absenceOfApache() },
  lighttpd: { start: startLighttpd, skip: absenceOfLighttpd() },
  'rclone serve': { start: startRcloneServe, skip: absenceOfRclone() },
}
const canMount = process.getuid?.() === 0

function send(server: WebdavServer, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: server.authorization, ...init.headers }
  return fetch(`${server.httpUrl}${path}`, { ...init, headers })
}

for (const [name, { start, skip }] of Object.entries(servers)) {
  const started = async (t: TestContext, options = {}) => {
    const server = await start(t, options)
    assert.ok(server)
    return server
  }

  describe(`${name} of a test`, { skip }, () => {
    test('serves its folder at the URL', async (t) => {
      const server = await started(t)
      mkdirSync(join(server.root, 'by hand'))
      const sent = await send(server, '/by%20hand/a', { method: 'PUT', body: 'over HTTP' })
      assert.equal(sent.status, 201, server.errors())
      assert.equal(readFileSync(join(server.root, 'by hand/a'), 'utf8'), 'over HTTP')
      writeFileSync(join(server.root, 'by hand/a'), 'by hand')
      const got = await send(server, '/by%20hand/a')
      assert.equal(await got.text(), 'by hand')
    })

    test('refuses requests without the credentials in the URL', async (t) => {
      const server = await started(t)
      const wrong = `Basic ${Buffer.from(`${server.user}:wrong`).toString('base64')}`
      for (const headers of [{}, { authorization: wrong }]) {
        const refused = await fetch(`${server.httpUrl}/a`, { method: 'PUT', body: 'x', headers })
        assert.equal(refused.status, 401)
      }
      const url = new URL(server.url.replace('webdav+', ''))
      assert.equal(decodeURIComponent(url.password), server.password)
      assert.equal(url.username, server.user)
      assert.deepEqual(readdirSync(server.root), [])
    })

    test('ends, and its folder is removed, when the test ends', async (t) => {
      let server: WebdavServer | undefined
      await t.test('inner', async (inner) => {
        server = await started(inner)
      })
      assert.ok(server)
      await assert.rejects(send(server, '/'), TypeError)
      assert.equal(existsSync(dirname(server.root)), false)
    })

    test('refuses files that do not fit in its folder', {
      skip: !canMount && 'not root',
    }, async (t) => {
      const server = await started(t, { capacityBytes: 1_000_000 })
      const small = await send(server, '/small', { method: 'PUT', body: Buffer.alloc(100_000) })
      assert.equal(small.status, 201)
      const large = await send(server, '/large', { method: 'PUT', body: Buffer.alloc(3_000_000) })
      // Apache 507, lighttpd 500, rclone 405.
      assert.ok(large.status >= 400, String(large.status))
    })
  })
}

test('A server that is not installed skips the test and says what to install', () => {
  assert.equal(
    absenceOf('no-such-server', 'no-package'),
    'needs no-such-server (Debian: no-package)',
  )
})
