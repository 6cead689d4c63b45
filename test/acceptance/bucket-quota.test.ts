/** The quota of a bucket, and the limit of bytes of an access key. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { DriveError } from '../../src/storage/drives/drive-error.ts'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
import { RawExchange } from '../support/raw-exchange.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { signHeaders } from '../support/signed-request.ts'
import { testBytes } from '../support/test-bytes.ts'
import { UnorderedUpload } from '../support/unordered-upload.ts'
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
  // A part that is sent again replaces its bytes.
  await answer(gateway, put(part(1), 60))
  await answer(gateway, put(part(2), 41, exceeded))
  const copy = { headers: { 'x-amz-copy-source': '/other/source' } }
  const second = await answer(gateway, { ...put(part(2), 0), ...copy, body: '' })
  await answer(gateway, put(part(3), 1, exceeded))
  await answer(gateway, put(`${object}2`, 1, exceeded))
  const etags = [first.headers.get('etag'), (second.xml.CopyPartResult as { ETag: string }).ETag]
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  )
  const complete: WireCase = {
    ...{ title: 'complete', method: 'POST', target: `${object}?uploadId=${UploadId}` },
    body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
    status: 200,
  }
  await setQuota(client, 99)
  await answer(gateway, { ...complete, ...exceeded })
  await setQuota(client, 100)
  await answer(gateway, complete)
  // The bucket is full now, but the reply is the same again, and the object counts once.
  await answer(gateway, complete)
  await answer(gateway, put(`${object}3`, 1, exceeded))
  await setQuota(client, 101)
  await answer(gateway, put(`${object}3`, 1))
})

test('a part that is sent again gives back its own bytes, and no others of its upload', async (t) => {
  const { gateway, client } = await open(t)
  await setQuota(client, 100)
  const created = await answer(gateway, {
    ...{ title: 'create', method: 'POST', target: `${object}?uploads`, status: 200 },
  })
  const { UploadId } = created.xml.InitiateMultipartUploadResult as { UploadId: string }
  const part = (number: number) => `${object}?partNumber=${number}&uploadId=${UploadId}`
  await answer(gateway, put(part(1), 60))
  await answer(gateway, put(part(2), 1))
  await answer(gateway, put(part(2), 41, exceeded))
  await answer(gateway, put(part(2), 40))
  // The upload has all there is room for: only what replaces as many bytes, or is the same, is accepted.
  await answer(gateway, put(part(1), 60))
  await answer(gateway, put(part(2), 40))
  await answer(gateway, put(part(3), 1, exceeded))
})

/** A PUT whose body has not been sent: 'admitted', or the status of its refusal. */
async function begin(
  { port, host, credentials }: GatewayInProcess,
  target: string,
  size: number,
): Promise<{ readonly outcome: string; end(): Promise<number>; cancel(): Promise<void> }> {
  const headers = { expect: '100-continue', 'content-length': String(size) }
  const signed = signHeaders({ method: 'PUT', target, host, headers }, credentials)
  const sending = request({ port, method: 'PUT', path: target, headers: signed, agent: false })
  sending.on('error', () => undefined)
  const answered = once(sending, 'response').then(([reply]) => {
    const { statusCode } = (reply as IncomingMessage).resume()
    return Number(statusCode)
  })
  sending.flushHeaders()
  const outcome = await Promise.race([
    once(sending, 'continue').then(() => 'admitted'),
    answered.then(String),
  ])
  return {
    outcome,
    async end() {
      sending.end('x'.repeat(size))
      return await answered
    },
    async cancel() {
      const closed = Promise.withResolvers<void>()
      sending.once('close', () => closed.resolve())
      sending.destroy()
      await closed.promise
    },
  }
}

test('writes at the same time do not exceed the quota together', async (t) => {
  const { gateway, client } = await open(t)
  await setQuota(client, 1_000)
  const names = ['1', '2', '3', '4', '5'].map((name) => object + name)
  const writes = await Promise.all(names.map((name) => begin(gateway, name, 400)))
  const admitted = writes.filter(({ outcome }) => outcome === 'admitted')
  assert.deepEqual(
    writes.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'admitted'),
    ['403', '403', '403'],
  )
  const refused = await answer(gateway, put(`${object}6`, 201, exceeded))
  assert.match(
    refused.text,
    /it contains about 0, and uploads in progress about 800: 201 more bytes would exceed it/,
  )
  const [one, two] = admitted
  assert.equal(await one?.end(), 200)
  await two?.cancel()
  // What a client that has gone had reserved is free again.
  await until(async () => {
    const next = await begin(gateway, `${object}7`, 600)
    if (next.outcome === 'admitted') assert.equal(await next.end(), 200)
    return next.outcome === 'admitted'
  })
  await answer(gateway, put(`${object}8`, 1, exceeded))
})

