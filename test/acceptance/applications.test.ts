import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, it, type TestContext, test } from 'node:test'
import { useContractGateway } from '../support/contract-gateway.ts'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { beginUpload } from '../support/open-upload.ts'
import { presignTarget } from '../support/signed-request.ts'
import { answer, exchange, itAnswers, type WireCase } from '../support/wire-case.ts'

/** What applications compare, send and expect to the letter. Each case names the applications that need it. */

const object = `/${testBucket}/object`
const text = 'ten bytes.'
const md5 = (bytes: string, encoding: 'hex' | 'base64') =>
  createHash('md5').update(bytes).digest(encoding)
const put = (target: string, more: Partial<WireCase> = {}): WireCase => ({
  ...{ title: `PUT ${target}`, method: 'PUT', target, status: 200, ...more },
})

describe('what applications need in both modes', () => {
  const gateway = useContractGateway()
  before(async () => {
    await answer(gateway(), put(object, { body: text }))
  })

  itAnswers(gateway, [
    ...[
      `${testBucket}/object`,
      `/${testBucket}/object`,
      `${testBucket}%2Fobject`,
      `%2F${testBucket}%2Fobject`,
      `${testBucket}/object?versionId=null`,
    ].map((source) =>
      put(`/${testBucket}/copy`, {
        title: `CopyObject of ${source} decodes before it splits`,
        headers: { 'x-amz-copy-source': source },
      }),
    ),
    put(object, {
      title: 'CopyObject onto itself with REPLACE and a storage class',
      headers: {
        ...{ 'x-amz-copy-source': object, 'x-amz-metadata-directive': 'REPLACE' },
        ...{ 'x-amz-storage-class': 'STANDARD' },
      },
    }),
    ...['GET', 'HEAD'].map((method) => ({
      title: `${method} with partNumber=1 has Content-Range (Ruby's download_file in Mastodon, Discourse)`,
      ...{ method, target: `${object}?partNumber=1`, status: 206 },
      fields: { 'content-range': 'bytes 0-9/10' },
    })),
    {
      title: 'a range from N on is 206 (Nextcloud)',
      ...{ method: 'GET', target: object, headers: { range: 'bytes=4-' }, status: 206 },
      fields: { 'content-range': 'bytes 4-9/10' },
    },
    {
      title: 'a range at the end is 416 InvalidRange (distribution)',
      ...{ method: 'GET', target: object, headers: { range: 'bytes=10-' } },
      ...{ status: 416, code: 'InvalidRange' },
    },
    ...['5 - 10', 'bytes=-'].map((range) => ({
      title: `the range "${range}" is none: 200`,
      ...{ method: 'GET', target: object, headers: { range }, status: 200, text },
    })),
    {
      title: 'a suffix range is 206 (Trino)',
      ...{ method: 'GET', target: object, headers: { range: 'bytes=-3' }, status: 206 },
      text: 'es.',
    },
    {
      title: 'HEAD of an absent .part is 404 (tusd)',
      ...{ method: 'HEAD', target: `${object}.part`, status: 404 },
    },
    {
      title: 'a lock header is absent on HEAD (Barman)',
      ...{ method: 'HEAD', target: object, status: 200 },
      fields: { 'x-amz-object-lock-mode': undefined },
    },
    {
      title: 'an upload that is gone is NoSuchUpload (tusd, ClickHouse, AFFiNE)',
      ...{ method: 'GET', target: `${object}?uploadId=none`, status: 404, code: 'NoSuchUpload' },
    },
    {
      title: 'DELETE with If-Match of another ETag is 412 (Litestream)',
      ...{ method: 'DELETE', target: object, headers: { 'if-match': '"other"' } },
      ...{ status: 412, code: 'PreconditionFailed' },
    },
    {
      title: 'GetBucketVersioning answers (Kopia)',
      ...{ method: 'GET', target: `/${testBucket}?versioning`, status: 200 },
      xml: { VersioningConfiguration: {} },
    },
    {
      title: 'GetBucketAcl can be parsed (Nexus)',
      ...{ method: 'GET', target: `/${testBucket}?acl`, status: 200 },
      xml: { AccessControlPolicy: { Owner: {} } },
    },
    ...(
      [
        ['policy', 'NoSuchBucketPolicy'],
        ['lifecycle', 'NoSuchLifecycleConfiguration'],
        ['cors', 'NoSuchCORSConfiguration'],
        ['publicAccessBlock', 'NoSuchPublicAccessBlockConfiguration'],
        ['ownershipControls', 'OwnershipControlsNotFoundError'],
        ['object-lock', 'ObjectLockConfigurationNotFoundError'],
      ] as const
    ).map(([name, code]) => ({
      title: `GET ?${name} is 404 ${code} (Nexus, Terraform and others compare the code)`,
      ...{ method: 'GET', target: `/${testBucket}?${name}`, status: 404, code },
    })),
    {
      title: 'HEAD of a bucket has its region (DuckDB, MLflow)',
      ...{ method: 'HEAD', target: `/${testBucket}`, status: 200 },
      fields: { 'x-amz-bucket-region': 'us-east-1' },
    },
    {
      title: 'ListObjects takes encoding-type (7 applications)',
      ...{ method: 'GET', target: `/${testBucket}?encoding-type=url`, status: 200 },
      xml: { ListBucketResult: { EncodingType: 'url' } },
    },
  ])

  it('a presigned GET overrides content type and disposition (18 applications)', async () => {
    const query = 'response-content-disposition=attachment&response-content-type=text/x-other'
    const target = presigned(gateway().host, 'GET', `${object}?${query}`)
    const { headers } = await exchange(gateway(), { method: 'GET', target, isUnsigned: true })
    assert.equal(headers.get('content-disposition'), 'attachment')
    assert.equal(headers.get('content-type'), 'text/x-other')
  })

  it('DeleteObjects lists each key, takes Content-MD5, and an empty VersionId is none (Nexus, WAL-G)', async () => {
    const keys = ['absent-1', 'absent-2']
    const body = `<Delete>${keys.map((key) => `<Object><Key>${key}</Key><VersionId></VersionId></Object>`).join('')}</Delete>`
    await answer(gateway(), {
      ...{ title: '', method: 'POST', target: `/${testBucket}?delete`, body, status: 200 },
      headers: { 'content-md5': md5(body, 'base64') },
      xml: { DeleteResult: { Deleted: keys.map((Key) => ({ Key })) } },
    })
  })

  it('tokens need no escapes, and elements have no prefix (DuckDB)', async () => {
    const { text: page } = await exchange(gateway(), {
      ...{ method: 'GET', target: `/${testBucket}?list-type=2&max-keys=1` },
    })
    assert.match(page, /<NextContinuationToken>[A-Za-z0-9_-]+<\/NextContinuationToken>/)
  })

  it('Complete takes ETags without quotes and XML without a namespace, by a presigned POST (Workhorse, minio-js)', async () => {
    const target = `/${testBucket}/joined`
    const upload = `${target}?uploadId=${await beginUpload(gateway(), target)}`
    await answer(gateway(), put(`${upload}&partNumber=1`, { body: text }))
    const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${md5(text, 'hex')}</ETag></Part></CompleteMultipartUpload>`
    const { xml, status } = await exchange(gateway(), {
      ...{ method: 'POST', target: presigned(gateway().host, 'POST', upload), isUnsigned: true },
      ...{ body, headers: { 'content-type': 'application/xml' } },
    })
    assert.equal(status, 200)
    // PeerTube and Strapi read an absolute Location.
    const result = xml.CompleteMultipartUploadResult as Readonly<Record<string, string>>
    assert.equal(result.Location, `http://${gateway().host}${target}`)
    assert.equal(result.Bucket, testBucket)
    assert.equal(result.Key, 'joined')
  })

  it('metadata in the query and as an unsigned header is stored, Content-Disposition too (Rails)', async () => {
    const target = `/${testBucket}/direct`
    const url = presigned(gateway().host, 'PUT', `${target}?x-amz-meta-name=a`)
    const headers = { 'x-amz-meta-name': 'a', 'content-disposition': 'inline' }
    const sent = { method: 'PUT', target: url, headers, body: text, isUnsigned: true }
    assert.equal((await exchange(gateway(), sent)).status, 200)
    const read = await exchange(gateway(), { method: 'HEAD', target })
    assert.equal(read.headers.get('x-amz-meta-name'), 'a')
    assert.equal(read.headers.get('content-disposition'), 'inline')
  })

  it('the checksum of an empty body in a presigned query is ignored (JS SDK)', async () => {
    const query = 'x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32'
    const url = presigned(gateway().host, 'PUT', `/${testBucket}/js?${query}`)
    const sent = { method: 'PUT', target: url, body: text, isUnsigned: true }
    assert.equal((await exchange(gateway(), sent)).status, 200)
  })
})

