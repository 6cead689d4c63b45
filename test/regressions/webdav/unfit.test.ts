/** Servers on which a drive would lose data are refused at the start. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { rejectsAs } from '../../contract/drive/stored-object.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { type FaultyProxy, startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { startNextcloud } from '../../fakes/nextcloud/start-nextcloud.ts'
import { absenceOfNginx, startNginxThatMakesFolders } from '../../support/webdav/nginx.ts'

const times = Number.POSITIVE_INFINITY
const overwritten = { kind: 'send', headers: { overwrite: 'T' } } as const
const ofFolders = { method: 'MOVE', path: /\/$/, times } as const

const cases: Readonly<Record<string, (proxy: FaultyProxy) => void>> = {
  'overwrites files despite Overwrite: F': ({ faults }) =>
    faults.add({ method: 'MOVE', path: /[^/]$/, times, fault: overwritten }),
  'overwrites folders despite Overwrite: F': ({ faults }) =>
    faults.add({ ...ofFolders, fault: overwritten }),
  'moves no folders': ({ faults }) =>
    faults.add({ ...ofFolders, fault: { kind: 'answer', status: 403 } }),
  'says that it has moved a folder': ({ faults }) =>
    faults.add({ ...ofFolders, fault: { kind: 'answer', status: 201 } }),
}

async function refusesBecause(t: TestContext, spoil: (proxy: FaultyProxy) => void): Promise<void> {
  const server = await startNextcloud(t)
  const proxy = await startFaultyProxy(t, server.httpUrl)
  spoil(proxy)
  const world = await davWorldOn(t, proxy.urlFor(server.url))
  await rejectsAs(world.open(), 'denied')
}

describe('a drive over a server', () => {
  for (const [what, spoil] of Object.entries(cases)) {
    it(`that ${what} is not opened`, async (t) => await refusesBecause(t, spoil))
  }

  const skip = absenceOfNginx()
  it('whose PUT creates folders is not opened', { skip }, async (t) => {
    const server = await startNginxThatMakesFolders(t)
    assert.ok(server)
    const world = await davWorldOn(t, server.url)
    await assert.rejects(world.open(), { kind: 'denied', message: /create_full_put_path off/ })
  })
})
