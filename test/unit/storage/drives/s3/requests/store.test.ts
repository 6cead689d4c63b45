import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import {
  SecureStoreAgent,
  StoreAgent,
} from '../../../../../../src/storage/drives/s3/requests/store.ts'
import { makeCertificate } from '../../../../../support/certificates.ts'
import { sha256Of, testBytes } from '../../../../../support/test-bytes.ts'

const content = testBytes('from a store', 5 * 1024 * 1024 + 3)

/** How the end of a reply is known. */
const framings: Readonly<Record<string, http.OutgoingHttpHeaders>> = {
  length: { 'content-length': content.length },
  chunked: {},
  close: { connection: 'close' },
}

const reply: http.RequestListener = (request, response) => {
  response.writeHead(200, framings[request.url?.slice(1) ?? ''])
  response.end(content)
}

async function listen(t: TestContext, server: http.Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

async function readSlowly(response: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) {
    chunks.push(chunk)
    if (chunks.length % 16 === 0) await delay(1)
  }
  return Buffer.concat(chunks)
}

async function checkReplies(send: (path: string) => http.ClientRequest): Promise<void> {
  const sockets = new Set<Socket>()
  const reads: Buffer[] = []
  for (const framing of ['length', 'chunked', 'close', 'length']) {
    const request = send(`/${framing}`).on('socket', (socket) => {
      if (!sockets.has(socket)) socket.prependListener('data', (bytes) => reads.push(bytes))
      sockets.add(socket)
    })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    assert.equal(sha256Of(await readSlowly(response)), sha256Of(content), framing)
  }
  assert.equal(sockets.size, 2)
  assert.ok(reads.length > 0)
  assert.deepEqual(
    reads.filter(({ length }) => length > 0),
    [],
  )
}

test('A reply is whole while the memory of each read is freed', async (t) => {
  const port = await listen(t, http.createServer(reply))
  const agent = new StoreAgent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  await checkReplies((path) => http.get({ port, agent, path }))
})

test('A reply over TLS is whole while the memory of each read is freed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-agents-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { caFile, certFile, keyFile } = makeCertificate(folder)
  const identity = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
  const port = await listen(t, https.createServer(identity, reply))
  const agent = new SecureStoreAgent({ keepAlive: true, maxSockets: 1, ca: readFileSync(caFile) })
  t.after(() => agent.destroy())
  await checkReplies((path) => https.get({ port, agent, path }))
})
