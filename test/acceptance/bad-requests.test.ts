import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { assertWithin } from '../support/assert-within.ts'
import {
  type GatewayProcess,
  startGatewayProcess,
  testBucket,
  unfinishedFiles,
} from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { assertRefused, RawExchange } from '../support/raw-exchange.ts'
import { signedFetch } from '../support/signed-fetch.ts'

/** Heads, keys and behavior of hostile clients, over raw sockets. */
describe('bad requests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-bad-requests-'))
  const target = `/${testBucket}/object`
  let gateway: GatewayProcess
  let raw: RawExchange
  before(async () => {
    gateway = await startGatewayProcess({ folder, settings: { LOG_LEVEL: 'warn' } })
    raw = new RawExchange(gateway)
    await signedFetch(gateway, { method: 'PUT', target, body: 'here' })
  })
  after(async () => {
    await gateway.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const [title, head] of Object.entries({
    'a header of 100 KiB': (long: string) =>
      raw.head('GET', target, { unsigned: `X: ${long}\r\n` }),
    'a target of 100 KiB': (long: string) => raw.head('GET', `${target}?${long}`),
    '20,000 headers': () => raw.head('GET', target, { unsigned: 'X-Many: x\r\n'.repeat(20_000) }),
  })) {
    it(`a head with ${title} is refused`, async () => {
      assertRefused(await raw.send(head('x'.repeat(100 * 1024))))
    })
  }

  for (const line of ['', '\u0000\u0001', 'GET', 'GET /', '\u0016\u0003\u0001\u0002\u0000']) {
    it(`a first line of ${JSON.stringify(line)} gets an error or a closed connection`, async () => {
      const reply = await raw.send(`${line}\r\n\r\n`, { end: true })
      if (reply !== '') assertRefused(reply)
    })
  }

  it('a key may contain every ASCII character, and bytes that are not UTF-8 are refused', async () => {
    for (let byte = 0; byte < 256; byte++) {
      const escaped = `%${byte.toString(16).padStart(2, '0').toUpperCase()}`
      const path = `/${testBucket}/bytes/a${escaped}b`
      const headers = { 'content-length': '4' }
      const reply = await raw.send(`${raw.head('PUT', path, { headers })}byte`)
      if (byte >= 0x80) {
        assertRefused(reply)
        continue
      }
      assert.match(reply, /^HTTP\/1\.1 200 /, `${escaped}: ${reply}`)
      const got = await raw.send(raw.head('GET', path))
      assert.match(got, /\r\n\r\nbyte$/, `${escaped}: ${got}`)
    }
    const keys = await listedKeys(gateway, 'bytes/')
    const expected = Array.from(
      { length: 128 },
      (_, byte) => `bytes/a${String.fromCharCode(byte)}b`,
    )
    assert.deepEqual(keys, expected)
  })

  it('a target with any raw byte gets an error or a closed connection', async () => {
    for (let byte = 0; byte < 256; byte++) {
      const path = `/${testBucket}/raw/a${String.fromCharCode(byte)}b`
      const reply = await raw.send(raw.head('GET', path), { end: true })
      if (reply !== '') assertRefused(reply)
    }
  })

  it('keys that look like paths out of the bucket stay in it', async () => {
    const headers = { 'content-length': '1' }
    const climbing = ['../x', '../../x', 'a/../../x', './x', 'a/..', '..', '.', '../.bucketry/x']
    for (const key of [...climbing, '/x', '//x', '.bucketry/x', '..\\x']) {
      for (const path of [key, key.replaceAll('.', '%2E'), key.replaceAll('/', '%2F')]) {
        const keyTarget = `/${testBucket}/${path}`
        const put = await raw.send(`${raw.head('PUT', keyTarget, { headers })}x`)
        assert.match(put, /^HTTP\/1\.1 200 /, `${path}: ${put}`)
        const got = await raw.send(raw.head('GET', keyTarget))
        assert.match(got, /\r\n\r\nx$/, path)
        const removed = await raw.send(raw.head('DELETE', keyTarget))
        assert.match(removed, /^HTTP\/1\.1 204 /, path)
      }
    }
    assert.deepEqual(readdirSync(gateway.driveFolder).sort(), ['.bucketry', testBucket])
    const others = readdirSync(folder).filter((name) => !/^(drive|state\.db.*)$/.test(name))
    assert.deepEqual(others, [])
  })

  it('200 slow senders do not delay others and leave nothing behind', async () => {
    const head = raw.head('PUT', target, { headers: { 'content-length': '1000000' } })
    // A third stop in the head, a third before the body, a third in it.
    const beginnings = [head.slice(0, 60), head, `${head}begun`]
    const connections = await Promise.all(
      Array.from({ length: 200 }, () => RawConnection.open(gateway.port)),
    )
    connections.forEach((connection, index) => {
      connection.write(beginnings[index % 3] ?? '')
    })
    await assertWithin(2_000, async () => {
      const startedAtMs = performance.now()
      const reply = await signedFetch(gateway, { method: 'GET', target })
      assert.equal(await reply.text(), 'here')
      return performance.now() - startedAtMs
    })
    for (const connection of connections) connection.destroy()
    await until(() => unfinishedFiles(gateway.driveFolder).length === 0)
    const after = await signedFetch(gateway, { method: 'GET', target })
    assert.equal(await after.text(), 'here')
  })
})

/** Keys below the prefix as listed, decoded. */
async function listedKeys(gateway: GatewayProcess, prefix: string): Promise<string[]> {
  const target = `/${testBucket}?encoding-type=url&list-type=2&prefix=${encodeURIComponent(prefix)}`
  const xml = await (await signedFetch(gateway, { method: 'GET', target })).text()
  const keys = [...xml.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key)
  return keys.map((key) => decodeURIComponent(key.replaceAll('+', ' ')))
}
