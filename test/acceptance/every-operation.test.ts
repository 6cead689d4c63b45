/** Sends every operation of the operation table to a gateway: its success and its main refusal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperationName, operations } from '../../src/storage/s3/operations.ts'
import { type GatewayInProcess, startGatewayInProcess } from '../support/gateway-in-process.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import {
  type Behavior,
  documentBehaviors,
  get,
  lockBehaviors,
  lockedObject,
  type Request,
  refused,
} from '../support/operation-behaviors.ts'
import { type FormToPost, formRequest } from '../support/post-form.ts'
import { md5Of } from '../support/test-bytes.ts'
import { answer, type Xml } from '../support/wire-case.ts'

const bucket = `/${testBucket}`
const otherBucket = '/other'
const object = `${bucket}/object`
const missing = `${bucket}/missing`
const etag = `"${md5Of(Buffer.from('bytes'))}"`

const copyOf = (source: string, target: string, xml: Xml): Request => ({
  ...{ method: 'PUT', target, status: 200, xml },
  headers: { 'x-amz-copy-source': source },
})
const withAcl = (target: string, acl: string): Request => ({
  ...{ method: 'PUT', target: `${target}?acl`, headers: { 'x-amz-acl': acl }, status: 200 },
})
const completion = (part: string): string =>
  '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>' +
  `<ETag>${part}</ETag></Part></CompleteMultipartUpload>`

/**
 * Each gateway has CORS and lifecycle rules for its bucket, none for the other and the made buckets `made` and `locked`, the
 * object `object` with the bytes `bytes`, and the upload `upload` with the same bytes as part 1.
 */
type BehaviorOf = (upload: string) => Behavior

const corsRule = {
  AllowedMethod: 'GET',
  AllowedOrigin: 'https://app.example',
}
const cors = `<CORSConfiguration><CORSRule><AllowedMethod>${corsRule.AllowedMethod}</AllowedMethod><AllowedOrigin>${corsRule.AllowedOrigin}</AllowedOrigin></CORSRule></CORSConfiguration>`
const lifecycle = (action: string) =>
  `<LifecycleConfiguration><Rule><ID>old</ID><Filter><Prefix>old/</Prefix></Filter><Status>Enabled</Status>${action}</Rule></LifecycleConfiguration>`

const encryption = (algorithm: string) =>
  '<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>' +
  `<SSEAlgorithm>${algorithm}</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>`

