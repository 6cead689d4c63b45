/** The quota of a bucket, and the limit of bytes of an access key. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { RawExchange } from '../support/raw-exchange.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { signHeaders } from '../support/signed-request.ts'
import { answer, type WireCase } from '../support/wire-case.ts'

const object = `/${testBucket}/k`

async function open(t: TestContext): Promise<{
  readonly gateway: GatewayInProcess
  readonly client: ManagementClient
}> {
  const gateway = await startGatewayInProcess(t, {
    ...{ DASHBOARD_PASSWORD: dashboardPassword, ALLOWED_BUCKETS: `${testBucket},other` },
  })
  return { gateway, client: await ManagementClient.signIn(gateway.url) }
}

/** Sets the quota, and waits until the bucket was counted. */
async function setQuota(client: ManagementClient, quotaBytes: number | null): Promise<void> {
  await client.done('PATCH', `/buckets/${testBucket}`, { quotaBytes })
  await until(async () => {
    const { buckets } = await client.done('GET', '/buckets')
    return buckets.every(({ bytes }: { bytes: number | null }) => bytes !== null)
  })
}

const put = (target: string, size: number, rest: Partial<WireCase> = {}): WireCase => ({
  ...{ title: target, method: 'PUT', target, body: 'x'.repeat(size), status: 200, ...rest },
})
const exceeded = { status: 403, code: 'QuotaExceeded' } as const

test('writes of all kinds end at the quota, and reads and deletions do not', async (t) => {
  const { gateway, client } = await open(t)
  await answer(gateway, put('/other/source', 40))
  await setQuota(client, 100)
  await answer(gateway, put(`${object}1`, 60))
  const refused = await answer(gateway, put(`${object}2`, 41, exceeded))
  assert.match(
    refused.text,
    /The quota of the bucket "photos" is 100 bytes, and it contains about 60/,
  )
  await answer(gateway, put(`${object}2`, 30))
  const copy = { headers: { 'x-amz-copy-source': '/other/source' } }
  await answer(gateway, { ...put(`${object}3`, 0, exceeded), ...copy })
  await answer(gateway, put('/other/another', 1_000))
  const request = { title: 'other', target: `${object}1`, status: 200 }
  await answer(gateway, { ...request, method: 'GET' })
  await answer(gateway, { ...request, method: 'DELETE', status: 204 })
  await client.done('PATCH', `/buckets/${testBucket}`, { quotaBytes: null })
  await answer(gateway, put(`${object}2`, 1_000))
})

test('an upload ends at the quota with the parts that it has', async (t) => {
  const { gateway, client } = await open(t)
  await setQuota(client, 100)
  await answer(gateway, put('/other/source', 40))
  const created = await answer(gateway, {
    ...{ title: 'create', method: 'POST', target: `${object}?uploads`, status: 200 },
  })
  const { UploadId } = created.xml.InitiateMultipartUploadResult as { UploadId: string }
  const part = (number: number) => `${object}?partNumber=${number}&uploadId=${UploadId}`
  const first = await answer(gateway, put(part(1), 60))
  await answer(gateway, put(part(2), 41, exceeded))
  const copy = { headers: { 'x-amz-copy-source': '/other/source' } }
  const second = await answer(gateway, { ...put(part(2), 0), ...copy, body: '' })
  await answer(gateway, put(part(3), 1, exceeded))
  await answer(gateway, put(`${object}2`, 1))
  const etags = [first.headers.get('etag'), (second.xml.CopyPartResult as { ETag: string }).ETag]
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  )
  const complete: WireCase = {
    ...{ title: 'complete', method: 'POST', target: `${object}?uploadId=${UploadId}` },
    body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
    status: 200,
  }
  await answer(gateway, { ...complete, ...exceeded })
  await setQuota(client, 101)
  await answer(gateway, complete)
  // The bucket is full now, but the reply is the same again.
  await answer(gateway, complete)
  await answer(gateway, put(`${object}3`, 1, exceeded))
})

test('a body that does not tell its size is refused when it has arrived', async (t) => {
  const { gateway, client } = await open(t)
  await setQuota(client, 100)
  const request = { method: 'PUT', target: object, host: gateway.host, headers: {} }
  const headers = signHeaders(request, gateway.credentials)
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.alloc(101))
      controller.close()
    },
  })
  const { host: _, ...sent } = headers
  const init = { method: 'PUT', headers: sent, body, duplex: 'half' }
  const reply = await fetch(`${gateway.url}${object}`, init as RequestInit)
  assert.equal(reply.status, 403)
  assert.match(await reply.text(), /QuotaExceeded/)
  await answer(gateway, { ...{ title: 'none', method: 'HEAD', target: object, status: 404 } })
})

test('a body that is too long is refused before it is read', async (t) => {
  const { gateway, client } = await open(t)
  await setQuota(client, 100)
  const exchange = new RawExchange(gateway)
  const headers = { expect: '100-continue', 'content-length': '1000000' }
  // Neither `100 Continue` nor a byte of the body comes before the refusal.
  assert.match(await exchange.send(exchange.head('PUT', object, { headers })), /^HTTP\/1\.1 403/)
})

test('the limit of an access key counts the buckets of its grants', async (t) => {
  const { gateway, client } = await open(t)
  await setQuota(client, null)
  const { key, secretKey } = await client.done('POST', '/keys', {
    name: 'app',
    grants: [{ bucket: testBucket, prefix: '', actions: ['read', 'write'] }],
    limits: { requestsPerSecond: null, bytes: 100 },
  })
  const credentials = { ...gateway.credentials, accessKey: key.accessKeyId, secretKey }
  const send = (size: number) =>
    signedFetch(
      { ...gateway, credentials },
      { method: 'PUT', target: object, body: 'x'.repeat(size) },
    )
  await answer(gateway, put('/other/large', 1_000))
  assert.equal((await send(60)).status, 200)
  const refused = await send(41)
  assert.equal(refused.status, 403)
  assert.match(await refused.text(), /QuotaExceeded.*The limit of this access key is 100 bytes/s)
  assert.equal((await send(40)).status, 200)
  // The owner has no limit.
  await answer(gateway, put(object, 1_000))
})
