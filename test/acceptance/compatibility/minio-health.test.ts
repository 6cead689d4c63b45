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
    for (const name of ['live', 'ready', 'cluster', 'cluster/read']) {
      const reply = await fetch(`${gateway.url}/minio/health/${name}`)
      assert.equal(reply.status, status, name)
      await reply.body?.cancel()
    }
  })
}

test('COMPATIBILITY=aws says that there is no admin API, in the form of its errors', async (t) => {
  const gateway = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  for (const [method, path, message] of [
    ['GET', '/minio/admin/v3/info', /no admin API of MinIO/],
    ['PUT', '/minio/admin/v3/set-bucket-quota?bucket=files', /no admin API of MinIO/],
    ['PUT', '/minio/admin/v3/set-remote-target?bucket=files', /mc mirror/],
    ['PUT', '/minio/admin/v3/site-replication/add', /mc mirror/],
  ] as const) {
    const init = method === 'PUT' ? { method, body: '{"quota":1}' } : { method }
    const reply = await fetch(gateway.url + path, init)
    assert.equal(reply.status, 501, path)
    const error = (await reply.json()) as { readonly Code: string; readonly Message: string }
    assert.equal(error.Code, 'NotImplemented')
    assert.match(error.Message, message)
  }
})

test('COMPATIBILITY=aws serves its own metrics at the address of those of MinIO', async (t) => {
  const METRICS_TOKEN = 'a-token-of-visible-ASCII'
  const gateway = await startGatewayInProcess(t, { COMPATIBILITY: 'aws', METRICS_TOKEN })
  const target = `${gateway.url}/minio/v2/metrics/cluster`
  assert.equal((await fetch(target)).status, 401)
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  assert.match(await (await fetch(target, { headers })).text(), /^bucketry_/m)
})
