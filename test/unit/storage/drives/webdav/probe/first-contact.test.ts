import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { parseDavAddress } from '../../../../../../src/storage/drives/webdav/client/dav-path.ts'
import { makeFirstContact } from '../../../../../../src/storage/drives/webdav/probe/first-contact.ts'
import { makeCertificate } from '../../../../../support/certificates.ts'
import { freePort } from '../../../../../support/free-port.ts'
import { tempFolder } from '../../local/temp-folder.ts'

const limitMs = 5_000

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

const answering = (listener: RequestListener) => (t: TestContext) =>
  listening(t, createServer(listener))

/** The error message of a first contact with this address. */
async function failureAt(place: string, scheme = 'http'): Promise<string> {
  const address = parseDavAddress(`webdav+${scheme}://me:hush%2Fhush@${place}/dav/`)
  let message = ''
  await assert.rejects(makeFirstContact(address, { warn: () => undefined }), (error: unknown) => {
    assert.ok(error instanceof DriveError, String(error))
    message = error.message
    return true
  })
  assert.ok(message.startsWith(place), message)
  assert.doesNotMatch(message, /hush/)
  return message
}

describe('the first contact with a WebDAV server', () => {
  it('names a host that DNS does not resolve', async () => {
    // RFC 6761 section 6.4: this name never resolves.
    assert.match(await failureAt('files.invalid'), /name .*(Check the host in DRIVE)/)
  })

  it('names a host that does not accept connections', async (t) => {
    const silent = createTcpServer((socket) => t.after(() => socket.destroy()))
    const place = `127.0.0.1:${await listening(t, silent)}`
    // Not the timeout for the answer, which is longer than the 5 s for reporting mistakes.
    const expected = /UND_ERR_CONNECT_TIMEOUT.*Check the host and port in DRIVE/
    assert.match(await failureAt(place, 'https'), expected)
  })

  it('says that nothing listens at a port', async () => {
    assert.match(await failureAt(`127.0.0.1:${await freePort()}`), /Nothing is listening there/)
  })

  it('says that a certificate is not accepted', async (t) => {
    const { certFile, keyFile } = makeCertificate(tempFolder(t))
    const identity = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
    const port = await listening(t, createTlsServer(identity))
    assert.match(await failureAt(`127.0.0.1:${port}`, 'https'), /NODE_EXTRA_CA_CERTS/)
  })

  it('says that a port does not speak TLS', async (t) => {
    const port = await answering((_, response) => response.end())(t)
    assert.match(await failureAt(`127.0.0.1:${port}`, 'https'), /TLS.*use webdav\+http/)
  })

  it('says that a port does not speak HTTP', async (t) => {
    const ssh = createTcpServer((socket) => {
      socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.2\r\n')
    })
    assert.match(await failureAt(`127.0.0.1:${await listening(t, ssh)}`), /does not speak HTTP/)
  })

  const statuses: readonly (readonly [number, RegExp])[] = [
    [401, /password/],
    [403, /Check the permissions of the account in DRIVE/],
    [200, /no WebDAV at \/dav\//],
    [405, /no WebDAV at \/dav\//],
    [501, /no WebDAV at \/dav\//],
    [301, /redirects requests to https:\/\/cloud\.example\/new\/ \(301\)/],
  ]
  for (const [status, message] of statuses) {
    it(`says what to do about status ${status}`, async (t) => {
      const port = await answering((_, response) => {
        response.writeHead(status, { location: 'https://me:pw@cloud.example/new/' }).end()
      })(t)
      assert.match(await failureAt(`127.0.0.1:${port}`), message)
    })
  }

  it('says that there is a file in place of the folder', async (t) => {
    const answer =
      '<d:multistatus xmlns:d="DAV:"><d:response><d:href>/dav</d:href><d:propstat><d:prop>' +
      '<d:resourcetype/></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>' +
      '</d:multistatus>'
    const port = await answering((_, response) => response.writeHead(207).end(answer))(t)
    assert.match(await failureAt(`127.0.0.1:${port}`), /has a file at \/dav\/, not a folder/)
  })

  it('accepts a folder that does not exist yet, and a busy server', async (t) => {
    for (const status of [207, 404, 409, 500, 503]) {
      const port = await answering((_, response) => response.writeHead(status).end())(t)
      const address = parseDavAddress(`webdav+http://127.0.0.1:${port}`)
      await makeFirstContact(address, { warn: () => undefined })
    }
  })

  it('warns with the host when a server takes long, and waits for it', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const port = await answering((_, response) => {
      t.mock.timers.tick(limitMs)
      response.writeHead(207).end()
    })(t)
    const warned: object[] = []
    const address = parseDavAddress(`webdav+http://127.0.0.1:${port}`)
    await makeFirstContact(address, { warn: (fields) => warned.push(fields) })
    assert.deepEqual(warned, [{ server: `127.0.0.1:${port}` }])
  })
})
