import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGateway, renderFault } from '../../../../src/app/gateway/gateway.ts'
import type { HttpHandler } from '../../../../src/platform/http/message.ts'
import { compatibilityOf } from '../../../../src/storage/s3/compatibility.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'
import { requestOf } from '../start/request-of.ts'

const named =
  (body: string): HttpHandler =>
  async () => ({ status: 200, headers: [], body })
const handlers = {
  s3: named('s3'),
  health: named('health'),
  liveness: named('liveness'),
  readiness: named('readiness'),
  metrics: named('metrics'),
  json: named('json'),
  web: named('web'),
  shares: named('shares'),
  websites: named('websites'),
  virtualHosts: { virtualHostDomains: [], publicUrl: undefined },
}
const gateway = createGateway({
  ...handlers,
  compatibility: compatibilityOf.contract,
  buckets: servedBuckets(['photos']),
})

for (const [target, body] of [
  ['/', 's3'],
  ['/photos/a', 's3'],
  ['/authors', 's3'],
  ['/v1beta', 's3'],
  ['/-x', 's3'],
  ['/favicon.ico', 'web'],
  ['/favicon.ico/a', 's3'],
  ['/-/healthz', 'health'],
  ['/-/healthz?verbose', 'health'],
  ['/-/healthz/', 'health'],
  ['/-/metrics', 'metrics'],
  ['/-/metrics/', 'web'],
  ['/-/livez', 'liveness'],
  ['/-/readyz', 'readiness'],
  ['/-/readyz/writes', 'readiness'],
  ['/-/readyzz', 'web'],
  ['/-', 'web'],
  ['/-/', 'web'],
  ['/-/files/photos/api', 'web'],
  ['/-/assets/index-0123.js', 'web'],
  ['/-/api', 'json'],
  ['/-/api/status', 'json'],
  ['/-/docs', 'web'],
  ['/-/s', 'shares'],
  ['/-/s/0123', 'shares'],
  ['/-/settings', 'web'],
  ['/-/openapi.json', 'json'],
  ['/auth', 'json'],
  ['/auth/login', 'json'],
  ['/v1/models', 'json'],
  ['/ai/v1/models', 'json'],
  ['/aide/v1/models', 's3'],
] as const) {
  test(`The gateway hands ${target} to ${body}`, async () => {
    assert.equal((await gateway(requestOf('GET', target))).body, body)
  })
}

for (const [buckets, target, method, body] of [
  [[], '/minio/health/live', 'GET', 'liveness'],
  [[], '/minio/health/ready', 'HEAD', 'readiness'],
  [[], '/minio/health/cluster', 'GET', 'readiness'],
  [[], '/minio/health/cluster/read', 'GET', 'readiness'],
  [[], '/minio/v2/metrics/cluster', 'GET', 'metrics'],
  [[], '/minio/health/live', 'PUT', 's3'],
  [[], '/minio/health/live/x', 'GET', 's3'],
  [['minio'], '/minio/health/live', 'GET', 's3'],
  [['minio'], '/minio/admin/v3/info', 'GET', 's3'],
  [[], '/minio/administrators', 'GET', 's3'],
] as const) {
  test(`In the aws mode with the buckets [${buckets}], ${method} ${target} is for ${body}`, async () => {
    const parts = { ...handlers, buckets: servedBuckets([...buckets]) }
    const other = createGateway({ ...parts, compatibility: compatibilityOf.aws })
    assert.equal((await other(requestOf(method, target))).body, body)
  })
}

test('A bucket that is named like the icon of the dashboard is a bucket', async () => {
  const other = createGateway({
    ...handlers,
    compatibility: compatibilityOf.contract,
    buckets: servedBuckets(['favicon.ico']),
  })
  assert.equal((await other(requestOf('GET', '/favicon.ico'))).body, 's3')
  // S3 answers what a browser never sends.
  assert.equal(
    (
      await createGateway({
        ...handlers,
        compatibility: compatibilityOf.contract,
        buckets: servedBuckets([]),
      })(requestOf('PUT', '/favicon.ico'))
    ).body,
    's3',
  )
})

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test('A browser at / is sent to the dashboard', async () => {
  const reply = await gateway({ ...requestOf('GET', '/'), headers: browser })
  assert.equal(reply.status, 302)
  assert.deepEqual(reply.headers[0], ['Location', '/-/'])
})

for (const [who, request] of [
  ['A signed request', { ...requestOf('GET', '/'), headers: { ...browser, authorization: 'A' } }],
  ['A presigned request', { ...requestOf('GET', '/?X-Amz-Signature=0'), headers: browser }],
  ['A client that is no browser', { ...requestOf('GET', '/'), headers: { accept: '*/*' } }],
  ['A form that is posted', { ...requestOf('POST', '/'), headers: browser }],
  ['A browser at a bucket', { ...requestOf('GET', '/photos'), headers: browser }],
] as const) {
  test(`${who} is for S3`, async () => {
    assert.equal((await gateway(request)).body, 's3')
  })
}

test('A fault below the protocols is an S3 error document with its request id', () => {
  const reply = renderFault('headers-too-large', '0123456789ABCDEF')
  assert.equal(reply.status, 400)
  assert.deepEqual(reply.headers[0], ['x-amz-request-id', '0123456789ABCDEF'])
  assert.match(
    String(reply.body),
    /<Error><Code>RequestHeaderSectionTooLarge<\/Code>.*<RequestId>0123456789ABCDEF<\/RequestId>/,
  )
  assert.equal(renderFault('unknown-method', '').status, 405)
  assert.equal(renderFault('internal', '').status, 500)
})
