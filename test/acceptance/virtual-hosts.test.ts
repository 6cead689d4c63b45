/** Buckets in host names, through the whole gateway. */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { type TestContext, test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testCredentials } from '../support/gateway-process.ts'
import { formRequest } from '../support/post-form.ts'
import { presignTarget, signHeaders } from '../support/signed-request.ts'
import { presignVersionTwo } from '../support/version-two.ts'

interface Sent {
  readonly method?: string
  readonly target: string
  readonly host: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly isUnsigned?: boolean
}

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** With a Host header of its own: names below localhost need not resolve. */
function send(gateway: GatewayInProcess, sent: Sent): Promise<Received> {
  const { method = 'GET', target, host, body, headers = {}, isUnsigned } = sent
  const all = isUnsigned
    ? { ...headers, host }
    : signHeaders({ method, target, host, headers }, testCredentials)
  return new Promise((resolve, reject) => {
    const { port } = gateway
    const request = httpRequest({ port, method, path: target, headers: all }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

const settings = {
  ...{ COMPATIBILITY: 'aws', VIRTUAL_HOST_DOMAINS: 's3.example.net,example.net,LocalHost' },
  ALLOWED_BUCKETS: 'photos,my.files,open,other',
  PUBLIC_READ_BUCKETS: 'open',
}

async function start(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const gateway = await startGatewayInProcess(t, { ...settings, ...more })
  const status = async (sent: Sent) => (await send(gateway, sent)).status
  return { gateway, status, send: (sent: Sent) => send(gateway, sent) }
}

const put = (host: string, target: string, body = 'bytes') => ({
  ...{ method: 'PUT', host, target, body },
})

test('a host below a domain names the bucket, in every spelling', async (t) => {
  const { gateway, status, send } = await start(t)
  for (const [host, bucket] of [
    ['photos.s3.example.net', 'photos'],
    ['PHOTOS.S3.Example.Net:9000', 'photos'],
    ['photos.s3.example.net.', 'photos'],
    ['my.files.s3.example.net', 'my.files'],
    ['my.files.localhost:1', 'my.files'],
    ['photos.example.net', 'photos'],
  ] as const) {
    assert.equal(await status(put(host, '/a%20b/c', host)), 200, host)
    const read = { host: '127.0.0.1', target: `/${bucket}/a%20b/c` }
    assert.equal((await send(read)).text, host)
  }
  for (const host of ['s3.example.net', 'localhost:9000', '127.0.0.1', 'photos.example.com'])
    assert.equal(await status({ host, target: '/photos/a%20b/c' }), 200, host)
  const listed = await send({ host: 'photos.localhost', target: '/?list-type=2' })
  assert.match(listed.text, /<Name>photos<\/Name>.*<Key>a b\/c<\/Key>/s)
  const absent = await send({ host: 'absent.localhost', target: '/k' })
  assert.match(absent.text, /NoSuchBucket/)
  const line = gateway.lines.find((entry) => entry.hostBucket === 'my.files' && 'status' in entry)
  assert.deepEqual([line?.bucket, line?.key, line?.operation], ['my.files', 'a b/c', 'PutObject'])
})

test('without domains, the path names the bucket', async (t) => {
  const { gateway, send } = await start(t, { VIRTUAL_HOST_DOMAINS: '' })
  const { text } = await send({ host: 'photos.s3.example.net', target: '/k' })
  assert.match(text, /NoSuchBucket/)
  const line = gateway.lines.find((entry) => entry.virtualHost === true)
  assert.match(String(line?.reason), /VIRTUAL_HOST_DOMAINS=s3\.example\.net /)
})

test('a signature for one host or path is none for another bucket', async (t) => {
  const { status } = await start(t, { PUBLIC_URL: 'https://s3.example.net' })
  for (const [host, target] of [
    ['photos.localhost', '/k'],
    ['other.localhost', '/k'],
    ['other.localhost', '/photos/k'],
  ] as const)
    assert.equal(await status(put(host, target)), 200)
  const signed = (host: string, target: string) =>
    presignTarget({ method: 'GET', host, target, expiresSeconds: 60 }, testCredentials)
  const read = (host: string, target: string) => status({ host, target, isUnsigned: true })
  const below = signed('photos.localhost', '/k')
  assert.equal(await read('photos.localhost', below), 200)
  assert.equal(await read('other.localhost', below), 403)
  assert.equal(await read('127.0.0.1', below), 403)
  const path = signed('s3.example.net', '/photos/k')
  assert.equal(await read('s3.example.net', path), 200)
  // By the host of PUBLIC_URL.
  assert.equal(await read('127.0.0.1', path), 200)
  assert.equal(await read('other.localhost', path), 403)
  const expires = Math.floor(Date.now() / 1_000) + 60
  const versionTwo = presignVersionTwo(
    { method: 'GET', path: '/photos/k', expires },
    testCredentials,
  )
  assert.equal(await read('127.0.0.1', versionTwo), 200)
  assert.equal(await read('photos.localhost', versionTwo.replace('/photos', '')), 200)
  assert.equal(await read('other.localhost', versionTwo), 403)
  assert.equal(await read('other.localhost', versionTwo.replace('/photos', '')), 403)
})

test('every path of a bucket is a key; the dashboard is elsewhere', async (t) => {
  const { status, send } = await start(t, { PUBLIC_URL: 'https://files.example.net' })
  for (const target of ['/-/healthz', '/-/', '/auth/login', '/favicon.ico', '/open/a']) {
    assert.equal(await status(put('open.localhost', target, target)), 200)
    const read = {
      host: 'open.localhost',
      target,
      isUnsigned: true,
      headers: { accept: 'text/html' },
    }
    assert.equal((await send(read)).text, target)
    assert.equal(await status({ ...read, host: 'photos.localhost' }), 403)
  }
  const visit = { target: '/', isUnsigned: true, headers: { accept: 'text/html' } }
  assert.match((await send({ ...visit, host: 'open.localhost' })).text, /<ListBucketResult/)
  // The host of PUBLIC_URL is that of the dashboard, also if it is below a domain.
  for (const host of ['localhost', 's3.example.net', 'files.example.net'])
    assert.equal(await status({ ...visit, host }), 302, host)
  const health = { target: '/-/livez', isUnsigned: true }
  assert.equal(await status({ ...health, host: '127.0.0.1' }), 200)
})

test('X-Forwarded-Host names no bucket', async (t) => {
  const { send } = await start(t, { TRUST_PROXY: '127.0.0.1' })
  const headers = { 'x-forwarded-host': 'open.localhost' }
  const { text } = await send({ host: '127.0.0.1', target: '/k', headers, isUnsigned: true })
  assert.match(text, /<Code>NoSuchBucket.*<BucketName>k</)
})

test('buckets, forms, uploads in parts, copies and preflights', async (t) => {
  const { gateway, status, send } = await start(t)
  assert.equal(await status({ method: 'PUT', host: 'made.localhost', target: '/' }), 200)
  assert.equal(await status({ method: 'HEAD', host: '127.0.0.1', target: '/made' }), 200)
  const host = 'made.localhost:5'
  const form = formRequest(
    {
      bucket: 'made',
      fields: [
        ['key', 'a'],
        ['success_action_status', '201'],
      ],
    },
    testCredentials,
  )
  const { target: _, headers: formHeaders = {}, ...posted } = form
  const sent = { ...posted, headers: formHeaders, target: '/', isUnsigned: true }
  assert.match((await send({ ...sent, host })).text, /<Location>http:\/\/made\.localhost:5\/a</)
  assert.equal(await status({ ...sent, host: 'photos.localhost' }), 403)
  const copy = { 'x-amz-copy-source': '/made/a' }
  assert.equal(await status({ method: 'PUT', host, target: '/b', headers: copy }), 200)
  const begun = await send({ method: 'POST', host, target: '/c?uploads' })
  const id = /<UploadId>([^<]*)/.exec(begun.text)?.[1]
  const part = await send(put(host, `/c?partNumber=1&uploadId=${id}`))
  const parts = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers.etag}</ETag></Part></CompleteMultipartUpload>`
  const done = await send({ method: 'POST', host, target: `/c?uploadId=${id}`, body: parts })
  assert.match(done.text, /<Location>http:\/\/made\.localhost:5\/c</)
  const rules =
    '<CORSConfiguration><CORSRule><AllowedMethod>PUT</AllowedMethod><AllowedOrigin>https://a.example</AllowedOrigin></CORSRule></CORSConfiguration>'
  assert.equal(await status({ ...put(host, '/?cors', rules) }), 200)
  const asked = { origin: 'https://a.example', 'access-control-request-method': 'PUT' }
  const preflight = { method: 'OPTIONS', target: '/k', headers: asked, isUnsigned: true }
  const allowed = (await send({ ...preflight, host })).headers
  assert.equal(allowed['access-control-allow-origin'], 'https://a.example')
  assert.equal(await status({ ...preflight, host: 'photos.localhost' }), 403)
  assert.ok(gateway.lines.some((line) => line.operation === 'PostObject'))
})
