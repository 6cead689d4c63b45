import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type BucketryServer, startBucketry } from '../../src/app/start/start-bucketry.ts'
import { makeCertificate } from '../support/certificates.ts'
import { freePort } from '../support/free-port.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { signHeaders } from '../support/signed-request.ts'

function send(server: BucketryServer, method: string, target: string, body?: string) {
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = server.credentials
  const { host } = new URL(server.url)
  const headers = signHeaders(
    { method, target, host },
    { accessKey, secretKey, region: server.region },
  )
  return fetch(`${server.url}${target}`, { method, headers, ...(body !== undefined && { body }) })
}

const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('bucketry-test-'))

test('startBucketry serves its buckets with its keys, and leaves nothing', async () => {
  const before = folders()
  const lines: string[] = []
  const server = await startBucketry({
    buckets: ['photos', 'docs'],
    publicReadBuckets: ['docs'],
    accessKeyId: 'me',
    secretAccessKey: 'a-secret-of-mine',
    region: 'eu-central-1',
    settings: { CORS_ALLOWED_ORIGINS: '*' },
    onLogLine: (line) => lines.push(line),
  })
  assert.equal((await send(server, 'PUT', '/docs/a', 'one')).status, 200)
  const reply = await fetch(`${server.url}/docs/a`, { headers: { origin: 'https://example.org' } })
  assert.equal(await reply.text(), 'one')
  assert.equal(reply.headers.get('access-control-allow-origin'), '*')
  assert.equal((await fetch(`${server.url}/photos/a`)).status, 403)
  assert.deepEqual(server.environment, {
    AWS_ACCESS_KEY_ID: 'me',
    AWS_SECRET_ACCESS_KEY: 'a-secret-of-mine',
    AWS_REGION: 'eu-central-1',
    AWS_DEFAULT_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL_S3: server.url,
  })
  await Promise.all([server.stop(), server.stop()])
  await assert.rejects(fetch(server.url))
  assert.deepEqual(folders(), before)
  assert.ok(lines.every((line) => !line.includes('a-secret-of-mine')))
})

test('startBucketry uses its defaults for options that are undefined', async () => {
  const options = { buckets: undefined, accessKeyId: undefined, region: undefined }
  await using server = await startBucketry(options as object)
  assert.deepEqual([server.buckets, server.region], [['test'], 'us-east-1'])
  assert.equal((await send(server, 'PUT', '/test/a', 'one')).status, 200)
})

test('startBucketry leaves no port open if it cannot listen at DASHBOARD_ADDRESS', async () => {
  await using first = await startBucketry()
  const port = await freePort()
  const settings = { PORT: String(port), DASHBOARD_ADDRESS: `:${first.port}` }
  await assert.rejects(startBucketry({ settings }), { code: 'EADDRINUSE' })
  await assert.rejects(fetch(`http://127.0.0.1:${port}`))
})

test('startBucketry with a certificate has an https address', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-tls-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { certFile, keyFile } = makeCertificate(folder)
  await using server = await startBucketry({ settings: { TLS_CERT: certFile, TLS_KEY: keyFile } })
  assert.equal(server.url, `https://127.0.0.1:${server.port}`)
  assert.equal(server.environment.AWS_ENDPOINT_URL_S3, server.url)
})

test('reset removes objects and open uploads, also over HTTP', async () => {
  await using server = await startBucketry()
  let uploadId = ''
  const fill = async () => {
    await send(server, 'PUT', '/test/a/b', 'one')
    const text = await (await send(server, 'POST', '/test/large?uploads')).text()
    uploadId = /<UploadId>(.+)<\/UploadId>/.exec(text)?.[1] ?? ''
  }
  const left = async () => {
    const { status } = await send(server, 'HEAD', '/test/a/b')
    const parts = await send(server, 'GET', `/test/large?uploadId=${uploadId}`)
    await parts.text()
    return [status, parts.status]
  }
  await fill()
  assert.deepEqual(await left(), [200, 200])
  await server.reset()
  assert.deepEqual(await left(), [404, 404])
  await fill()
  const reset = (headers = {}) => fetch(`${server.url}/-/api/reset`, { method: 'POST', headers })
  assert.equal((await reset({ origin: 'https://example.org' })).status, 403)
  const rebound = connect({ port: server.port, host: '127.0.0.1' })
  const origin = `rebound.example:${server.port}`
  rebound.end(
    `POST /-/api/reset HTTP/1.1\r\nHost: ${origin}\r\nOrigin: http://${origin}\r\nSec-Fetch-Site: same-origin\r\n\r\n`,
  )
  assert.match(await text(rebound), /^HTTP\/1\.1 403 /)
  assert.deepEqual(await left(), [200, 200])
  assert.equal((await reset()).status, 204)
  assert.deepEqual(await left(), [404, 404])
})

test('A drive that keeps its objects has no reset', async (t) => {
  const { url } = await startGatewayInProcess(t, { DASHBOARD_PASSWORD: 'open sesame' })
  const reply = await fetch(`${url}/-/api/reset`, { method: 'POST' })
  assert.equal(reply.status, 404)
})

test('startBucketry names the option that is not valid, and leaves nothing', async () => {
  const before = folders()
  await assert.rejects(startBucketry({ buckets: ['No'] }), /ALLOWED_BUCKETS is "No"/)
  await using first = await startBucketry()
  await assert.rejects(startBucketry({ port: first.port }), { code: 'EADDRINUSE' })
  assert.equal(folders().length, before.length + 1)
})
