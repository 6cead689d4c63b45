import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { HttpRequest } from '../../../../src/platform/http/message.ts'
import { makeCertificate } from '../../../support/certificates.ts'
import { startServer, text } from './http-server-fixture.ts'

const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'

/** Answers when the client's end has surely been noticed. */
async function answerLate(request: HttpRequest) {
  for await (const _ of request.body);
  await new Promise((resolve) => setTimeout(resolve, 100))
  return text(`<${request.rawPath}>`)
}

test('A client that ends its side after its request gets the reply, then the end', async (t) => {
  const { connect, outcomes, finished } = await startServer(t, answerLate)
  const client = await connect()
  client.write('PUT /k HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc')
  client.socket.end()
  assert.match(await client.closed(), /^HTTP\/1\.1 200 OK[\s\S]*<\/k>$/)
  await finished(1)
  assert.equal(outcomes[0]?.isAborted, false)
})

test('Every pipelined request before the end of the client is answered', async (t) => {
  const { connect } = await startServer(t, answerLate)
  const client = await connect()
  client.write(get.replace('/', '/1') + get.replace('/', '/2'))
  client.socket.end()
  assert.match(await client.closed(), /<\/1>[\s\S]*<\/2>$/)
})

test('A client that ends its side over TLS gets the reply', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-tls-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { caFile, certFile, keyFile } = makeCertificate(folder)
  const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
  const { port } = await startServer(t, answerLate, { tls })
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const ca = readFileSync(caFile)
    // The types leave out an option that tls.connect documents.
    const options = { ...{ allowHalfOpen: true }, port, host: '127.0.0.1', ca, maxVersion }
    const client = connectTls(options)
    await once(client, 'secureConnect')
    client.end(get)
    assert.match(await textOf(client), /^HTTP\/1\.1 200 OK[\s\S]*<\/>$/)
  }
})

test('Work for a client that vanished after its request ends', async (t) => {
  const { connect, finished, outcomes } = await startServer(
    t,
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(text('gone')))
      }),
    { halfOpenMs: 50 },
  )
  const client = await connect()
  client.write(get)
  client.destroy()
  await finished(1)
  assert.equal(outcomes[0]?.isAborted, true)
})

test('A client that ends its side within the body gets a reply, and its request ends immediately', async (t) => {
  const refusals: unknown[] = []
  const { connect, finished, outcomes } = await startServer(
    t,
    async ({ body }) => {
      await once(body, 'close')
      return text('gone')
    },
    { onRefuse: (refusal) => refusals.push(refusal) },
  )
  const client = await connect()
  client.write('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nhalf')
  client.socket.end()
  assert.match(await client.closed(), /fault cut-off$/)
  await finished(1)
  assert.equal(outcomes[0]?.isAborted, true)
  assert.deepEqual(refusals, [])
})

test('A client that ends its side within the header section gets a reply', async (t) => {
  const { connect } = await startServer(t, answerLate)
  const client = await connect()
  client.write('GET / HTTP/1.1\r\nHo')
  client.socket.end()
  assert.match(await client.closed(), /fault cut-off$/)
})

test('Work that leaves with its client ends when the client ends its side', async (t) => {
  for (const endsFirst of [false, true]) {
    const began = Promise.withResolvers<void>()
    const { connect, finished, outcomes } = await startServer(t, async (request) => {
      const gone = new Promise<void>((resolve) => {
        request.signal.addEventListener('abort', () => resolve())
      })
      if (endsFirst) await answerLate(request)
      request.leaveWithClient()
      began.resolve()
      await gone
      return text('gone')
    })
    const client = await connect()
    client.write(get)
    if (!endsFirst) await began.promise
    client.socket.end()
    await finished(1)
    assert.equal(outcomes[0]?.isAborted, true)
  }
})

test('The next request of a connection gets its reply after its client ended its side', async (t) => {
  let count = 0
  const { connect } = await startServer(t, async (request) => {
    count += 1
    if (count === 1) request.leaveWithClient()
    if (count === 2) await turnOfTheLoop()
    return text(`reply ${count}`)
  })
  const client = await connect()
  client.write(get)
  await client.until('reply 1')
  client.write(get)
  client.socket.end()
  assert.match(await client.closed(), /reply 2/)
})
