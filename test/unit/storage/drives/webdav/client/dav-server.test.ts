import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { DavClient } from '../../../../../../src/storage/drives/webdav/client/dav-client.ts'
import { DavServer } from '../../../../../../src/storage/drives/webdav/client/dav-server.ts'

/** A server with this handler; the drive's folder is its root. */
async function serverOf(t: TestContext, listener: RequestListener): Promise<DavServer> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = new DavClient({ origin, user: 'me', password: 'hush', firstPauseMs: 1 })
  t.after(async () => {
    await client.close()
    server.closeAllConnections()
    server.close()
  })
  return new DavServer(client, { origin, root: [] })
}

const multistatus = (inner: string) =>
  `<multistatus xmlns="DAV:" xmlns:s="urn:bucketry">${inner}</multistatus>`
const response = (href: string, properties: string) =>
  `<response><href>${href}</href><propstat><prop>${properties}</prop>` +
  '<status>HTTP/1.1 200 OK</status></propstat></response>'
const folder = '<resourcetype><collection/></resourcetype>'
const file = '<resourcetype/><getcontentlength>5</getcontentlength>'
const failed = (href: string, status: string) =>
  `<response><href>${href}</href><status>HTTP/1.1 ${status}</status></response>`

function answering(text: string): RequestListener {
  return (request, answer) => {
    request.resume()
    answer.writeHead(207).end(text)
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'unavailable'
}

describe('DavServer', () => {
  it('does not report a file as absent when the server reports nothing or a failure', async (t) => {
    for (const inner of ['', failed('/b/k', '500 Oops')]) {
      const server = await serverOf(t, answering(multistatus(inner)))
      await assert.rejects(server.stat(['b', 'k']), isUnavailable)
      await assert.rejects(server.statFolder(['b']), isUnavailable)
      await assert.rejects(server.list(['b']), isUnavailable)
    }
    const server = await serverOf(t, answering(multistatus(failed('/b/k', '404 Not Found'))))
    assert.equal(await server.stat(['b', 'k']), undefined)
  })

  it('asks again about a file that the answer omits', async (t) => {
    const nothing = response('/b/k', '').replace('200 OK', '404 Not Found')
    const inner = [nothing, nothing, response('/b/k', file)]
    const server = await serverOf(t, (request, answer) => {
      request.resume()
      answer.writeHead(207).end(multistatus(inner.shift() ?? nothing))
    })
    assert.equal((await server.stat(['b', 'k']))?.size, 5)
    await assert.rejects(server.stat(['b', 'k']), isUnavailable)
  })

  it('asks again about a path whose parent was a file until now', async (t) => {
    for (const status of [400, 403, 405, 409]) {
      let isFirst = true
      const server = await serverOf(t, ({ url = '' }, answer) => {
        const isRefused = isFirst && url.startsWith('/b/a/')
        if (isRefused) answer.writeHead(status).end()
        else {
          const isFolder = !url.endsWith('/k')
          answer.writeHead(207).end(multistatus(response(url, isFolder ? folder : file)))
        }
        // The parent is a folder from the first question on.
        isFirst = false
      })
      assert.equal((await server.stat(['b', 'a', 'k']))?.size, 5, `${status}`)
      isFirst = true
      assert.equal((await server.statFolder(['b', 'a', 'f']))?.isFolder, true, `${status}`)
      if (status === 405) continue
      isFirst = true
      assert.deepEqual((await server.list(['b', 'a', 'f']))?.children, [], `${status}`)
    }
  })

  it('reports a refusal below a folder after a few attempts', async (t) => {
    let requests = 0
    const server = await serverOf(t, ({ url = '' }, answer) => {
      requests++
      if (url.endsWith('/k')) answer.writeHead(403).end()
      else answer.writeHead(207).end(multistatus(response(url, folder)))
    })
    const isDenied = (error: unknown) => error instanceof DriveError && error.kind === 'denied'
    await assert.rejects(server.stat(['b', 'a', 'k']), isDenied)
    assert.ok(requests <= 8, `${requests} requests`)
  })

  it('does not list a folder without a file that the server failed to read', async (t) => {
    const inner = response('/b/', folder) + response('/b/a', file)
    const server = await serverOf(t, answering(multistatus(inner + failed('/b/k', '423 Locked'))))
    const isBusy = (error: unknown) => error instanceof DriveError && error.kind === 'busy'
    await assert.rejects(server.list(['b']), isBusy)
    const gone = await serverOf(t, answering(multistatus(inner + failed('/b/k', '404 Not Found'))))
    assert.deepEqual(
      (await gone.list(['b']))?.children.map(({ name }) => name),
      ['a'],
    )
  })
})
