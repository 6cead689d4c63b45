import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import {
  LentBody,
  StreamedBody,
} from '../../../../../../src/storage/drives/s3/requests/streamed-body.ts'
import { trailerHeaders } from '../../../../../../src/storage/drives/s3/requests/trailer.ts'
import { sha256Of, testBytes } from '../../../../../support/test-bytes.ts'

const content = testBytes('lent to a store', 8 * 1024 * 1024 + 11)

/** Lends the content from one block, which holds other bytes as soon as it may. */
async function lendAll(body: LentBody, sizes: readonly number[]): Promise<void> {
  const block = Buffer.alloc(Math.max(...sizes))
  for (let at = 0, count = 0; at < content.length - 1; count++) {
    const size = sizes[count % sizes.length] ?? 1
    const chunk = content.subarray(at, Math.min(at + size, content.length - 1))
    block.set(chunk)
    const lent = body.lend(block.subarray(0, chunk.length))
    const poison = () => void block.fill(0xee)
    lent.then(poison, poison)
    await lent
    at += chunk.length
  }
  body.end(content.subarray(-1))
}

async function startStore(t: TestContext, read: (request: IncomingMessage) => Promise<void>) {
  const server = createServer(async (request, response) => {
    await read(request)
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

async function readSlowly(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) {
    chunks.push(chunk)
    if (chunks.length % 16 === 0) await delay(1)
  }
  return Buffer.concat(chunks)
}

for (const sizes of [[1024 * 1024], [1, 70_000, 16_384, 300_000]]) {
  test(`A slow store gets the bytes that were lent, in chunks of ${sizes.join()}`, async (t) => {
    let got = ''
    const port = await startStore(t, async (request) => {
      got = sha256Of(await readSlowly(request))
    })
    const sending = request({ port, method: 'PUT', headers: { 'content-length': content.length } })
    const body = new LentBody()
    const sent = lendAll(body, sizes)
    assert.equal(body.pipe(sending), sending)
    const [reply] = await once(sending, 'response')
    reply.resume()
    await sent
    assert.equal(got, sha256Of(content))
  })
}

test('A body of one byte is sent, also if it ends before the request begins', async (t) => {
  const bodies: string[] = []
  const port = await startStore(t, async (request) => {
    bodies.push((await buffer(request)).toString())
  })
  for (const isEarly of [true, false]) {
    const body = new LentBody()
    if (isEarly) body.end(Buffer.from('x'))
    const sending = body.pipe(request({ port, method: 'PUT', headers: { 'content-length': 1 } }))
    if (!isEarly) body.end(Buffer.from('x'))
    const [reply] = await once(sending, 'response')
    reply.resume()
  }
  assert.deepEqual(bodies, ['x', 'x'])
})

test('What was lent is given back when the body ends early', async (t) => {
  // It reads nothing.
  const port = await startStore(t, () => new Promise(() => undefined))
  const sending = request({ port, method: 'PUT', headers: { 'content-length': 1e9 } })
  sending.on('error', () => undefined)
  t.after(() => sending.destroy())
  const [piped, waiting] = [new LentBody(), new LentBody()]
  piped.pipe(sending)
  const lent = Promise.all([
    // More than the kernel takes.
    piped.lend(Buffer.alloc(64 * 1024 * 1024)),
    waiting.lend(Buffer.from('nobody reads it')),
  ])
  piped.destroy()
  waiting.destroy()
  await lent
  await piped.lend(Buffer.from('after the end'))
})

for (const size of [9, 1024 * 1024, 2 * 1024 * 1024 + 3]) {
  test(`A checksum follows ${size} bytes, in chunks of 1 MiB`, async (t) => {
    const bodies: Buffer[] = []
    const lengths: unknown[] = []
    const port = await startStore(t, async (request) => {
      lengths.push(request.headers['content-length'])
      bodies.push(await buffer(request))
    })
    const sent = new StreamedBody<void>(size, 'CRC32', async ({ body, trailer = 'SHA1' }) => {
      const headers = trailerHeaders(trailer, String(size))
      const [reply] = await once(body.pipe(request({ port, method: 'PUT', headers })), 'response')
      reply.resume()
    })
    const bytes = content.subarray(0, size)
    for (let at = 0; at < size; at += 700_000) await sent.write(bytes.subarray(at, at + 700_000))
    await sent.finish()
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32(bytes))
    const framed: (Buffer | string)[] = []
    for (let at = 0; at < size; at += 1024 * 1024) {
      const chunk = bytes.subarray(at, at + 1024 * 1024)
      framed.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n')
    }
    framed.push(`0\r\nx-amz-checksum-crc32:${sum.toString('base64')}\r\n\r\n`)
    const expected = Buffer.concat(framed.map((piece) => Buffer.from(piece)))
    assert.equal(sha256Of(bodies[0] ?? Buffer.alloc(0)), sha256Of(expected))
    assert.deepEqual(lengths, [String(expected.length)])
  })
}
