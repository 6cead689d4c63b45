import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { freshRequests } from '../support/fresh-request.ts'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { signedFetch } from '../support/signed-fetch.ts'

const rules =
  '<CORSConfiguration><CORSRule><AllowedOrigin>https://app.example</AllowedOrigin>' +
  '<AllowedMethod>PUT</AllowedMethod></CORSRule></CORSConfiguration>'

/** A second, and what the clocks of two processes may differ by. Older rules are not used after that, on any machine. */
const inForceMs = 1_000 + 100

test('CORS rules are in force in every worker of another gateway within a second, and gone again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-options-'))
  const settings = { BUCKET_CREATION: 'on', WORKERS: '2' }
  const one = await startGatewayProcess({ folder, settings })
  const two = await startGatewayProcess({ folder, settings })
  t.after(async () => {
    await one.kill()
    await two.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  const target = `/${testBucket}?cors`
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'PUT' }
  /** Each of several connections of their own, which reach both workers. */
  const statuses = async () => {
    const url = `${two.url}/${testBucket}/key`
    const replies = await freshRequests(6, url, { method: 'OPTIONS', headers })
    return replies.map(({ status }) => status)
  }
  const changes = [
    ['PUT', 200],
    ['DELETE', 403],
    ['PUT', 200],
  ] as const
  assert.deepEqual(new Set(await statuses()), new Set([403]))
  for (const [method, expected] of changes) {
    const body = method === 'PUT' ? { body: rules } : {}
    const reply = await signedFetch(one, { method, target, ...body })
    assert.ok(reply.ok, await reply.text())
    await delay(inForceMs)
    assert.deepEqual(new Set(await statuses()), new Set([expected]), method)
  }
  // A restart reads them again.
  await two.kill()
  const restarted = await startGatewayProcess({ folder, settings, port: two.port })
  t.after(() => restarted.kill())
  assert.deepEqual(new Set(await statuses()), new Set([200]))
})
