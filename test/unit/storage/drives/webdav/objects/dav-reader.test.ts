import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it, type TestContext } from 'node:test'
import { DavClient } from '../../../../../../src/storage/drives/webdav/client/dav-client.ts'
import { DavServer } from '../../../../../../src/storage/drives/webdav/client/dav-server.ts'
import {
  DavReader,
  type ReaderParts,
} from '../../../../../../src/storage/drives/webdav/objects/dav-reader.ts'
import { md5Of } from '../../../../../support/test-bytes.ts'

/** The number of connections for calls and small reads. */
const connections = 24
const content = Buffer.alloc(1_000, 'k')
const path = ['b', 'k']
const described =
  '<multistatus xmlns="DAV:"><response><href>/b/k</href><propstat><prop><resourcetype/>' +
  `<getcontentlength>${content.length}</getcontentlength>` +
  '<getlastmodified>Mon, 01 Jan 2024 00:00:00 GMT</getlastmodified></prop>' +
  '<status>HTTP/1.1 200 OK</status></propstat></response></multistatus>'

async function serverOf(t: TestContext, listener: RequestListener): Promise<DavServer> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new DavClient({
    origin,
    user: 'me',
    password: 'x',
    firstPauseMs: 1,
    connectionWaitMs: 10_000,
  })
  t.after(async () => {
    await client.close()
    server.closeAllConnections()
    server.close()
  })
  return new DavServer(client, { origin, root: [] })
}

/** Answers GETs, without an ETag, once there are as many as connections. */
function answeringTogether(status: 200 | 403): RequestListener {
  const waiting: (() => void)[] = []
  return (request, answer) => {
    request.resume()
    if (request.method !== 'GET') {
      answer.writeHead(207).end(described)
      return
    }
    waiting.push(() => answer.writeHead(status).end(content))
    if (waiting.length >= connections) for (const send of waiting.splice(0)) send()
  }
}

async function readAtOnce(server: DavServer): Promise<PromiseSettledResult<Uint8Array>[]> {
  const entry = await server.stat(path)
  assert.ok(entry)
  const parts: ReaderParts = {
    server,
    finder: {
      watch: async () => ({ leases: [], revisions: [0] }),
      isQuietSince: async () => false,
    },
    store: { find: async () => undefined, versionOf: ({ modifiedAtMs }) => `${modifiedAtMs}` },
  }
  const attributes = { etag: md5Of(content), headers: {}, metadata: {} }
  const metadata = { size: content.length, modifiedAtMs: entry.modifiedAtMs, attributes }
  const found = { path, entry, revision: 0, record: undefined, metadata }
  const object = {
    bucket: 'b',
    key: 'k',
    natural: path,
    alternative: path,
    leaseKey: 'b/k',
    folderKey: 'b',
  }
  const reads = Array.from({ length: connections }, () =>
    new DavReader(parts, { object, found, priority: 'normal' }).readWhole(),
  )
  return await Promise.allSettled(reads)
}

it('small reads that check the file again do not wait for each other', async (t) => {
  const server = await serverOf(t, answeringTogether(200))
  for (const outcome of await readAtOnce(server)) {
    assert.equal(outcome.status, 'fulfilled', String((outcome as PromiseRejectedResult).reason))
    assert.deepEqual(Buffer.from((outcome as PromiseFulfilledResult<Uint8Array>).value), content)
  }
})

it('refused small reads do not wait for each other', async (t) => {
  const server = await serverOf(t, answeringTogether(403))
  for (const outcome of await readAtOnce(server)) {
    assert.equal((outcome as PromiseRejectedResult).reason?.kind, 'denied')
  }
})

for (const status of [405, 301]) {
  it(`a file that was replaced by a folder is reported as changed after ${status}, so that it is looked up again`, async (t) => {
    let isFolder = false
    const server = await serverOf(t, (request, answer) => {
      request.resume()
      const folder = described.replace(
        '<resourcetype/>',
        '<resourcetype><collection/></resourcetype>',
      )
      if (request.method !== 'GET') answer.writeHead(207).end(isFolder ? folder : described)
      else answer.writeHead(status).end()
      isFolder = true
    })
    for (const outcome of await readAtOnce(server)) {
      assert.equal((outcome as PromiseRejectedResult).reason?.kind, 'changed')
    }
  })
}
