import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { exchange } from '../support/wire-case.ts'

const bucket = `/${testBucket}`
const settings = { WORKERS: '2', BUCKET_CREATION: 'on' }
const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`)

async function putAll(gateway: GatewayProcess, body: string): Promise<void> {
  const replies = await Promise.all(
    keys.map((key) => exchange(gateway, { method: 'PUT', target: `${bucket}/${key}`, body })),
  )
  for (const { status, text } of replies) assert.equal(status, 200, text)
}

async function countVersions(gateway: GatewayProcess): Promise<number> {
  const { text } = await exchange(gateway, { method: 'GET', target: `${bucket}?versions` })
  return text.split('<Version>').length - 1
}

test('every worker keeps what it overwrites, also after the loss of the database', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-versions-'))
  let gateway = await startGatewayProcess({ folder, settings })
  t.after(async () => {
    await gateway.kill()
    rmSync(folder, { recursive: true })
  })
  await putAll(gateway, 'old')
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
  const enabled = await exchange(gateway, { method: 'PUT', target: `${bucket}?versioning`, body })
  assert.equal(enabled.status, 200, enabled.text)
  await putAll(gateway, 'new')
  assert.equal(await countVersions(gateway), 2 * keys.length)
  await gateway.stop()
  for (const name of readdirSync(folder)) {
    if (name.startsWith('state.db')) rmSync(join(folder, name))
  }
  gateway = await startGatewayProcess({ folder, settings })
  const { text } = await exchange(gateway, { method: 'GET', target: `${bucket}?versioning` })
  assert.match(text, /<Status>Enabled<\/Status>/)
  assert.match(gateway.logs(), /the drive has versions that the database does not know/)
  await putAll(gateway, 'newest')
  assert.equal(await countVersions(gateway), 3 * keys.length)
})