test('parts of several uploads do not exceed the quota together', async (t) => {
  const { gateway, client } = await open(t)
  await setQuota(client, 100)
  const uploads: string[] = []
  for (const name of ['a', 'b']) {
    const target = `/${testBucket}/${name}`
    const created = await answer(gateway, {
      ...{ title: 'create', method: 'POST', target: `${target}?uploads`, status: 200 },
    })
    const { UploadId } = created.xml.InitiateMultipartUploadResult as { UploadId: string }
    uploads.push(`${target}?uploadId=${UploadId}`)
  }
  const [a, b] = uploads as [string, string]
  await answer(gateway, put(`${a}&partNumber=1`, 60))
  await answer(gateway, put(`${b}&partNumber=1`, 41, exceeded))
  const inProgress = await begin(gateway, `${a}&partNumber=2`, 40)
  assert.equal(inProgress.outcome, 'admitted')
  await answer(gateway, put(`${b}&partNumber=1`, 1, exceeded))
  assert.equal(await inProgress.end(), 200)
  await answer(gateway, put(`${b}&partNumber=1`, 1, exceeded))
  await answer(gateway, { title: 'abort', method: 'DELETE', target: a, status: 204 })
  await answer(gateway, put(`${b}&partNumber=1`, 100))
})

test('a body that does not tell its size is refused as soon as it is too long', async (t) => {
  const { gateway, client } = await open(t)
  const mib = 1024 * 1024
  await setQuota(client, 4 * mib)
  const created = await answer(gateway, {
    ...{ title: 'create', method: 'POST', target: `${object}?uploads`, status: 200 },
  })
  const { UploadId } = created.xml.InitiateMultipartUploadResult as { UploadId: string }
  for (const target of [object, `${object}?partNumber=1&uploadId=${UploadId}`]) {
    const headers = signHeaders(
      { method: 'PUT', target, host: gateway.host, headers: {} },
      gateway.credentials,
    )
    const sending = request({ port: gateway.port, method: 'PUT', path: target, headers })
    sending.on('error', () => undefined)
    // It never ends.
    sending.write(Buffer.alloc(6 * mib))
    const [reply] = (await once(sending, 'response')) as [IncomingMessage]
    assert.equal(reply.statusCode, 403)
    sending.destroy()
    await answer(gateway, put(`${object}2`, 4 * mib + 1, exceeded))
  }
  await answer(gateway, put(`${object}2`, 4 * mib))
})

test('the limit of a key is enforced while a bucket of the key was never counted', async (t) => {
  const { gateway, client } = await open(t)
  const list = gateway.drive.list.bind(gateway.drive)
  t.mock.method(gateway.drive, 'list', (...given: Parameters<typeof list>) => {
    if (given[0] === 'other') throw new DriveError('denied', 'A folder cannot be read.')
    return list(...given)
  })
  const { key, secretKey } = await client.done('POST', '/keys', {
    name: 'app',
    grants: [{ bucket: '*', prefix: '', actions: ['read', 'write'] }],
    limits: { requestsPerSecond: null, bytes: 100 },
  })
  const credentials = { ...gateway.credentials, accessKey: key.accessKeyId, secretKey }
  const send = async (target: string, size: number) => {
    const sent = { method: 'PUT', target, body: 'x'.repeat(size) }
    return (await signedFetch({ ...gateway, credentials }, sent)).status
  }
  assert.equal(await send('/other/k', 60), 200)
  assert.equal(await send(object, 41), 403)
  assert.equal(await send(object, 40), 200)
  assert.equal(await send('/other/k', 1), 403)
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

test('slots of parts that were sent again count, and what Complete leaves out does not', async (t) => {
  const gateway = await startGatewayInProcess(t, {
    ...{ DASHBOARD_PASSWORD: dashboardPassword, COMPATIBILITY: 'aws', MIN_PART_MIB: '0' },
    ...{ ALLOWED_BUCKETS: `${testBucket},other` },
  })
  await setQuota(await ManagementClient.signIn(gateway.url), 3_000)
  const upload = await UnorderedUpload.begin(gateway, object)
  for (const number of [1, 2]) await upload.put(gateway, number, testBytes(`${number}`, 1_000))
  assert.equal((await upload.put(gateway, 1, testBytes('again', 900))).status, 200)
  // 2,000 in slots, and 900 in a file.
  const refused = await upload.put(gateway, 1, testBytes('once more', 900))
  assert.match(refused.text, /QuotaExceeded/)
  assert.equal((await upload.complete(gateway, [1])).status, 200)
  await answer(gateway, put('/photos/other', 1_000))
})

test('parts that fail fill no more than the quota', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-quota-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const settings = { COMPATIBILITY: 'aws', DASHBOARD_PASSWORD: dashboardPassword }
  const gateway = await startGatewayProcess({ folder, settings })
  t.after(() => gateway.kill())
  await setQuota(await ManagementClient.signIn(gateway.url), 3_000)
  const statuses: number[] = []
  // Several uploads: none has a part that counts.
  for (const name of ['1', '2', '3', '4']) {
    const upload = await UnorderedUpload.begin(gateway, `${object}${name}`)
    const target = `${upload.target}?partNumber=1&uploadId=${upload.uploadId}`
    const headers = { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }
    const sent = { method: 'PUT', target, headers, body: testBytes(name, 1_000) }
    statuses.push((await signedFetch(gateway, sent)).status)
  }
  assert.deepEqual(statuses, [400, 400, 400, 403])
})
