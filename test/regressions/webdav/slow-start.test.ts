/** A server that answers the first request and then goes silent keeps the start waiting, but not in silence. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it, type TestContext } from 'node:test'
import { davWorldOn } from '../../contract/webdav-world.ts'

/** The server, and when it has received its second request. */
async function startSilentServer(t: TestContext) {
  const second = Promise.withResolvers<void>()
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    if (requests === 1) response.writeHead(404).end()
    else second.resolve()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  t.after(() => server.closeAllConnections())
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, second: second.promise }
}

it('A server that goes silent during its tests is reported after 5 s, and given up in time', async (t) => {
  const { host, second } = await startSilentServer(t)
  const warnings: [fields: object, text: string][] = []
  const world = await davWorldOn(t, `webdav+http://me:hush@${host}/dav/`, {
    onWarning: (fields, text) => warnings.push([fields, text]),
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const opening = world.open()
  const refused = assert.rejects(opening, {
    kind: 'unavailable',
    message: new RegExp(`^${host} responds too slowly: .* longer than 180 s`),
  })
  await second
  assert.deepEqual(warnings, [])
  t.mock.timers.tick(5_000)
  const warning = [{ server: host }, 'the start is still waiting for the WebDAV server']
  assert.deepEqual(warnings, [warning])
  t.mock.timers.tick(30_000)
  assert.deepEqual(warnings, [warning, warning])
  t.mock.timers.tick(150_000)
  await refused
  const seen = warnings.length
  t.mock.timers.tick(120_000)
  assert.equal(warnings.length, seen)
})