/** One entry for each operation: an operation without one does not compile. */
const behaviors: Readonly<Record<OperationName, BehaviorOf>> = {
  ListBuckets: () => ({
    success: get('/', {
      ListAllMyBucketsResult: {
        Buckets: {
          Bucket: ['locked', 'made', 'other', testBucket].map((Name) => ({ Name })),
        },
      },
    }),
    refusal: { ...refused(get('/'), 403, 'AccessDenied'), isUnsigned: true },
  }),
  BucketDefault: () => ({
    success: get(`${bucket}?logging`, { BucketLoggingStatus: {} }),
    refusal: refused(get(`${bucket}?policy`), 404, 'NoSuchBucketPolicy'),
  }),
  CreateBucket: () => {
    const put = (target: string) => ({ method: 'PUT', target, status: 200 })
    return {
      success: { ...put('/created'), text: '', fields: { location: '/created' } },
      refusal: refused(put('/Not-Valid'), 400, 'InvalidBucketName'),
    }
  },
  DeleteBucket: () => {
    const remove = (target: string) => ({ method: 'DELETE', target, status: 204 })
    return {
      success: { ...remove('/made'), text: '' },
      refusal: refused(remove(bucket), 405, 'MethodNotAllowed'),
    }
  },
  DeleteBucketCors: () => ({
    success: { method: 'DELETE', target: `${bucket}?cors`, status: 204, text: '' },
    refusal: {
      ...{ method: 'DELETE', target: `${bucket}?cors`, isUnsigned: true },
      ...{ status: 403, code: 'AccessDenied' },
    },
  }),
  DeleteBucketLifecycle: () => ({
    success: { method: 'DELETE', target: `${bucket}?lifecycle`, status: 204, text: '' },
    refusal: {
      ...{ method: 'DELETE', target: `${bucket}?lifecycle`, isUnsigned: true },
      ...{ status: 403, code: 'AccessDenied' },
    },
  }),
  DeleteObjects: () => {
    const request = (body: string) => ({
      ...{ method: 'POST', target: `${bucket}?delete`, status: 200, body },
      headers: { 'content-md5': Buffer.from(md5Of(Buffer.from(body)), 'hex').toString('base64') },
      xml: { DeleteResult: { Deleted: { Key: 'object' } } },
    })
    return {
      success: request('<Delete><Object><Key>object</Key></Object></Delete>'),
      refusal: refused(request('<Delete></Delete>'), 400, 'MalformedXML'),
    }
  },
  GetBucketCors: () => ({
    success: get(`${bucket}?cors`, { CORSConfiguration: { CORSRule: corsRule } }),
    refusal: refused(get(`${otherBucket}?cors`), 404, 'NoSuchCORSConfiguration'),
  }),
  GetBucketLifecycleConfiguration: () => ({
    success: get(`${bucket}?lifecycle`, {
      LifecycleConfiguration: { Rule: { ID: 'kept', Filter: '', Expiration: { Days: '30' } } },
    }),
    refusal: refused(get(`${otherBucket}?lifecycle`), 404, 'NoSuchLifecycleConfiguration'),
  }),
  GetBucketLocation: () => ({
    success: get(`${bucket}?location`, { LocationConstraint: {} }),
    refusal: { ...refused(get(`${bucket}?location`), 403, 'AccessDenied'), isUnsigned: true },
  }),
  HeadBucket: () => ({
    success: { ...get(bucket), method: 'HEAD', fields: { 'x-amz-bucket-region': 'us-east-1' } },
    refusal: { method: 'HEAD', target: bucket, status: 403, isUnsigned: true },
  }),
  ListMultipartUploads: () => ({
    success: get(`${bucket}?uploads`, { ListMultipartUploadsResult: { Bucket: testBucket } }),
    refusal: refused(get(`${bucket}?uploads&max-uploads=x`), 400, 'InvalidArgument'),
  }),
  ListObjects: () => ({
    success: get(bucket, { ListBucketResult: { Contents: { Key: 'object', ETag: etag } } }),
    refusal: refused(get(`${bucket}?max-keys=-1`), 400, 'InvalidArgument'),
  }),
  ListObjectsV2: () => ({
    success: get(`${bucket}?list-type=2`, {
      ListBucketResult: { KeyCount: '1', Contents: { Key: 'object', ETag: etag } },
    }),
    refusal: refused(get(`${bucket}?list-type=2&continuation-token=x`), 400, 'InvalidArgument'),
  }),
  ListObjectVersions: () => ({
    success: get(`${bucket}?versions`, {
      ListVersionsResult: { Version: { Key: 'object', VersionId: 'null', IsLatest: 'true' } },
    }),
    refusal: refused(get(`${bucket}?versions&max-keys=x`), 400, 'InvalidArgument'),
  }),
  ...lockBehaviors,
  ...documentBehaviors,
  PutBucketAcl: () => ({
    success: withAcl(bucket, 'public-read'),
    refusal: refused(withAcl(bucket, 'open'), 400, 'InvalidArgument'),
  }),
  PutBucketEncryption: () => {
    const put = (algorithm: string) => ({
      ...{
        method: 'PUT',
        target: `${bucket}?encryption`,
        body: encryption(algorithm),
        status: 200,
      },
    })
    return {
      success: put('AES256'),
      refusal: refused(put('aws:kms'), 501, 'NotImplemented'),
    }
  },
  DeleteBucketEncryption: () => {
    const success = { method: 'DELETE', target: `${bucket}?encryption`, status: 204 }
    return { success, refusal: { ...refused(success, 403, 'AccessDenied'), isUnsigned: true } }
  },
  PutObjectAcl: () => ({
    success: withAcl(object, 'public-read'),
    refusal: refused(withAcl(missing, 'private'), 404, 'NoSuchKey'),
  }),
  PutBucketCors: () => {
    const put = (body: string) => ({ method: 'PUT', target: `${bucket}?cors`, body, status: 200 })
    return {
      success: { ...put(cors), text: '' },
      refusal: refused(put('<CORSConfiguration/>'), 400, 'MalformedXML'),
    }
  },
  PutBucketLifecycleConfiguration: () => {
    const put = (body: string) => ({
      ...{ method: 'PUT', target: `${bucket}?lifecycle`, body, status: 200 },
    })
    return {
      success: { ...put(lifecycle('<Expiration><Days>1</Days></Expiration>')), text: '' },
      refusal: refused(put(lifecycle('<Transition/>')), 501, 'NotImplemented'),
    }
  },
  AbortMultipartUpload: (upload) => ({
    success: { method: 'DELETE', target: `${object}?uploadId=${upload}`, status: 204, text: '' },
    refusal: {
      ...{ method: 'DELETE', target: `${object}?uploadId=none` },
      ...{ status: 404, code: 'NoSuchUpload' },
    },
  }),
  CompleteMultipartUpload: (upload) => {
    const complete = (body: string): Request => ({
      ...{ method: 'POST', target: `${object}?uploadId=${upload}`, status: 200, body },
      xml: { CompleteMultipartUploadResult: { Bucket: testBucket, Key: 'object' } },
    })
    return {
      success: complete(completion(etag)),
      refusal: refused(complete(completion('"other"')), 400, 'InvalidPart'),
    }
  },
  CopyObject: () => ({
    success: copyOf(object, `${bucket}/copy`, { CopyObjectResult: { ETag: etag } }),
    refusal: refused(copyOf(missing, `${bucket}/copy`, {}), 404, 'NoSuchKey'),
  }),
  CreateMultipartUpload: () => ({
    success: {
      ...{ method: 'POST', target: `${object}?uploads`, status: 200 },
      xml: { InitiateMultipartUploadResult: { Bucket: testBucket, Key: 'object' } },
    },
    refusal: {
      ...{ method: 'POST', target: `${bucket}/${'k'.repeat(1025)}?uploads` },
      ...{ status: 400, code: 'KeyTooLongError' },
    },
  }),
  DeleteObject: () => ({
    success: { method: 'DELETE', target: object, status: 204, text: '' },
    refusal: { method: 'DELETE', target: missing, status: 404, code: 'NoSuchKey' },
  }),
  GetObject: () => ({
    success: { ...get(object), text: 'bytes', fields: { etag } },
    refusal: refused(get(missing), 404, 'NoSuchKey'),
  }),
  GetObjectAttributes: () => {
    const success: Request = {
      ...get(`${object}?attributes`, { GetObjectAttributesResponse: { ObjectSize: '5' } }),
      headers: { 'x-amz-object-attributes': 'ObjectSize' },
    }
    return { success, refusal: refused({ ...success, headers: {} }, 400, 'InvalidArgument') }
  },
  HeadObject: () => ({
    success: {
      method: 'HEAD',
      target: object,
      status: 200,
      fields: { etag, 'content-length': '5' },
    },
    refusal: { method: 'HEAD', target: missing, status: 404 },
  }),
  ListParts: (upload) => ({
    success: get(`${object}?uploadId=${upload}`, {
      ListPartsResult: { UploadId: upload, Part: { PartNumber: '1', ETag: etag, Size: '5' } },
    }),
    refusal: refused(get(`${object}?uploadId=none`), 404, 'NoSuchUpload'),
  }),
  DeleteObjectTagging: () => {
    const remove = (target: string) => ({
      method: 'DELETE',
      target: `${target}?tagging`,
      status: 204,
    })
    const refusal = refused(remove(missing), 404, 'NoSuchKey')
    return { success: { ...remove(object), text: '' }, refusal, settings: { COMPATIBILITY: 'aws' } }
  },
  GetObjectTagging: () => ({
    success: get(`${object}?tagging`, { Tagging: { TagSet: '' } }),
    refusal: refused(get(`${missing}?tagging`), 404, 'NoSuchKey'),
  }),
  GetObjectAcl: () => ({
    success: get(`${object}?acl`, { AccessControlPolicy: { Owner: { ID: 'bucketry' } } }),
    refusal: refused(get(`${missing}?acl`), 404, 'NoSuchKey'),
  }),
  PutObjectTagging: () => {
    const put = (tag: string) => ({
      ...{ method: 'PUT', target: `${object}?tagging`, status: 200 },
      body: `<Tagging><TagSet>${tag}</TagSet></Tagging>`,
    })
    return {
      success: { ...put('<Tag><Key>k</Key><Value>v</Value></Tag>'), text: '' },
      refusal: refused(put('<Tag><Key/><Value>v</Value></Tag>'), 400, 'InvalidTag'),
      settings: { COMPATIBILITY: 'aws' },
    }
  },
  PostObject: () => {
    const form = (fields: FormToPost['fields']): Request => ({
      ...formRequest({ bucket: testBucket, fields }, testCredentials),
      ...{ isUnsigned: true, status: 201 },
    })
    const fields = [
      ['key', 'object'],
      ['success_action_status', '201'],
    ] as const
    return {
      success: { ...form(fields), fields: { etag, location: /\/photos\/object$/ } },
      refusal: {
        ...{ ...form([...fields, ['if-none-match', '*']]), status: 412 },
        code: 'PreconditionFailed',
      },
      settings: { COMPATIBILITY: 'aws' },
    }
  },
  PutObject: () => ({
    success: { method: 'PUT', target: object, body: 'bytes', status: 200, fields: { etag } },
    refusal: {
      ...{ method: 'PUT', target: object, body: 'bytes', status: 412, code: 'PreconditionFailed' },
      headers: { 'if-none-match': '*' },
    },
  }),
  UploadPart: (upload) => {
    const part = (query: string): Request => ({
      ...{ method: 'PUT', target: `${object}?${query}`, body: 'bytes', status: 200 },
      fields: { etag },
    })
    return {
      success: part(`partNumber=2&uploadId=${upload}`),
      refusal: refused(part('partNumber=2&uploadId=none'), 404, 'NoSuchUpload'),
    }
  },
  UploadPartCopy: (upload) => {
    const target = `${object}?partNumber=2&uploadId=${upload}`
    return {
      success: copyOf(object, target, { CopyPartResult: { ETag: etag } }),
      refusal: refused(copyOf(missing, target, {}), 404, 'NoSuchKey'),
    }
  },
}

