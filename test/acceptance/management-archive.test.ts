import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import { readZip, zipTarget } from '../unit/storage/archive/zip-folder.ts'

describe('A folder as a ZIP file', () => {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword })
  let client: ManagementClient
  before(async () => {
    client = await ManagementClient.signIn(gateway().url)
    const folder = join(gateway().driveFolder, testBucket, 'zip me')
    mkdirSync(join(folder, 'sub'), { recursive: true })
    writeFileSync(join(folder, 'ü.txt'), 'one')
    writeFileSync(join(folder, 'sub', 'two.txt'), 'two')
    writeFileSync(join(folder, 'large.bin'), new Uint8Array(20_000_000))
  })

  const order = (body: object) => client.send('POST', '/archives', { bucket: testBucket, ...body })
  async function urlOf(body: object): Promise<string> {
    const { url, expiresAt } = await client.done('POST', '/archives', {
      bucket: testBucket,
      ...body,
    })
    assert.ok(Date.parse(expiresAt) > Date.now())
    return gateway().url + url
  }

  test('is downloaded from an address that needs no session', async (t) => {
    const reply = await fetch(await urlOf({ prefix: '', names: ['zip me/'] }))
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('content-type'), 'application/zip')
    assert.match(reply.headers.get('content-disposition') ?? '', /filename="zip me\.zip"/)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    const { path, write } = await zipTarget(t)
    await write(new Uint8Array(await reply.arrayBuffer()))
    const { bad, entries } = readZip(path)
    assert.equal(bad, null)
    assert.deepEqual(
      entries.map(([name, size]) => [name, size]),
      [
        ['zip me/large.bin', 20_000_000],
        ['zip me/sub/two.txt', 3],
        ['zip me/ü.txt', 3],
      ],
    )
  })

  test('is not complete if a file is cut off while it is sent', async () => {
    const folder = join(gateway().driveFolder, testBucket, 'cut')
    mkdirSync(folder)
    const file = join(folder, 'a.bin')
    writeFileSync(file, new Uint8Array(64 * 1024 * 1024))
    const reply = await fetch(await urlOf({ prefix: 'cut/' }))
    writeFileSync(file, 'short')
    await assert.rejects(reply.arrayBuffer())
    rmSync(folder, { recursive: true })
  })

  test('refuses what it cannot do, and says what to change', async () => {
    const wrong = [
      [{ bucket: 'none' }, 'bucket'],
      [{ prefix: 'a' }, 'prefix'],
      [{ names: [] }, 'names'],
      [
        { names: Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(1_000, 'x')) },
        'names',
      ],
    ] as const
    for (const [body, field] of wrong) {
      const { status, body: refusal } = await order(body)
      assert.deepEqual([status, refusal.field], [400, field])
    }
    for (const token of ['', 'x'.repeat(43)]) {
      const reply = await fetch(`${gateway().url}/-/api/archive?token=${token}`)
      assert.equal(reply.status, 404)
      assert.match(await reply.text(), /Start it again/)
    }
    const unsigned = await fetch(`${gateway().url}/-/api/archives`, { method: 'POST', body: '{}' })
    assert.equal(unsigned.status, 401)
  })

  test('a client that leaves frees its place', async () => {
    for (let round = 0; round < 12; round += 1) {
      const leaving = new AbortController()
      const reply = await fetch(await urlOf({ prefix: 'zip me/' }), { signal: leaving.signal })
      assert.equal(reply.status, 200)
      leaving.abort()
    }
  })
})
