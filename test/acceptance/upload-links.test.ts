import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  testBucket as bucket,
  type GatewayProcess,
  startGatewayProcess,
} from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { ShareVisitor } from '../support/share-visitor.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

const metricsToken = 'a-token-of-this-test'

for (const workers of [1, 2]) {
  describe(`A link for uploads, with ${workers} workers`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'bucketry-links-'))
    let gateway: GatewayProcess
    let client: ManagementClient
    const start = async (port?: number) => {
      gateway = await startGatewayProcess({
        ...{ folder, ...(port !== undefined && { port }) },
        settings: {
          ...{ DASHBOARD_PASSWORD: dashboardPassword, WORKERS: String(workers) },
          ...{ METRICS_TOKEN: metricsToken, LOG_LEVEL: 'warn' },
        },
      })
      client = await ManagementClient.signIn(gateway.url)
    }
    before(() => start())
    after(async () => {
      await gateway.kill()
      rmSync(folder, { recursive: true, force: true })
    })

    async function share(path: string, more: object = {}) {
      const wanted = { kind: 'drop', bucket, path, ...more }
      const made = await client.done('POST', '/shares', wanted)
      return { ...made, visitor: new ShareVisitor(made.url) }
    }

    async function figuresOf(shareId: string) {
      const { shares } = await client.done('GET', '/shares')
      const { uses, bytes } = shares.find((one: { shareId: string }) => one.shareId === shareId)
      return [uses, bytes]
    }

    const send = (visitor: ShareVisitor, name: string, body: string) =>
      visitor.send(`/${name}`, { method: 'PUT', body })

    /** A visitor who declares a size and sends less, once the gateway reads the body. */
    async function trickle(url: string, name: string, size: number, sent: string) {
      const { host, pathname, port } = new URL(url)
      const connection = await RawConnection.open(Number(port))
      const head = `PUT ${pathname}/${name} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${size}\r\n`
      connection.write(`${head}Connection: close\r\nExpect: 100-continue\r\n\r\n`)
      await connection.until('HTTP/1.1 100 Continue')
      connection.write(sent)
      return connection
    }

    async function sizeOf(key: string) {
      const reply = await signedFetch(gateway, { method: 'HEAD', target: targetOf(bucket, key) })
      return reply.status === 200 ? Number(reply.headers.get('content-length')) : undefined
    }

    test('a killed process leaves nothing of an upload reserved', async () => {
      const { url, shareId, visitor } = await share('kill/', { maxUses: 1, maxBytes: 100 })
      const connection = await trickle(url, 'a.bin', 100, 'x')
      await gateway.kill()
      connection.destroy()
      await start(gateway.port)
      assert.deepEqual(await figuresOf(shareId), [0, 0])
      assert.equal((await send(visitor, 'b.bin', 'x'.repeat(100))).status, 201)
      assert.deepEqual(await figuresOf(shareId), [1, 100])
    })

    test('a size that is only declared takes no room from other visitors', async () => {
      const { url, shareId, visitor } = await share('declare/', { maxBytes: 100 })
      const slow = await trickle(url, 'slow.bin', 100, 'x')
      assert.equal((await send(visitor, 'fast.bin', 'x'.repeat(50))).status, 201)
      slow.write('x'.repeat(99))
      assert.match(await slow.until('This link cannot take more files'), /HTTP\/1\.1 413 /)
      slow.destroy()
      assert.deepEqual(await figuresOf(shareId), [1, 50])
      assert.deepEqual(
        [await sizeOf('declare/fast.bin'), await sizeOf('declare/slow.bin')],
        [50, undefined],
      )
    })

    test('bytes that arrive on several connections at the same time do not pass the limit', async () => {
      const { url, shareId } = await share('together/', { maxBytes: 250_000 })
      const each = 100_000
      const slow = await Promise.all(
        Array.from({ length: 4 }, (_, index) => trickle(url, `${index}.bin`, each, '')),
      )
      for (const connection of slow) connection.write('x'.repeat(each))
      const replies = await Promise.all(
        slow.map(async (connection) => /HTTP\/1\.1 (201|413)/.exec(await connection.closed())?.[1]),
      )
      const kept = replies.filter((status) => status === '201').length
      assert.ok(replies.every(Boolean) && kept <= 2, String(replies))
      assert.deepEqual(await figuresOf(shareId), [kept, kept * each])
      const sizes = await Promise.all(slow.map((_, index) => sizeOf(`together/${index}.bin`)))
      assert.equal(sizes.filter((size) => size === each).length, kept)
    })

    test('an upload that is cut off or stopped leaves nothing, and its connection can be used again', async () => {
      const { url, shareId, visitor } = await share('cut/', { maxUses: 1, maxBytes: 100 })
      const slow = await trickle(url, 'cut.bin', 100, 'only a part')
      slow.destroy()
      await slow.closed()
      assert.deepEqual(await figuresOf(shareId), [0, 0])
      assert.equal(await sizeOf('cut/cut.bin'), undefined)
      // Its process may see the end of the connection later than the next visitor comes.
      let status = 413
      while (status === 413) status = (await send(visitor, 'b', 'b')).status
      assert.equal(status, 201)
      assert.deepEqual(await figuresOf(shareId), [1, 1])
    })

    test('a name that is sent often costs few calls of the drive each time', async () => {
      const { visitor, shareId } = await share('often/')
      const callsOf = async (call: string) => {
        const headers = { authorization: `Bearer ${metricsToken}` }
        const text = await (await fetch(`${gateway.url}/-/metrics`, { headers })).text()
        const lines = text.split('\n').filter((line) => line.includes(`call="${call}"`))
        const counts = lines.filter((line) => line.startsWith('bucketry_drive_calls_total{'))
        return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
      }
      // A scrape may be a second old. One that has this call is younger than the other tests.
      assert.equal((await send(visitor, 'other.jpg', 'x')).status, 201)
      const target = targetOf(bucket, 'often/copy.jpg')
      const headers = { 'x-amz-copy-source': `${bucket}/often/other.jpg` }
      assert.equal((await signedFetch(gateway, { method: 'PUT', target, headers })).status, 200)
      await until(async () => (await callsOf('copy')) === 1)
      const beforehand = await callsOf('head')
      const count = 40
      for (let index = 0; index < count; index += 1) {
        assert.equal((await send(visitor, 'photo.jpg', 'x')).status, 201)
      }
      // Three names are looked up. The drive checks If-None-Match with the write.
      const expected = 1 + 2 + 3 * (count - 2)
      await until(async () => (await callsOf('head')) - beforehand === expected)
      assert.deepEqual(await figuresOf(shareId), [count + 1, count + 1])
      assert.equal(await sizeOf('often/photo (3).jpg'), 1)
    })
  })
}