function presigned(host: string, method: string, target: string): string {
  return presignTarget({ method, target, host, expiresSeconds: 60 }, testCredentials)
}

/** A gateway in the mode that applications made for AWS want. */
async function startForAws(t: TestContext): Promise<GatewayInProcess> {
  return await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
}

test('a bucket is made if it is missing: HEAD is exactly 404, without a body (25 applications)', async (t) => {
  const gateway = await startForAws(t)
  await answer(gateway, { title: '', method: 'HEAD', target: '/new', status: 404 })
  await answer(gateway, put('/new'))
  await answer(gateway, { title: '', method: 'HEAD', target: '/new', status: 200 })
})

for (const [who, configuration] of Object.entries({
  'Frappe, JuiceFS': '<LocationConstraint>us-east-1</LocationConstraint>',
  AppFlowy: '<Bucket><Type>Directory</Type></Bucket>',
})) {
  test(`CreateBucket takes the configuration of ${who}`, async (t) => {
    const body = `<CreateBucketConfiguration>${configuration}</CreateBucketConfiguration>`
    await answer(await startForAws(t), put('/made', { body }))
  })
}

test('DELETE of an absent key is 204, and DELETE again too', async (t) => {
  const gateway = await startForAws(t)
  for (const title of ['once', 'again']) {
    await answer(gateway, { title, method: 'DELETE', target: object, status: 204 })
  }
})
