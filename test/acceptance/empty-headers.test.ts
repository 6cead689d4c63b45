import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { presignTarget } from '../support/signed-request.ts'
import { answer, itAnswers } from '../support/wire-case.ts'

const target = `/${testBucket}/object`

/** Every optional header of an S3 request that has a meaning here, or gets 501, with a value. */
const optional = [
  ...['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'range'],
  ...['cache-control', 'content-disposition', 'content-encoding', 'content-language', 'expires'],
  ...['x-amz-acl', 'x-amz-tagging', 'x-amz-storage-class', 'x-amz-website-redirect-location'],
  ...['full-control', 'read', 'read-acp', 'write', 'write-acp'].map(
    (right) => `x-amz-grant-${right}`,
  ),
  ...['mode', 'retain-until-date', 'legal-hold'].map((name) => `x-amz-object-lock-${name}`),
  ...['', '-aws-kms-key-id', '-bucket-key-enabled', '-context', '-customer-algorithm'].map(
    (name) => `x-amz-server-side-encryption${name}`,
  ),
  ...['algorithm', 'mode', 'type'].map((name) => `x-amz-checksum-${name}`),
  ...['x-amz-sdk-checksum-algorithm', 'x-amz-trailer', 'x-amz-mp-object-size'],
  ...['x-amz-metadata-directive', 'x-amz-tagging-directive', 'x-amz-copy-source-range'],
  ...['match', 'none-match', 'modified-since', 'unmodified-since'].map(
    (name) => `x-amz-copy-source-if-${name}`,
  ),
  ...['x-amz-if-match-size', 'x-amz-if-match-last-modified-time', 'x-amz-write-offset-bytes'],
  ...['x-amz-bucket-object-lock-enabled', 'x-amz-object-ownership', 'x-amz-max-parts'],
  ...['x-amz-part-number-marker', 'x-amz-transition-default-minimum-object-size'],
]
const headers = Object.fromEntries(optional.map((name) => [name, '']))
const put = { title: '', method: 'PUT', target, body: 'x', status: 200 }

/** SDKs send an empty header for a parameter that is set to an empty text. S3 treats it as absent. */
describe('headers with an empty value', () => {
  const gateway = useContractGateway({ BUCKET_CREATION: 'on' })

  it('are absent for every operation', async () => {
    const send = (method: string, path: string, more: object = {}) =>
      answer(gateway(), { ...{ title: '', method, target: path, headers, status: 200 }, ...more })
    await send('PUT', target, { body: 'x' })
    for (const method of ['GET', 'HEAD']) {
      const fields = {
        'content-type': /./,
        'cache-control': undefined,
        'x-amz-checksum-crc32': undefined,
      }
      await send(method, target, { fields })
    }
    const attributes = { ...headers, 'x-amz-object-attributes': 'ETag' }
    await send('GET', `${target}?attributes`, { headers: attributes })
    const copying = { ...headers, 'x-amz-copy-source': `${testBucket}/object` }
    await send('PUT', `/${testBucket}/copy`, { headers: copying })
    const { xml } = await send('POST', `${target}?uploads`)
    const { UploadId } = xml.InitiateMultipartUploadResult as { readonly UploadId: string }
    const upload = `${target}?uploadId=${UploadId}`
    const part = await send('PUT', `${upload}&partNumber=1`, { body: 'x' })
    await send('PUT', `${upload}&partNumber=2`, { headers: copying })
    const parts = `<Part><PartNumber>1</PartNumber><ETag>${part.headers.get('etag')}</ETag></Part>`
    const body = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`
    await send('POST', upload, { body })
    await send('DELETE', target, { status: 204 })
    await send('PUT', '/made')
    const rule =
      '<Rule><ID>a</ID><Status>Enabled</Status><Filter/><Expiration><Days>1</Days></Expiration></Rule>'
    await send('PUT', '/made?lifecycle', {
      body: `<LifecycleConfiguration>${rule}</LifecycleConfiguration>`,
    })
    await send('DELETE', '/made', { status: 204 })
  })

  it('in a presigned query are absent too', async () => {
    const { host, credentials } = gateway()
    const query = 'x-amz-acl=&x-amz-copy-source-if-match=&x-amz-storage-class='
    const request = { method: 'PUT', target: `${target}?${query}`, host, expiresSeconds: 60 }
    const response = await fetch(`http://${host}${presignTarget(request, credentials)}`, {
      ...{ method: 'PUT', body: 'x' },
    })
    assert.equal(response.status, 200, await response.text())
  })

  it('are stored as metadata', async () => {
    await answer(gateway(), { ...put, headers: { 'x-amz-meta-empty': '' } })
    const head = { title: '', method: 'HEAD', target, status: 200 }
    await answer(gateway(), { ...head, fields: { 'x-amz-meta-empty': '' } })
  })

  itAnswers(gateway, [
    ...['content-md5', 'x-amz-checksum-crc32', 'x-amz-checksum-sha256'].map((name) => ({
      ...{ ...put, title: `PutObject with an empty ${name} is 400 InvalidDigest` },
      ...{ headers: { [name]: '' }, status: 400, code: 'InvalidDigest' },
    })),
    {
      ...{ ...put, title: 'PutObject with an empty x-amz-copy-source is 400 InvalidArgument' },
      ...{ headers: { 'x-amz-copy-source': '' }, status: 400, code: 'InvalidArgument' },
    },
    {
      ...{ ...put, title: 'PutObject with an empty x-amz-decoded-content-length is 400' },
      ...{ headers: { 'x-amz-decoded-content-length': '' }, status: 400, code: 'InvalidArgument' },
    },
  ])
})
