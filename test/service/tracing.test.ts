import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { MainProcess } from '../support/main-process.ts'
import { type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { signedFetch } from '../support/signed-fetch.ts'

const credentials = {
  accessKey: 'AKEXAMPLE',
  secretKey: 'hunter2hunter2hunter2',
  region: 'us-east-1',
}
const required = {
  ACCESS_KEY: credentials.accessKey,
  SECRET_KEY: credentials.secretKey,
  ALLOWED_BUCKETS: 'photos',
}
const serverKind = 2
const errorStatus = 2

async function start(t: TestContext, settings: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-tracing-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const main = new MainProcess(folder, { ...required, ...settings })
  t.after(() => main.kill())
  const url = await main.url()
  return { main, url, server: { host: new URL(url).host, credentials } }
}

async function stop(main: MainProcess): Promise<void> {
  main.signal('SIGTERM')
  assert.equal(await main.ended(), 0)
}

function requestSpans(spans: readonly ReceivedSpan[]): readonly ReceivedSpan[] {
  return spans.filter(({ kind }) => kind === serverKind)
}

function childrenOf(spans: readonly ReceivedSpan[], parent: ReceivedSpan | undefined): string[] {
  return spans.filter((span) => span.parentSpanId === parent?.spanId).map(({ name }) => name)
}

test('A request has a server span in the trace of its client, with the calls of drive and database below it', async (t) => {
  const receiver = await startOtlpReceiver(t)
  const { main, server } = await start(t, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  const target = '/photos/a%20key?x-amz-security-token=c0ffee'
  await signedFetch(server, {
    method: 'PUT',
    target: '/photos/a%20key',
    body: 'x'.repeat(99),
    headers,
  })
  const reply = await signedFetch(server, { method: 'GET', target: '/photos/a%20key' })
  await reply.text()
  await signedFetch(server, { method: 'GET', target })
  await stop(main)
  const { spans } = receiver
  assert.equal(receiver.exports[0]?.path, '/v1/traces')
  // Each worker sends its own: they arrive in any order.
  const requests = requestSpans(spans)
  const id = reply.headers.get('x-amz-request-id')
  const put = requests.find(({ name }) => name === 'PUT /{bucket}/{key}')
  const get = requests.find(({ attributes }) => attributes['aws.request_id'] === id)
  assert.equal(put?.traceId, traceId)
  assert.equal(put?.parentSpanId, 'b7ad6b7169203331')
  const { 'server.port': port, ...attributes } = get?.attributes ?? {}
  assert.equal(port, Number(server.host.split(':')[1]))
  assert.deepEqual(
    { ...attributes, 'user_agent.original': undefined },
    {
      'aws.request_id': id,
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'url.path': '/photos/a%20key',
      'http.route': '/{bucket}/{key}',
      'server.address': '127.0.0.1',
      'client.address': '127.0.0.1',
      'user_agent.original': undefined,
      'http.response.status_code': 200,
      'http.response.body.size': 99,
      'bucketry.operation': 'GetObject',
      'aws.s3.bucket': 'photos',
      'aws.s3.key': 'a key',
    },
  )
  assert.deepEqual(childrenOf(spans, put), ['drive.draft', 'drive.publish'])
  assert.ok(childrenOf(spans, get).includes('drive.open'))
  const insert = spans.find(({ name }) => name.startsWith('INSERT'))
  assert.equal(insert?.traceId, traceId)
  assert.equal(insert?.attributes['db.system.name'], 'sqlite')
  assert.match(String(insert?.attributes['db.query.text']), /\?/)
  assert.doesNotMatch(JSON.stringify(spans), /c0ffee/)
  for (const { resource } of spans) assert.equal(resource['service.name'], 'bucketry')
})

test('Spans are sent to the address and with the headers of the settings', async (t) => {
  const receiver = await startOtlpReceiver(t)
  const { main, url } = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/own/path`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20c0ffee,x-tenant=t1',
    OTEL_SERVICE_NAME: 'photo-store',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=lab%201',
  })
  await fetch(`${url}/photos`)
  await stop(main)
  const [sent] = receiver.exports
  assert.equal(sent?.path, '/own/path')
  assert.equal(sent?.headers.authorization, 'Bearer c0ffee')
  assert.equal(sent?.headers['x-tenant'], 't1')
  const [span] = receiver.spans
  assert.equal(span?.name, 'GET /{bucket}')
  assert.equal(span?.resource['service.name'], 'photo-store')
  assert.equal(span?.resource['deployment.environment.name'], 'lab 1')
})

test('Every worker sends its spans when it stops, and errors are marked', async (t) => {
  const receiver = await startOtlpReceiver(t)
  const { main, url } = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    WORKERS: '2',
  })
  let sent = 0
  // A worker that is busy for a moment gets no connections.
  const served = () => main.lines.filter(({ msg }) => msg === 'request').map(({ pid }) => pid)
  while (sent < 8 || new Set(served()).size < 2) {
    await fetch(`${url}/photos/x`, { headers: { connection: 'close' } })
    sent += 1
  }
  await fetch(`${url}/-/healthz`)
  await stop(main)
  const requests = requestSpans(receiver.spans)
  assert.equal(requests.length, sent + 1)
  assert.equal(new Set(requests.map(({ resource }) => resource['process.pid'])).size, 2)
  for (const { attributes, status } of requests.filter(({ name }) => name !== 'GET')) {
    assert.equal(attributes['bucketry.error_code'], 'AccessDenied')
    assert.notEqual(status, errorStatus)
  }
})

test('OTEL_TRACES_SAMPLER decides which traces are recorded, and with parentbased_ the client does', async (t) => {
  const receiver = await startOtlpReceiver(t)
  const { main, url } = await start(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  })
  await fetch(`${url}/photos/not-sampled`)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await fetch(`${url}/photos/sampled`, { headers: { traceparent } })
  await stop(main)
  const paths = requestSpans(receiver.spans).map(({ attributes }) => attributes['url.path'])
  assert.deepEqual(paths, ['/photos/sampled'])
})

test('A receiver that is away or never replies delays neither requests nor the stop', async (t) => {
  const stuck = await startOtlpReceiver(t, { isStuck: true })
  for (const receiver of ['http://127.0.0.1:1', stuck.url]) {
    const { main, server } = await start(t, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver })
    // More spans than one batch, so that one is being sent.
    for (let round = 0; round < 30; round += 1) {
      const gets = Array.from({ length: 20 }, async (_, index) => {
        const target = `/photos/${'k'.repeat(900)}${index}`
        const reply = await signedFetch(server, { method: 'GET', target })
        assert.equal(reply.status, 404)
        await reply.text()
      })
      await Promise.all(gets)
    }
    const stoppedAt = performance.now()
    await stop(main)
    assert.ok(performance.now() - stoppedAt < 10_000)
  }
  assert.ok(stuck.exports.length > 0)
})
