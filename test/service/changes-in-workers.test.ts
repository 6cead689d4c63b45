import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freshRequests } from '../support/fresh-request.ts'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient } from '../support/management-client.ts'
import { childrenOf } from '../support/process-tree.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { type Credentials, signHeaders } from '../support/signed-request.ts'

/** A change that was just made must not be missing in any of these, which reach each worker several times. */
const connections = 8
const changes = 5

async function start(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-changes-'))
  const settings = {
    ...{ BUCKET_CREATION: 'on', COMPATIBILITY: 'aws', WORKERS: '3', LOG_LEVEL: 'warn' },
    DASHBOARD_PASSWORD: dashboardPassword,
  }
  const gateway = await startGatewayProcess({ folder, settings })
  t.after(async () => {
    await gateway.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return gateway
}

const policy = JSON.stringify({
  Version: '2012-10-17',
  Statement: [
    {
      ...{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject' },
      Resource: `arn:aws:s3:::${testBucket}/*`,
    },
  ],
})

test('a bucket policy is in force in every worker when its reply is sent, and no longer when it is removed', async (t) => {
  const gateway = await start(t)
  const put = await signedFetch(gateway, {
    ...{ method: 'PUT', target: `/${testBucket}/a`, body: 'bytes' },
  })
  assert.ok(put.ok)
  const target = `/${testBucket}?policy`
  const statuses = async () => {
    const replies = await freshRequests(connections, `${gateway.url}/${testBucket}/a`, {})
    return new Set(replies.map(({ status }) => status))
  }
  for (let change = 0; change < changes; change += 1) {
    const reply = await signedFetch(gateway, { method: 'PUT', target, body: policy })
    assert.ok(reply.ok, await reply.text())
    assert.deepEqual(await statuses(), new Set([200]))
    await signedFetch(gateway, { method: 'DELETE', target })
    assert.deepEqual(await statuses(), new Set([403]))
  }
})

test('an access key is accepted by every worker when its reply is sent, and refused when it is revoked', async (t) => {
  const gateway = await start(t)
  const client = await ManagementClient.signIn(gateway.url, dashboardPassword)
  const statusesOf = async (credentials: Omit<Credentials, 'region'>) => {
    const request = { method: 'GET', target: `/${testBucket}`, host: gateway.host }
    const headers = signHeaders(request, { ...credentials, region: 'us-east-1' })
    const url = `${gateway.url}/${testBucket}`
    const replies = await freshRequests(connections, url, { headers })
    return new Set(replies.map(({ status }) => status))
  }
  for (let change = 0; change < changes; change += 1) {
    const grants = [{ bucket: testBucket, actions: ['read', 'list'] }]
    const made = await client.done('POST', '/keys', { name: 'test', grants })
    const { secretKey } = made
    const accessKey = made.key.accessKeyId
    const credentials = { accessKey, secretKey }
    assert.deepEqual(await statusesOf(credentials), new Set([200]))
    await client.done('DELETE', `/keys/${accessKey}`)
    assert.deepEqual(await statusesOf(credentials), new Set([403]))
  }
})

test('a worker that does not respond delays a change by a second', async (t) => {
  const gateway = await start(t)
  const [suspended = 0, ...others] = childrenOf(gateway.pid)
  assert.equal(others.length, 2)
  process.kill(suspended, 'SIGSTOP')
  t.after(() => process.kill(suspended, 'SIGCONT'))
  // The suspended worker may get some of these connections.
  const changed = Array.from({ length: 3 }, () =>
    signedFetch(gateway, { method: 'PUT', target: `/${testBucket}?policy`, body: policy }),
  )
  const first = await Promise.any(changed)
  assert.ok(first.ok, await first.text())
  process.kill(suspended, 'SIGCONT')
  await Promise.all(changed)
})
