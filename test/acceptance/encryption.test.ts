/** SERVER_SIDE_ENCRYPTION. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket } from '../support/gateway-process.ts'
import { beginUpload } from '../support/open-upload.ts'
import { answer } from '../support/wire-case.ts'

const field = 'x-amz-server-side-encryption'
const object = `/${testBucket}/k`
const encrypted = { headers: { [field]: 'AES256' } }

for (const [settings, status, code] of [
  [{}, 501, 'NotImplemented'],
  [{ COMPATIBILITY: 'aws' }, 501, 'NotImplemented'],
] as const) {
  test(`Encryption is refused with ${JSON.stringify(settings)}`, async (t) => {
    const gateway = await startGatewayInProcess(t, settings)
    const put = { method: 'PUT', target: object, body: 'x' }
    const refusal = await answer(gateway, { title: 'AES256', ...put, ...encrypted, status, code })
    assert.match(refusal.text, new RegExp(`<Message>[^<]*: ${field}[.]`))
    assert.match(refusal.text, /SERVER_SIDE_ENCRYPTION=claim/)
    const bucket = { method: 'PUT', target: `/${testBucket}?encryption`, status, code }
    const ofBucket = await answer(gateway, { title: 'PutBucketEncryption', ...bucket })
    assert.match(ofBucket.text, /SERVER_SIDE_ENCRYPTION=claim/)
    // No setting allows it.
    const kms = { headers: { [field]: 'aws:kms' } }
    const other = await answer(gateway, { title: 'aws:kms', ...put, ...kms, status, code })
    assert.doesNotMatch(other.text, /SERVER_SIDE_ENCRYPTION/)
    const plain = await answer(gateway, { title: 'none', ...put, status: 200 })
    assert.equal(plain.headers.get(field), null)
    const code404 = 'ServerSideEncryptionConfigurationNotFoundError'
    const get = { method: 'GET', target: `/${testBucket}?encryption`, status: 404, code: code404 }
    await answer(gateway, { title: 'of the bucket', ...get })
  })
}

test('SERVER_SIDE_ENCRYPTION=claim accepts AES256, and replies say so', async (t) => {
  const gateway = await startGatewayInProcess(t, {
    ...{ SERVER_SIDE_ENCRYPTION: 'claim', CORS_ALLOWED_ORIGINS: 'https://app.example' },
  })
  const put = { method: 'PUT', target: object, body: 'x', status: 200 }
  const upload = `${object}?partNumber=1&uploadId=${await beginUpload(gateway, object)}`
  const requests = [
    { title: 'PutObject', ...put, ...encrypted },
    { title: 'PutObject without the header', ...put },
    { title: 'GetObject', method: 'GET', target: object, status: 200 },
    { title: 'HeadObject', method: 'HEAD', target: object, status: 200 },
    {
      title: 'CreateMultipartUpload',
      method: 'POST',
      target: `${object}?uploads`,
      ...encrypted,
      status: 200,
    },
    { title: 'UploadPart', method: 'PUT', target: upload, body: 'x', status: 200 },
    {
      ...{ title: 'CopyObject', method: 'PUT', target: `${object}2`, status: 200 },
      headers: { ...encrypted.headers, 'x-amz-copy-source': object },
    },
  ]
  for (const request of requests) {
    const { headers } = await answer(gateway, request)
    assert.equal(headers.get(field), 'AES256', request.title)
  }
  const bucket = { method: 'GET', target: `/${testBucket}?encryption`, status: 200 }
  const { text } = await answer(gateway, { title: 'GetBucketEncryption', ...bucket })
  assert.match(text, /<SSEAlgorithm>AES256</)
  const others = [{ [field]: 'aws:kms' }, { [`${field}-customer-algorithm`]: 'AES256' }]
  for (const headers of others) {
    await answer(gateway, {
      title: JSON.stringify(headers),
      ...put,
      headers,
      status: 501,
      code: 'NotImplemented',
    })
  }
  const crossOrigin = { title: 'CORS', method: 'GET', target: object, status: 200 }
  const read = await answer(gateway, { ...crossOrigin, headers: { origin: 'https://app.example' } })
  assert.match(read.headers.get('access-control-expose-headers') ?? '', new RegExp(field))
  const missing = {
    title: 'a refusal',
    method: 'GET',
    target: `${object}3`,
    status: 404,
    code: 'NoSuchKey',
  }
  assert.equal((await answer(gateway, missing)).headers.get(field), null)
})
