import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, type TestContext, test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { HttpHandler } from '../../../../src/platform/http/message.ts'
import { makeCertificate } from '../../../support/certificates.ts'
import { startServer, text } from './http-server-fixture.ts'

/** The body of every request that has one. It must never run as a request. */
const hidden = 'DELETE /hidden HTTP/1.1\r\nHost: h\r\n\r\n'
const length = `Content-Length: ${hidden.length}`
const chunked = 'Transfer-Encoding: chunked'
const chunks = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n`
const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk'

/** Requests behind which a parser may drop bytes or hand them over, in the pieces that a split keeps. */
const kinds = {
  'no body': ['GET /1 HTTP/1.1\r\nHost: h\r\n\r\n'],
  'a body': [`PUT /1 HTTP/1.1\r\nHost: h\r\n${length}\r\n\r\n`, hidden],
  chunks: [`PUT /1 HTTP/1.1\r\nHost: h\r\n${chunked}\r\n\r\n`, chunks, '\r\n'],
  'trailers that ask for an upgrade': [
    `PUT /1 HTTP/1.1\r\nHost: h\r\n${chunked}\r\n\r\n`,
    `${chunks}Connection: Upgrade\r\nUpgrade: h2c\r\n`,
    '\r\n',
  ],
  'Expect: 100-continue': [
    `PUT /1 HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n${length}\r\n\r\n`,
    hidden,
  ],
  'an upgrade to h2c': [`GET /1 HTTP/1.1\r\nHost: h\r\n${h2c}\r\n\r\n`],
  'an upgrade to WebSocket': [
    'GET /1 HTTP/1.1\r\nHost: h\r\nconnection: keep-alive, upgrade\r\nUPGRADE: websocket\r\n\r\n',
  ],
  'an upgrade to nothing': [
    'GET /1 HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade:\r\n\r\n',
  ],
  'an upgrade in HTTP/1.0': [
    'GET /1 HTTP/1.0\r\nConnection: keep-alive, Upgrade\r\nUpgrade: h2c\r\n\r\n',
  ],
  'an upgrade behind a thousand fields': [
    `GET /1 HTTP/1.1\r\nHost: h\r\n${'x: y\r\n'.repeat(1_000)}${h2c}\r\n\r\n`,
  ],
  'an upgrade and a body': [`PUT /1 HTTP/1.1\r\nHost: h\r\n${h2c}\r\n${length}\r\n\r\n`, hidden],
  'an upgrade and chunks': [
    `PUT /1 HTTP/1.1\r\nHost: h\r\n${h2c}\r\n${chunked}\r\n\r\n`,
    chunks,
    '\r\n',
  ],
  'an upgrade and Expect: 100-continue': [
    `PUT /1 HTTP/1.1\r\nHost: h\r\n${h2c}\r\nExpect: 100-continue\r\n${length}\r\n\r\n`,
    hidden,
  ],
  'two Hosts': ['GET /1 HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n'],
  'chunks in HTTP/1.0': [
    `PUT /1 HTTP/1.0\r\nConnection: keep-alive\r\n${chunked}\r\n\r\n`,
    chunks,
    '\r\n',
  ],
  'Connection: close': ['GET /1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'],
  CONNECT: [`CONNECT h:1 HTTP/1.1\r\nHost: h\r\n${length}\r\n\r\n`, hidden],
  'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\n', 'SM\r\n\r\n', hidden],
} as const

type Kind = keyof typeof kinds

/** Those that leave the connection open, if their body is read. */
const keeping: ReadonlySet<Kind> = new Set<Kind>([
  'no body',
  'a body',
  'chunks',
  'trailers that ask for an upgrade',
  'Expect: 100-continue',
])

const before = 'GET /0 HTTP/1.1\r\nHost: h\r\n\r\n'
const behind = [
  `PUT /2 HTTP/1.1\r\nHost: h\r\n${length}\r\n\r\n`,
  hidden,
  'GET /3 HTTP/1.1\r\nHost: h\r\n\r\n',
]

/** Bytes that were dropped show as a client that waits. */
const timeout = 20_000

const handlers = {
  reads: async (request) => {
    request.acceptBody()
    return text(`<${request.rawPath}:${(await buffer(request.body)).length}>`)
  },
  'answers late': async (request) => {
    // What the parser has read in the same turn is known by then.
    await turnOfTheLoop()
    return text(`<${request.rawPath}>`)
  },
  'answers early': async (request) => text(`<${request.rawPath}>`),
} as const satisfies Record<string, HttpHandler>

const folder = mkdtempSync(join(tmpdir(), 'bucketry-tls-'))
after(() => rmSync(folder, { recursive: true }))
const { caFile, certFile, keyFile } = makeCertificate(folder)
const ca = readFileSync(caFile)
const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }

/** Sends the bytes in two reads of the server. Resolves with what came back until the last reply or the end. */
async function exchange(
  port: number,
  pieces: readonly string[],
  { cut, isTls }: { readonly cut: number; readonly isTls: boolean },
): Promise<string> {
  const [client, peer] = await open(port, isTls)
  let received = ''
  const isOver = new Promise<void>((resolve) => {
    client.on('data', (bytes) => {
      received += bytes
      if (received.includes('</3')) resolve()
    })
    client.on('close', () => resolve())
    // What a client sends behind the last reply may be answered with a reset.
    client.on('error', () => resolve())
  })
  const first = pieces.slice(0, cut).join('')
  const bytesBefore = peer.bytesRead
  client.write(first)
  while (peer.bytesRead < bytesBefore + first.length) await turnOfTheLoop()
  client.write(pieces.slice(cut).join(''))
  await isOver
  client.destroy()
  return received
}

/** The two sides of a connection. */
async function open(port: number, isTls: boolean): Promise<[client: Socket, peer: Socket]> {
  const peers: Socket[] = []
  const onPeer = (message: unknown) => {
    peers.push((message as { readonly socket: Socket }).socket)
  }
  subscribe('net.server.socket', onPeer)
  const address = { port, host: '127.0.0.1', noDelay: true }
  const client = isTls ? connectTls({ ...address, ca }) : connect(address)
  await once(client, isTls ? 'secureConnect' : 'connect')
  while (peers.length === 0) await turnOfTheLoop()
  unsubscribe('net.server.socket', onPeer)
  const [peer] = peers
  assert.ok(peer)
  return [client, peer]
}

interface Reply {
  readonly status: string
  readonly isLast: boolean
  readonly body: string
}

function repliesIn(received: string): Reply[] {
  const form = /HTTP\/1\.1 (\d+) ([\s\S]*?)\r\n\r\n(<[^>]*>|fault [a-z-]+)?/g
  return [...received.matchAll(form)]
    .map(([, status = '', head, body = '']) => ({
      status,
      isLast: /^connection: close$/im.test(head ?? ''),
      body,
    }))
    .filter(({ status }) => status !== '100')
}

async function serve(t: TestContext, handler: HttpHandler, isTls: boolean) {
  const served: string[] = []
  const recording: HttpHandler = (request) => {
    served.push(request.rawPath)
    return handler(request)
  }
  const lingering = { totalMs: 1_000, idleMs: 100, connections: 9 }
  const { port } = await startServer(t, recording, { lingering, ...(isTls && { tls }) })
  return { port, served }
}

/** Each request that ran got its own reply; a refusal can only follow them, and nothing follows a last reply. */
function assertAnswered(served: readonly string[], replies: readonly Reply[]): void {
  const bodies = replies.filter(({ status }) => status === '200').map(({ body }) => body)
  assert.deepEqual(
    bodies.map((body) => body.slice(1, 3)),
    served,
  )
  const last = replies.findIndex(({ isLast, status }) => isLast || status !== '200')
  assert.ok(last < 0 || last === replies.length - 1)
}

for (const kind of Object.keys(kinds) as Kind[]) {
  for (const isTls of [false, true]) {
    for (const [name, handler] of Object.entries(handlers)) {
      const title = `Nothing is served wrongly behind ${kind}${isTls ? ' over TLS' : ''}`
      test(`${title}, by a handler that ${name}`, { timeout }, async (t) => {
        const { port, served } = await serve(t, handler, isTls)
        const all = [before, ...kinds[kind], ...behind]
        for (const pieces of [all, all.slice(1)]) {
          for (const cut of pieces.keys()) {
            served.length = 0
            const received = await exchange(port, pieces, { cut, isTls })
            const sent = pieces === all ? ['/0', '/1', '/2', '/3'] : ['/1', '/2', '/3']
            const isKept = keeping.has(kind) && name === 'reads'
            assert.deepEqual(served, sent.slice(0, isKept ? sent.length : served.length))
            assert.ok(keeping.has(kind) || !served.includes('/2'))
            assertAnswered(served, repliesIn(received))
          }
        }
      })
    }
  }
}

test('A large reply is sent to its end although the client asks for a tunnel behind the request', async (t) => {
  const bytes = 8 * 1024 * 1024
  const { port } = await serve(t, async () => text('x'.repeat(bytes)), false)
  const [client] = await open(port, false)
  client.end(`${before}CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n`)
  const received = String(await buffer(client))
  const [head = '', body] = received.split('\r\n\r\n')
  assert.match(head, /^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close/)
  assert.equal(body?.length, bytes)
})
