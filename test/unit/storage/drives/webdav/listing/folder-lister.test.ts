import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { asciiJson } from '../../../../../../src/storage/drives/kit/stored-attributes.ts'
import { DavClient } from '../../../../../../src/storage/drives/webdav/client/dav-client.ts'
import { DavServer } from '../../../../../../src/storage/drives/webdav/client/dav-server.ts'
import {
  FolderLister,
  type FolderListerParts,
} from '../../../../../../src/storage/drives/webdav/listing/folder-lister.ts'
import { versionOf } from '../../../../../../src/storage/drives/webdav/objects/attribute-store.ts'
import { rulesFrom } from '../../../../../../src/storage/drives/webdav/probe/drive-names.ts'
import { collectGarbage } from '../../../../../support/collect-garbage.ts'

const count = 2_000
const metadata = { text: 'm'.repeat(12_000) }

async function answer(response: ServerResponse): Promise<void> {
  const about = (href: string, properties: string) =>
    `<response><href>${href}</href><propstat><prop>${properties}</prop>` +
    '<status>HTTP/1.1 200 OK</status></propstat></response>'
  const file = '<resourcetype/><getcontentlength>1</getcontentlength>'
  response.writeHead(207).write('<multistatus xmlns="DAV:" xmlns:s="urn:bucketry">')
  response.write(about('/b/', '<resourcetype><collection/></resourcetype>'))
  for (let index = 0; index < count; index++) {
    const attributes = { etag: `etag ${index}`, headers: {}, metadata }
    const record = asciiJson({ version: `e tag-of-file-${index} 1`, attributes })
    const own = `<getetag>"tag-of-file-${index}"</getetag><s:record>${record}</s:record>`
    if (!response.write(about(`/b/file-${index}`, file + own))) await once(response, 'drain')
  }
  response.end('</multistatus>')
}

async function listerOf(t: TestContext): Promise<FolderLister> {
  const http = createServer((request, response) => {
    request.resume()
    void answer(response)
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const client = new DavClient({ origin, user: 'me', password: 'hush', firstPauseMs: 1 })
  t.after(async () => {
    await client.close()
    http.closeAllConnections()
    http.close()
  })
  const quiet = {
    heldBelow: async () => [],
    look: async () => ({ leases: [], revisions: [0] }),
  }
  const parts: Pick<FolderListerParts, 'server' | 'rules' | 'cacheMs'> = {
    server: new DavServer(client, { origin, root: [] }),
    rules: rulesFrom({
      ...{ characters: [], beginnings: [], endings: [], names: [], indexNames: [] },
      ...{ maxNameBytes: 250, foldsCase: false, composes: false, decomposes: false },
    }),
    cacheMs: 60_000,
  }
  const store = { versionOf: (entry: Parameters<typeof versionOf>[0]) => versionOf(entry, 'etag') }
  return new FolderLister({ ...parts, store, leases: quiet } as unknown as FolderListerParts)
}

function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

describe('FolderLister', () => {
  it('caches the ETags of a folder, not the records that contain them', async (t) => {
    const lister = await listerOf(t)
    const before = heapBytes()
    const index = await lister.read(['b'], { mayBeCached: false })
    const keptBytes = heapBytes() - before
    assert.equal(index?.count, count)
    assert.equal(index.at(index.lowerBound('file-7'))?.attributes?.etag, 'etag 7')
    assert.ok(keptBytes < (count * metadata.text.length) / 4, `${keptBytes} bytes`)
  })
})
