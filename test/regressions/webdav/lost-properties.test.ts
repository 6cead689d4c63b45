/** Servers that move a file but fail before they move its properties (sabre/dav), reported or not. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import type { Entry } from '../../../src/storage/drives/listed-entry.ts'
import {
  recordName,
  recordNamespace,
} from '../../../src/storage/drives/webdav/client/multistatus.ts'
import { buckets } from '../../contract/drive/drive-suite.ts'
import {
  attributesOf,
  bucket,
  getText,
  listAll,
  md5Of,
  put,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { type DavWorld, davWorldOn, leaveLease } from '../../contract/webdav-world.ts'
import { type FaultyProxy, startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { startNextcloud } from '../../fakes/nextcloud/start-nextcloud.ts'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'
import { DavClient } from '../../support/webdav/dav-client.ts'
import type { WebdavServer } from '../../support/webdav/server-process.ts'

interface Lossy {
  readonly world: DavWorld
  readonly drive: Drive
  readonly dav: DavClient
  readonly proxy: FaultyProxy
}

/** Answers to a MOVE that was executed; undefined for none. */
const answers = [undefined, 403, 404, 423, 500, 502, 503, 504, 507] as const

const servers = {
  Nextcloud: { start: startNextcloud, skip: false },
  Apache: { start: startApache, skip: absenceOfApache() },
} as const

async function lossyOn(
  t: TestContext,
  start: (t: TestContext) => Promise<WebdavServer | undefined>,
): Promise<Lossy> {
  const server = await start(t)
  assert.ok(server)
  const proxy = await startFaultyProxy(t, server.httpUrl)
  const world = await davWorldOn(t, proxy.urlFor(server.url))
  const drive = await world.open()
  await drive.prepare(buckets)
  return { world, drive, proxy, dav: new DavClient(server) }
}

async function loseRecord(dav: DavClient, key: string): Promise<void> {
  const body =
    `<d:propertyupdate xmlns:d="DAV:" xmlns:s="${recordNamespace}">` +
    `<d:remove><d:prop><s:${recordName}/></d:prop></d:remove></d:propertyupdate>`
  const headers = { 'content-type': 'application/xml' }
  assert.equal((await dav.send('PROPPATCH', `/${bucket}/${key}`, { headers, body })).status, 207)
}

/** The next MOVE of a draft is executed without the properties. */
function loseProperties({ proxy, dav }: Lossy, key: string, status: number | undefined): void {
  const run = () => loseRecord(dav, key)
  const fault = { kind: 'run-after', run, ...(status !== undefined && { status }) } as const
  proxy.faults.add({ method: 'MOVE', path: /tmp|uploads/, fault })
}

const described = {
  headers: { 'content-type': 'text/x-test', 'cache-control': 'no-store' },
  metadata: { colour: 'blue' },
} as const

async function hasAll(drive: Drive, key: string, text: string): Promise<void> {
  const etag = md5Of(Buffer.from(text))
  const metadata = await drive.head(bucket, key)
  assert.deepEqual(metadata?.attributes, attributesOf(Buffer.from(text), described))
  assert.equal(await getText(drive, key), text)
  const entries = await listAll(drive, { prefix: key })
  assert.deepEqual(
    entries.map((entry) => entry.kind === 'object' && entry.etag),
    [etag],
  )
}

for (const [name, { start, skip }] of Object.entries(servers)) {
  describe(`a MOVE that does not move the properties, on ${name}`, { skip }, () => {
    it('keeps the content type, metadata and ETag of the write, whatever the answer is', async (t) => {
      const lossy = await lossyOn(t, start)
      const { drive, proxy } = lossy
      await put(drive, 'old', 'old', { attributes: { metadata: { colour: 'red' } } })
      for (const status of answers) {
        for (const [key, text] of [
          [`new-${status}`, `new ${status}`],
          ['old', `newer ${status}`],
        ] as const) {
          loseProperties(lossy, key, status)
          await put(drive, key, text, { attributes: described })
          assert.equal(proxy.faults.waiting, 0)
          await hasAll(drive, key, text)
        }
      }
    })

    it('keeps the attributes of a completed upload', async (t) => {
      const lossy = await lossyOn(t, start)
      const { drive } = lossy
      const upload = await UploadSession.begin(drive, 'k')
      await upload.append(Buffer.from('whole'))
      loseProperties(lossy, 'k', 500)
      const attributes = attributesOf(Buffer.from('whole'), described)
      await drive.uploads.complete(upload.state, {
        target: { bucket, key: 'k' },
        size: 5,
        attributes,
      })
      await hasAll(drive, 'k', 'whole')
      assert.equal(await drive.uploads.isPublished(upload.state), true)
    })

    it('makes listings wait, and shows them the ETag of the write', async (t) => {
      const { drive, proxy, dav, world } = await lossyOn(t, start)
      const other = await world.open()
      // More than a listing looks up one by one.
      const byHand = Array.from({ length: 60 }, (_, index) => `by-hand-${index}`)
      for (const name of byHand) await dav.send('PUT', `/${bucket}/${name}`, { body: name })
      const readings = () =>
        proxy.requests.filter(({ method, path }) => {
          return method === 'PROPFIND' && path.endsWith(`/${bucket}/`)
        }).length
      let listing: Promise<Entry[]> | undefined
      const run = async () => {
        await loseRecord(dav, 'written')
        const before = readings()
        listing = listAll(other)
        while (readings() < before + 3) await setImmediate()
      }
      proxy.faults.add({ method: 'MOVE', path: /tmp/, fault: { kind: 'run-after', run } })
      await put(drive, 'written', 'text', { attributes: described })
      const entries = (await listing) ?? []
      assert.equal(entries.length, byHand.length + 1)
      const written = entries.find(({ key }) => key === 'written')
      assert.equal(written?.kind === 'object' && written.etag, md5Of(Buffer.from('text')))
    })

    it('is completed by the next process when this one dies', async (t) => {
      const { world, drive, proxy, dav } = await lossyOn(t, start)
      let note: object | undefined
      const run = async () => {
        const [lease] = await world.leases.below([bucket])
        note = JSON.parse(lease?.note ?? '')
      }
      proxy.faults.add({ method: 'MOVE', path: /tmp/, fault: { kind: 'run', run } })
      await put(drive, 'k', 'text', { attributes: described })
      await loseRecord(dav, 'k')
      assert.ok(note)
      await leaveLease(world, `${bucket}/k`, note)
      await hasAll(drive, 'k', 'text')
    })
  })
}
