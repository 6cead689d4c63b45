import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayInProcess } from '../../support/gateway-in-process.ts'

for (const [mode, buckets, status] of [
  ['contract', 'files', 403],
  ['aws', 'files', 200],
  ['aws', 'minio', 403],
] as const) {
  test(`COMPATIBILITY=${mode} with the bucket ${buckets}: health checks of MinIO are ${status}`, async (t) => {
    const gateway = await startGatewayInProcess(t, {
      ...{ COMPATIBILITY: mode, ALLOWED_BUCKETS: buckets },
    })
    for (const name of ['live', 'ready', 'cluster']) {
      const reply = await fetch(`${gateway.url}/minio/health/${name}`)
      assert.equal(reply.status, status, name)
      await reply.body?.cancel()
    }
  })
}
