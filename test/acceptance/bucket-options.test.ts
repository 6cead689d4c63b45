/** What S3 clients set for a bucket with BUCKET_CREATION=on, and what is in force then. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { answer, type WireCase } from '../support/wire-case.ts'

const ours = 'https://app.example'
const theirs = 'https://other.example'
const bucket = `/${testBucket}`

const put = (name: string, body: string, target = bucket): WireCase => ({
  ...{ title: name, method: 'PUT', target: `${target}?${name}`, body, status: 200 },
})

const corsOf = (...rules: string[]) =>
  `<CORSConfiguration>${rules.map((rule) => `<CORSRule>${rule}</CORSRule>`).join('')}</CORSConfiguration>`

const putRule =
  `<AllowedOrigin>${ours}</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>` +
  '<AllowedHeader>x-amz-*</AllowedHeader><ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>60</MaxAgeSeconds>'
const anyRule = '<AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>'

const preflight = (
  target: string,
  headers: Readonly<Record<string, string>>,
  expected: Pick<WireCase, 'status' | 'code' | 'fields'>,
): WireCase => ({
  ...{ title: 'preflight', method: 'OPTIONS', target, headers, isUnsigned: true, ...expected },
})

const asks = (origin: string, method: string, headers?: string) => ({
  ...{ origin, 'access-control-request-method': method },
  ...(headers !== undefined && { 'access-control-request-headers': headers }),
})

const noCors = {
  'access-control-allow-origin': undefined,
  'access-control-allow-methods': undefined,
}
const varied = { vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method' }

test("a bucket's CORS rules replace CORS_ALLOWED_ORIGINS for it", async (t) => {
  const gateway = await startGatewayInProcess(t, {
    ...{ BUCKET_CREATION: 'on', ALLOWED_BUCKETS: `${testBucket},plain` },
    CORS_ALLOWED_ORIGINS: theirs,
  })
  await answer(gateway, put('cors', corsOf(putRule, anyRule)))
  const object = `${bucket}/key`
  const cases: WireCase[] = [
    preflight(object, asks(ours, 'PUT', 'X-Amz-Date,x-amz-meta-a'), {
      status: 200,
      fields: {
        ...varied,
        'access-control-allow-origin': ours,
        'access-control-allow-methods': 'PUT',
        'access-control-allow-headers': 'x-amz-date, x-amz-meta-a',
        'access-control-expose-headers': 'ETag',
        'access-control-max-age': '60',
        'access-control-allow-credentials': 'true',
      },
    }),
    preflight(object, asks(ours, 'PUT', 'content-type'), {
      ...{ status: 403, code: 'AccessForbidden', fields: { ...noCors, ...varied } },
    }),
    preflight(object, asks(theirs, 'PUT'), {
      ...{ status: 403, code: 'AccessForbidden', fields: noCors },
    }),
    preflight(object, asks(theirs, 'GET'), {
      status: 200,
      fields: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET',
        'access-control-allow-credentials': undefined,
        'access-control-max-age': undefined,
      },
    }),
    preflight(object, { origin: ours }, { status: 400, code: 'BadRequest', fields: noCors }),
    preflight(object, {}, { status: 400, code: 'BadRequest', fields: noCors }),
    // Another bucket, and one that does not exist, as if there were no rules.
    ...['/plain/key', '/unknown/key', '/', '/%zz'].map((target) =>
      preflight(target, asks(theirs, 'PUT'), {
        status: 200,
        fields: { 'access-control-allow-origin': theirs, vary: 'Origin' },
      }),
    ),
    ...['/plain/key', '/unknown/key'].map((target) =>
      preflight(target, asks(ours, 'PUT'), {
        ...{ status: 403, code: 'AccessForbidden', fields: { ...noCors, vary: 'Origin' } },
      }),
    ),
    {
      ...{ title: 'a write', method: 'PUT', target: object, body: 'x', headers: { origin: ours } },
      status: 200,
      fields: {
        ...varied,
        'access-control-allow-origin': ours,
        'access-control-allow-methods': 'PUT',
        'access-control-expose-headers': 'ETag',
      },
    },
    {
      ...{ title: 'a refused write', method: 'PUT', target: object, body: 'x' },
      ...{ headers: { origin: ours }, isUnsigned: true, status: 403, code: 'AccessDenied' },
      fields: { 'access-control-allow-origin': ours },
    },
    {
      ...{ title: 'a read', method: 'GET', target: object, headers: { origin: ours } },
      ...{ status: 200, fields: { 'access-control-allow-origin': '*' } },
    },
    {
      ...{ title: 'a read without origin', method: 'GET', target: object },
      ...{ status: 200, fields: { ...noCors, ...varied } },
    },
    {
      ...{ title: 'a deletion', method: 'DELETE', target: object, headers: { origin: ours } },
      ...{ status: 204, fields: { ...noCors, ...varied } },
    },
  ]
  for (const each of cases) await answer(gateway, each)

  await answer(gateway, {
    ...{ title: 'delete', method: 'DELETE', target: `${bucket}?cors`, status: 204 },
  })
  await answer(
    gateway,
    preflight(object, asks(theirs, 'PUT'), {
      ...{ status: 200, fields: { 'access-control-allow-origin': theirs } },
    }),
  )
})

test('lifecycle rules tell clients when an object expires', async (t) => {
  const gateway = await startGatewayInProcess(t, { BUCKET_CREATION: 'on' })
  const rule = (id: string, prefix: string, action: string) =>
    `<Rule><ID>${id}</ID><Filter><Prefix>${prefix}</Prefix></Filter><Status>Enabled</Status>${action}</Rule>`
  const rules = `<LifecycleConfiguration>${rule('a "b" ü', 'old/', '<Expiration><Days>2</Days></Expiration>')}</LifecycleConfiguration>`
  await answer(gateway, put('lifecycle', rules))
  const request = { title: '', target: `${bucket}/old/x`, status: 200 }
  const { headers } = await answer(gateway, { ...request, method: 'PUT', body: 'bytes' })
  const expiration = headers.get('x-amz-expiration') ?? ''
  const [, date = ''] =
    /^expiry-date="([^"]+)", rule-id="a%20%22b%22%20%C3%BC"$/.exec(expiration) ?? []
  const dayMs = 24 * 60 * 60_000
  const head = await answer(gateway, { ...request, method: 'HEAD' })
  const modifiedAtMs = Date.parse(head.headers.get('last-modified') ?? '')
  assert.equal(Date.parse(date), (Math.floor(modifiedAtMs / dayMs) + 3) * dayMs, expiration)
  assert.equal(head.headers.get('x-amz-expiration'), expiration)
  const copy = { 'x-amz-copy-source': `${bucket}/old/x` }
  const part = { range: 'bytes=0-1' }
  for (const each of [
    { ...request, method: 'GET' },
    { ...request, method: 'GET', headers: part, status: 206 },
    { ...request, method: 'PUT', target: `${bucket}/old/y`, headers: copy },
  ]) {
    await answer(gateway, { ...each, fields: { 'x-amz-expiration': expiration } })
  }
  const { text: created } = await answer(gateway, {
    ...request,
    method: 'POST',
    target: `${bucket}/old/z?uploads`,
  })
  const uploadId = /<UploadId>(.*)<\/UploadId>/.exec(created)?.[1]
  const upload = { ...request, target: `${bucket}/old/z?uploadId=${uploadId}` }
  const partTarget = `${upload.target}&partNumber=1`
  const sent = await answer(gateway, {
    ...upload,
    method: 'PUT',
    target: partTarget,
    body: 'bytes',
  })
  const completed = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${sent.headers.get('etag')}</ETag></Part></CompleteMultipartUpload>`
  await answer(gateway, {
    ...{ ...upload, method: 'POST', body: completed },
    fields: { 'x-amz-expiration': expiration },
  })
  for (const method of ['PUT', 'GET']) {
    const target = `${bucket}/new`
    const fields = { 'x-amz-expiration': undefined }
    await answer(gateway, {
      ...request,
      method,
      target,
      fields,
      ...(method === 'PUT' && { body: '' }),
    })
  }
})

test('rules are not for everyone, but everyone may learn that there are none', async (t) => {
  const gateway = await startGatewayInProcess(t, {
    ...{ BUCKET_CREATION: 'on', PUBLIC_READ_BUCKETS: testBucket },
  })
  const read = (name: string, status: number, code: string): WireCase => ({
    ...{ title: name, method: 'GET', target: `${bucket}?${name}`, isUnsigned: true, status, code },
  })
  await answer(gateway, read('cors', 404, 'NoSuchCORSConfiguration'))
  await answer(gateway, put('cors', corsOf(anyRule)))
  await answer(gateway, read('cors', 403, 'AccessDenied'))
  await answer(gateway, {
    ...put('cors', corsOf(putRule)),
    isUnsigned: true,
    status: 403,
    code: 'AccessDenied',
  })
})

test('rules cannot be set while BUCKET_CREATION is off', async (t) => {
  const gateway = await startGatewayInProcess(t)
  for (const method of ['PUT', 'DELETE']) {
    for (const name of ['cors', 'lifecycle']) {
      const refused = { status: 501, code: 'NotImplemented' }
      await answer(gateway, { ...put(name, corsOf(anyRule)), method, ...refused })
    }
  }
})

test('a document that does not match its checksum, or is too long, changes nothing', async (t) => {
  const gateway = await startGatewayInProcess(t, { BUCKET_CREATION: 'on' })
  const wrong = { 'content-md5': Buffer.alloc(16).toString('base64') }
  await answer(gateway, {
    ...{ ...put('cors', corsOf(anyRule)), headers: wrong, status: 400, code: 'BadDigest' },
  })
  await answer(gateway, {
    ...put('cors', corsOf(anyRule) + ' '.repeat(64 * 1024)),
    ...{ status: 400, code: 'MaxMessageLengthExceeded' },
  })
  await answer(gateway, {
    ...{ title: 'get', method: 'GET', target: `${bucket}?cors` },
    ...{ status: 404, code: 'NoSuchCORSConfiguration' },
  })
})
