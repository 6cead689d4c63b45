import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import type { StreamBody } from '../../../../src/platform/http/message.ts'
import { makeCertificate } from '../../../support/certificates.ts'
import { sha256Of, testBytes } from '../../../support/test-bytes.ts'
import { startServer } from './http-server-fixture.ts'

const blockBytes = 256 * 1024
const content = testBytes('lent', 6 * 1024 * 1024 + 7)
const get = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'

/** Lends one block, which holds other bytes as soon as it may. */
function lentFromOneBlock(sizes: readonly number[] = []): StreamBody {
  const block = Buffer.alloc(blockBytes)
  return {
    length: content.length,
    async lend(borrow) {
      for (let at = 0, count = 0; at < content.length; count++) {
        const size = sizes[count % sizes.length] ?? blockBytes
        const chunk = content.subarray(at, at + size)
        block.set(chunk)
        const borrowed = borrow(block.subarray(0, chunk.length))
        // In the same turn as the promise is settled: before its awaiting code continues.
        const poison = () => void block.fill(0xee)
        borrowed.then(poison, poison)
        await borrowed
        at += chunk.length
      }
    },
    close: async () => undefined,
  }
}

for (const [transport, sizes] of [
  ['HTTP', []],
  ['HTTP', [1, 70_000, 16_384, 200_000]],
  ['HTTPS', []],
  ['HTTPS', [1, 70_000, 16_384, 200_000]],
] as const) {
  test(`A slow ${transport} client gets the bytes that were lent, in blocks of ${sizes.join() || blockBytes}`, async (t) => {
    const tls = transport === 'HTTPS' ? certificate(t) : undefined
    const reply = async () => ({ status: 200, headers: [], body: lentFromOneBlock(sizes) })
    const { port } = await startServer(t, reply, tls === undefined ? {} : { tls })
    const socket = tls === undefined ? connect(port) : connectTls({ port, ca: tls.ca })
    t.after(() => socket.destroy())
    await once(socket, tls === undefined ? 'connect' : 'secureConnect')
    // Both at once: the second reply waits behind the first.
    socket.write(get + get)
    assert.deepEqual(await hashesOfReplies(socket, 2), [sha256Of(content), sha256Of(content)])
  })
}

test('Nothing is lent to a client that is gone', async (t) => {
  let closed = 0
  const { connect: open, finished } = await startServer(t, async () => ({
    status: 200,
    headers: [],
    body: {
      length: 1e12,
      lend: async (borrow) => {
        const block = Buffer.alloc(blockBytes)
        for (;;) await borrow(block)
      },
      close: async () => {
        closed++
      },
    },
  }))
  const client = await open()
  client.write(get)
  await client.until('\r\n\r\n')
  client.destroy()
  await finished(1)
  assert.equal(closed, 1)
})

function certificate(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-lent-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { caFile, certFile, keyFile } = makeCertificate(folder)
  return {
    cert: readFileSync(certFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
    ca: readFileSync(caFile),
  }
}

/** Reads in pieces of 64 KiB, and a turn of the loop with nothing read between them. */
async function hashesOfReplies(socket: Socket, count: number): Promise<string[]> {
  const hashes: string[] = []
  let head = Buffer.alloc(0)
  let left = 0
  let hash = createHash('sha256')
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    for (let rest = chunk; rest.length > 0; ) {
      if (left === 0) {
        head = Buffer.concat([head, rest])
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) break
        rest = head.subarray(end + 4)
        head = Buffer.alloc(0)
        left = content.length
        hash = createHash('sha256')
      }
      const part = rest.subarray(0, left)
      hash.update(part)
      left -= part.length
      rest = rest.subarray(part.length)
      if (left === 0 && hashes.push(hash.digest('hex')) === count) return hashes
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return hashes
}
