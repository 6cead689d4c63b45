import { before, describe, it } from 'node:test'
import { publicBucket, useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of } from '../support/test-bytes.ts'
import { answer, exchange, itAnswers, type WireCase } from '../support/wire-case.ts'

const bucket = `/${testBucket}`
const keys = ['a', 'a-b', 'a/a', 'a/d/a', 'a/é', 'b']
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/**
 * docs/contract/object-storage.md, "Bucket operations", "Listing" and
 * "Unsupported sub-resources".
 */
describe('buckets', () => {
  const gateway = useContractGateway()
  before(async () => {
    for (const key of keys) {
      const target = `${bucket}/${encodeURI(key)}`
      await answer(gateway(), { title: '', method: 'PUT', target, body: key, status: 200 })
    }
  })

  it('ListObjects returns every field of an object', async (t) => {
    const { xml } = await answer(gateway(), {
      ...list('', { Name: testBucket, Prefix: '', MaxKeys: '1000', IsTruncated: 'false' }),
    })
    const { Contents } = xml.ListBucketResult as { Contents: Record<string, string>[] }
    t.assert.deepEqual(
      Contents.map(({ Key }) => Key),
      keys,
    )
    const [first] = Contents
    t.assert.equal(first?.ETag, `"${md5Of(Buffer.from('a'))}"`)
    t.assert.equal(first?.Size, '1')
    t.assert.equal(first?.StorageClass, 'STANDARD')
    t.assert.match(first?.LastModified ?? '', isoTime)
  })

  itAnswers(gateway, [
    list('?delimiter=/', {
      Delimiter: '/',
      Contents: [{ Key: 'a' }, { Key: 'a-b' }, { Key: 'b' }],
      CommonPrefixes: { Prefix: 'a/' },
    }),
    list('?prefix=a/&delimiter=/', {
      Prefix: 'a/',
      Contents: [{ Key: 'a/a' }, { Key: 'a/é' }],
      CommonPrefixes: { Prefix: 'a/d/' },
    }),
    list('?prefix=a/', {
      Contents: [{ Key: 'a/a' }, { Key: 'a/d/a' }, { Key: 'a/é' }],
      CommonPrefixes: undefined,
      Delimiter: undefined,
    }),
    list('?delimiter=-', { CommonPrefixes: { Prefix: 'a-' }, Delimiter: '-' }),
    list('?prefix=none', { Prefix: 'none', Contents: undefined, IsTruncated: 'false' }),
    list('?max-keys=2', { MaxKeys: '2', IsTruncated: 'true', NextMarker: undefined }),
    list('?max-keys=2&delimiter=/', { IsTruncated: 'true', NextMarker: 'a-b' }),
    list('?marker=a/é', { Marker: 'a/é', Contents: { Key: 'b' } }),
    list('?max-keys=0', { MaxKeys: '0', IsTruncated: 'false', Contents: undefined }),
    list('?max-keys=5000', { MaxKeys: '1000' }),
    list('?prefix=a/&encoding-type=url&marker=a/d/a', {
      EncodingType: 'url',
      Contents: { Key: 'a/%C3%A9' },
    }),
    list('?list-type=2', { KeyCount: '6', Contents: [{ Owner: undefined }] }),
    list('?list-type=2&fetch-owner=true&max-keys=1', { Contents: { Owner: { ID: 'bucketry' } } }),
    list('?list-type=2&start-after=a/d/a', {
      StartAfter: 'a/d/a',
      Contents: [{ Key: 'a/é' }, { Key: 'b' }],
    }),
  ])

  it('ListObjectsV2 pages to the end, with every page but the last full', async (t) => {
    const pages: string[][] = []
    for (let token = ''; ; ) {
      const page: WireCase = list(`?list-type=2&max-keys=4${token}`, {})
      const result = (await answer(gateway(), page)).xml.ListBucketResult as {
        Contents: { Key: string }[]
        NextContinuationToken?: string
      }
      pages.push(result.Contents.map(({ Key }) => Key))
      if (result.NextContinuationToken === undefined) break
      token = `&continuation-token=${encodeURIComponent(result.NextContinuationToken)}`
    }
    t.assert.deepEqual(pages, [keys.slice(0, 4), keys.slice(4)])
  })

  for (const query of ['max-keys=-1', 'max-keys=x', 'encoding-type=base64', 'list-type=3']) {
    itAnswers(gateway, [
      refused('ListObjects', 'GET', `${bucket}?${query}`, [400, 'InvalidArgument']),
    ])
  }
  itAnswers(gateway, [
    refused('ListObjectsV2', 'GET', `${bucket}?list-type=2&continuation-token=x`, [
      400,
      'InvalidArgument',
    ]),
    refused('ListObjects', 'GET', '/other', [403, 'AccessDenied']),
    refused('ListMultipartUploads', 'GET', '/other?uploads', [403, 'AccessDenied']),
    { ...refused('HeadBucket', 'HEAD', '/other', [403]) },
    refused('ListObjects unsigned', 'GET', bucket, [403, 'AccessDenied'], true),
    refused('HeadBucket unsigned', 'HEAD', bucket, [403], true),
    refused('CreateBucket', 'PUT', bucket, [405, 'MethodNotAllowed']),
    refused('CreateBucket elsewhere', 'PUT', '/other', [403, 'AccessDenied']),
    refused('DeleteBucket', 'DELETE', bucket, [405, 'MethodNotAllowed']),
    refused('PostObject', 'POST', bucket, [405, 'MethodNotAllowed']),
    refused('PATCH', 'PATCH', bucket, [405, 'MethodNotAllowed']),
    {
      title: 'HeadBucket is 200 without a body and names the region',
      method: 'HEAD',
      target: bucket,
      status: 200,
      fields: { 'x-amz-bucket-region': 'us-east-1' },
    },
    {
      title: 'GetBucketLocation is empty for us-east-1',
      method: 'GET',
      target: `${bucket}?location`,
      status: 200,
      fields: { 'content-type': 'application/xml' },
    },
    {
      title: 'ListBuckets lists ALLOWED_BUCKETS in order',
      method: 'GET',
      target: '/',
      status: 200,
      xml: {
        ListAllMyBucketsResult: {
          Buckets: { Bucket: [{ Name: testBucket }, { Name: publicBucket }] },
          Owner: { ID: 'bucketry' },
        },
      },
    },
    refused('ListBuckets unsigned', 'GET', '/', [403, 'AccessDenied'], true),
    {
      title: 'ListObjectVersions lists every object once, as version null',
      method: 'GET',
      target: `${bucket}?versions&max-keys=1`,
      status: 200,
      xml: {
        ListVersionsResult: {
          Version: { Key: 'a', VersionId: 'null', IsLatest: 'true' },
          NextKeyMarker: 'a',
          NextVersionIdMarker: 'null',
        },
      },
    },
  ])

  it('ListMultipartUploads is empty while an upload is open', async () => {
    await exchange(gateway(), { method: 'POST', target: `${bucket}/open?uploads` })
    await answer(gateway(), {
      title: '',
      method: 'GET',
      target: `${bucket}?uploads`,
      status: 200,
      xml: {
        ListMultipartUploadsResult: {
          Bucket: testBucket,
          KeyMarker: '',
          UploadIdMarker: '',
          NextKeyMarker: '',
          NextUploadIdMarker: '',
          MaxUploads: '1000',
          IsTruncated: 'false',
          Upload: undefined,
        },
      },
    })
  })
})

function list(query: string, result: NonNullable<WireCase['xml']>): WireCase {
  const target = `${bucket}${encodeURI(query)}`
  const title = `ListObjects${query.includes('list-type') ? 'V2' : ''} answers ${query || 'no query'}`
  return { title, method: 'GET', target, status: 200, xml: { ListBucketResult: result } }
}

function refused(
  operation: string,
  method: string,
  target: string,
  [status, code]: readonly [number, string?],
  isUnsigned = false,
): WireCase {
  const title = `${operation} is ${status} ${code ?? 'without a body'} for ${method} ${target}`
  return { title, method, target, status, isUnsigned, ...(code === undefined ? {} : { code }) }
}
