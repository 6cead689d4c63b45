import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { sha256Of, testBytes } from '../support/test-bytes.ts'
import { absenceOfSlowLine, type LineOptions, startSlowLine } from './slow-line.ts'

const mebibyte = 1024 * 1024

/** Both ends of a connection through a line. */
async function connected(t: TestContext, options: LineOptions) {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const line = await startSlowLine(t, url, options)
  assert.equal(line.urlFor(`${url}path`), `http://127.0.0.1:${line.port}/path`)
  const client = connect({ port: line.port, host: '127.0.0.1', allowHalfOpen: true })
  const [far] = (await once(server, 'connection')) as [Socket]
  // Tests that expect errors listen themselves.
  for (const end of [client, far]) end.on('error', () => undefined)
  t.after(() => {
    client.destroy()
    far.destroy()
  })
  return { client, far }
}

async function received(socket: Socket): Promise<Buffer> {
  return Buffer.concat(await socket.toArray())
}

describe('A slow line', { skip: absenceOfSlowLine() }, () => {
  test('passes bytes and the end of the stream on in both directions', async (t) => {
    const { client, far } = await connected(t, { seed: 'both' })
    const [up, down] = [testBytes('up', 3 * mebibyte), testBytes('down', 2 * mebibyte)]
    client.end(up)
    far.end(down)
    const [atFar, atClient] = await Promise.all([received(far), received(client)])
    assert.deepEqual([sha256Of(atFar), sha256Of(atClient)], [sha256Of(up), sha256Of(down)])
  })

  test('has the requested speed', async (t) => {
    const { client, far } = await connected(t, {
      ...{ seed: 'slow', slowest: 4 * mebibyte, fastest: 4 * mebibyte },
    })
    const startedAt = performance.now()
    client.end(testBytes('slow', 2 * mebibyte))
    await received(far)
    const seconds = (performance.now() - startedAt) / 1000
    assert.ok(seconds > 0.45, `2 MiB took ${seconds} s at 4 MiB/s`)
  })

  test('lets the sender keep bytes that it has not passed on', async (t) => {
    const { client, far } = await connected(t, {
      ...{ seed: 'window', slowest: mebibyte, fastest: mebibyte },
    })
    let passed = 0
    far.on('data', (chunk: Buffer) => {
      passed += chunk.length
    })
    let taken = 0
    // The sender's own buffer may grow to this (tcp(7)); windows would take several mebibytes more.
    const most =
      Number(readFileSync('/proc/sys/net/ipv4/tcp_wmem', 'utf8').split(/\s+/)[2]) + mebibyte
    const piece = testBytes('window', 16_384)
    while (passed < 2 * mebibyte) {
      // Resolves when the kernel has accepted it.
      await new Promise((resolve) => client.write(piece, resolve))
      taken += piece.length
      assert.ok(taken - passed < most, `${taken} bytes were taken, ${passed} have arrived`)
    }
  })

  test('passes on a reset by its far end', async (t) => {
    const { client, far } = await connected(t, { seed: 'reset' })
    client.write('a')
    await once(far, 'data')
    far.resetAndDestroy()
    await assert.rejects(received(client), { code: 'ECONNRESET' })
  })
})