test('the table of behaviors has every operation that the gateway serves', () => {
  assert.deepEqual(Object.keys(behaviors).sort(), Object.keys(operations).sort())
})

for (const [name, behaviorOf] of Object.entries(behaviors)) {
  test(`${name} succeeds and refuses`, async (t) => {
    const { settings } = behaviorOf('')
    const gateway = await startGatewayInProcess(t, {
      ...settings,
      ...{ LOG_LEVEL: 'debug', BUCKET_CREATION: 'on', ALLOWED_BUCKETS: `${testBucket},other` },
      ...{ ACLS: 'ignore', SERVER_SIDE_ENCRYPTION: 'claim' },
      ...(settings?.COMPATIBILITY === 'aws' && { WEBSITE_DOMAINS: 'web.example.net' }),
    })
    const { success, refusal } = behaviorOf(await fill(gateway))
    const requestIds = []
    for (const request of [refusal, success]) {
      const { headers } = await answer(gateway, { ...request, title: name })
      requestIds.push(headers.get('x-amz-request-id'))
    }
    // The log names the operation that ran: an entry cannot test another one by mistake.
    for (const id of requestIds) {
      const line = await t.waitFor(() => {
        const found = gateway.lines.find((line) => line.requestId === id && 'status' in line)
        assert.ok(found)
        return found
      })
      assert.equal(line.operation, name)
    }
  })
}

/** Sets the rules, writes the object, and begins the upload; returns its id. */
async function fill(gateway: GatewayInProcess): Promise<string> {
  const kept =
    '<LifecycleConfiguration><Rule><ID>kept</ID><Filter/><Status>Enabled</Status>' +
    '<Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>'
  for (const [name, body] of [
    ['cors', cors],
    ['lifecycle', kept],
  ] as const) {
    const target = `${bucket}?${name}`
    await answer(gateway, { title: '', method: 'PUT', target, body, status: 200 })
  }
  await answer(gateway, { title: '', method: 'PUT', target: '/made', status: 200 })
  for (const request of lockedObject) await answer(gateway, { title: '', ...request })
  const put = { title: '', method: 'PUT', target: object, body: 'bytes', status: 200 }
  await answer(gateway, put)
  const created = { title: '', method: 'POST', target: `${object}?uploads`, status: 200 }
  const { xml } = await answer(gateway, created)
  const { UploadId } = xml.InitiateMultipartUploadResult as { UploadId: string }
  await answer(gateway, { ...put, target: `${object}?partNumber=1&uploadId=${UploadId}` })
  return UploadId
}
