import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { startOwnPostgres } from '../support/start-postgres.ts'

const postgres = await startOwnPostgres()
after(() => postgres?.stop())
const skip = postgres === undefined && "needs Debian's postgresql"

/** Without requests that run, it waits 5 s for its end (docs/configuration.md, "Signals"). */
const longestStopMs = 12_000

test('a gateway stops while PostgreSQL does not answer', { skip }, async (t) => {
  const server = postgres ?? assert.fail()
  t.after(() => server.thaw())
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-stop-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const gateway = await startGatewayProcess({
    folder,
    settings: {
      ...{ WORKERS: '1', DATABASE_URL: await server.createDatabase() },
      // What these still have to write waits, one after the other.
      ...{ DASHBOARD_PASSWORD: 'of-the-dashboard-1', NOTIFY_WEBHOOK: 'http://127.0.0.1:9/' },
    },
  })
  t.after(() => gateway.kill())
  await until(() => gateway.logs().includes('"listening"'))
  const put = { method: 'PUT', target: `/${testBucket}/k`, body: 'x' }
  assert.equal((await signedFetch(gateway, put)).status, 200)
  server.freeze()
  await until(async () => (await fetch(`${gateway.url}/-/readyz/writes`)).status !== 200)
  const beganAtMs = performance.now()
  assert.equal(await gateway.stop(), 0)
  const tookMs = performance.now() - beganAtMs
  assert.ok(tookMs < longestStopMs, `it took ${Math.round(tookMs)} ms`)
})
