import type { Parameter, Schema } from './open-api-types.ts'
import type { S3SchemaName } from './s3-schemas.ts'

/** An S3 operation, as listed in docs/s3-compatibility.md. */
export interface S3Operation {
  readonly name: string
  readonly level: 'service' | 'bucket' | 'object'
  readonly method: 'get' | 'head' | 'put' | 'post' | 'delete' | 'options'
  /** What selects this operation at its path and method; '' for the default. */
  readonly when: string
  readonly summary: string
  readonly parameters?: readonly S3ParameterName[]
  readonly body?: 'bytes' | S3SchemaName
  /** Success statuses with their responses. */
  readonly answers: Readonly<Record<string, S3Answer>>
  /** Whether buckets of PUBLIC_READ_BUCKETS allow it without a signature. */
  readonly isPublic?: true
}

export interface S3Answer {
  readonly description: string
  readonly body?: 'bytes' | S3SchemaName
  readonly headers?: readonly string[]
}

const text: Schema = { type: 'string' }
const count = (maximum: number): Schema => ({ type: 'integer', minimum: 0, maximum })

const query = (description: string, schema: Schema = text) =>
  ({ in: 'query', description, schema }) as const
const header = (description: string) => ({ in: 'header', description, schema: text }) as const

export const s3Parameters = {
  prefix: query('Only keys that begin with it.'),
  delimiter: query('`/` returns folders as CommonPrefixes; without it the listing is recursive.'),
  'list-type': query('`2`: ListObjectsV2.'),
  'max-keys': query('Maximum keys per page.', count(1_000)),
  'start-after': query('Only keys after this one.'),
  'continuation-token': query('NextContinuationToken of the previous page.'),
  'fetch-owner': query('`true`: include the Owner of each entry.'),
  'encoding-type': query('`url`: keys are percent-encoded.'),
  marker: query('Only keys after this one.'),
  uploads: query('Without a value.'),
  location: query('Without a value.'),
  versions: query('Without a value.'),
  delete: query('Without a value.'),
  attributes: query('Without a value.'),
  'max-buckets': query('Maximum buckets per page.', count(10_000)),
  uploadId: query('From CreateMultipartUpload.'),
  partNumber: query('1, 2, 3 …: upload parts in order.', {
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
  }),
  'part-number-marker': query('Only parts after this one.', count(10_000)),
  'max-parts': query('Maximum parts per page.', count(1_000)),
  'response-content-type': query('Content-Type of the response; signed requests only.'),
  'response-content-disposition': query(
    'Content-Disposition of the response; signed requests only.',
  ),
  Range: header('`bytes=0-99`, `bytes=100-`, `bytes=-100`.'),
  'If-Match': header('ETags, or `*`.'),
  'If-None-Match': header('ETags, or `*`.'),
  'If-Modified-Since': header('An HTTP date.'),
  'If-Unmodified-Since': header('An HTTP date.'),
  'Content-Type': header('Stored with the object.'),
  'Content-MD5': header('Verified, base64.'),
  'x-amz-meta-*': header('User metadata, stored with the object.'),
  'x-amz-checksum-*': header('Verified: crc32, crc32c, crc64nvme, sha1 or sha256.'),
  'x-amz-copy-source': header('`/bucket/key`, percent-encoded.'),
  'x-amz-copy-source-range': header('`bytes=0-99`.'),
  'x-amz-metadata-directive': header('`COPY` or `REPLACE`.'),
  'x-amz-object-attributes': header(
    'Attributes to return: ETag, Checksum, ObjectParts, StorageClass, ObjectSize.',
  ),
  Origin: header('Origin of the requesting page.'),
  'Access-Control-Request-Method': header('Method of the actual request.'),
} as const satisfies Readonly<Record<string, Omit<Parameter, 'name'>>>

export type S3ParameterName = keyof typeof s3Parameters

const objectHeaders = ['ETag', 'Content-Length', 'Last-Modified', 'Accept-Ranges', 'Content-Type']
const listed = ['prefix', 'delimiter', 'max-keys', 'encoding-type'] as const
const reads = [
  'Range',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'If-Unmodified-Since',
] as const
const written = ['Content-Type', 'x-amz-meta-*'] as const
const verified = ['Content-MD5', 'x-amz-checksum-*'] as const

/**
 * The first of several operations with the same path and method names the operation in the
 * document.
 */
export const s3Operations: readonly S3Operation[] = [
  {
    ...{ name: 'ListBuckets', level: 'service', method: 'get', when: '' },
    summary: 'The buckets of ALLOWED_BUCKETS',
    parameters: ['prefix', 'max-buckets', 'continuation-token'],
    answers: {
      200: { description: 'The buckets.', body: 'ListAllMyBucketsResult' },
      302: { description: 'Browsers without a signature are redirected to `/-/`.' },
    },
  },
  {
    ...{ name: 'ListObjectsV2', level: 'bucket', method: 'get', when: '`list-type=2`' },
    summary: 'Lists objects and folders',
    parameters: [...listed, 'list-type', 'start-after', 'continuation-token', 'fetch-owner'],
    answers: { 200: { description: 'A page.', body: 'ListBucketResultV2' } },
    isPublic: true,
  },
  {
    ...{ name: 'ListObjects', level: 'bucket', method: 'get', when: '' },
    summary: 'Lists objects and folders, older version',
    parameters: [...listed, 'marker'],
    answers: { 200: { description: 'A page.', body: 'ListBucketResult' } },
    isPublic: true,
  },
  {
    ...{ name: 'ListObjectVersions', level: 'bucket', method: 'get', when: '`versions`' },
    summary: 'Lists every object once, as version `null`',
    parameters: [...listed, 'versions'],
    answers: { 200: { description: 'A page.', body: 'ListVersionsResult' } },
    isPublic: true,
  },
  {
    ...{ name: 'ListMultipartUploads', level: 'bucket', method: 'get', when: '`uploads`' },
    summary: 'Always empty; use `/-/api/uploads` instead',
    parameters: ['uploads'],
    answers: { 200: { description: 'An empty list.', body: 'ListMultipartUploadsResult' } },
    isPublic: true,
  },
  {
    ...{ name: 'GetBucketLocation', level: 'bucket', method: 'get', when: '`location`' },
    summary: 'The region',
    parameters: ['location'],
    answers: { 200: { description: 'REGION; empty for us-east-1.', body: 'LocationConstraint' } },
    isPublic: true,
  },
  {
    ...{ name: 'BucketDefault', level: 'bucket', method: 'get' },
    when: '`versioning`, `acl`, `policy`, `cors`, `lifecycle` …',
    summary: 'Returns what S3 returns when nothing is configured',
    answers: { 200: { description: 'The configuration.', body: 'Configuration' } },
    isPublic: true,
  },
  {
    ...{ name: 'HeadBucket', level: 'bucket', method: 'head', when: '' },
    summary: 'Checks whether the bucket exists',
    answers: { 200: { description: 'The bucket exists.', headers: ['x-amz-bucket-region'] } },
    isPublic: true,
  },
  {
    ...{ name: 'DeleteObjects', level: 'bucket', method: 'post', when: '`delete`' },
    summary: 'Deletes up to 1,000 objects',
    parameters: ['delete', ...verified],
    body: 'Delete',
    answers: { 200: { description: 'The result for each object.', body: 'DeleteResult' } },
  },
  {
    ...{ name: 'GetObject', level: 'object', method: 'get', when: '' },
    summary: 'Returns the content of an object',
    parameters: [...reads, 'partNumber', 'response-content-type', 'response-content-disposition'],
    answers: {
      200: { description: 'The whole object.', body: 'bytes', headers: objectHeaders },
      206: { description: 'A range.', body: 'bytes', headers: [...objectHeaders, 'Content-Range'] },
      304: { description: 'Not modified.' },
    },
    isPublic: true,
  },
  {
    ...{ name: 'ListParts', level: 'object', method: 'get', when: '`uploadId`' },
    summary: 'Lists the parts of an open upload',
    parameters: ['uploadId', 'part-number-marker', 'max-parts'],
    answers: { 200: { description: 'A page.', body: 'ListPartsResult' } },
    isPublic: true,
  },
  {
    ...{ name: 'GetObjectAttributes', level: 'object', method: 'get', when: '`attributes`' },
    summary: 'Returns size, checksum and parts of an object',
    parameters: ['attributes', 'x-amz-object-attributes'],
    answers: {
      200: { description: 'The requested attributes.', body: 'GetObjectAttributesResponse' },
    },
    isPublic: true,
  },
  {
    ...{ name: 'ObjectDefault', level: 'object', method: 'get' },
    when: '`acl`, `tagging`, `retention` …',
    summary: 'Returns what S3 returns when nothing is configured',
    answers: { 200: { description: 'The configuration.', body: 'Configuration' } },
    isPublic: true,
  },
  {
    ...{ name: 'HeadObject', level: 'object', method: 'head', when: '' },
    summary: 'Returns the metadata of an object',
    parameters: reads,
    answers: {
      200: { description: 'The object exists.', headers: objectHeaders },
      206: { description: 'A range of the object.', headers: [...objectHeaders, 'Content-Range'] },
      304: { description: 'Not modified.' },
    },
    isPublic: true,
  },
  {
    ...{ name: 'PutObject', level: 'object', method: 'put', when: '' },
    summary: 'Stores an object',
    parameters: [...written, ...verified, 'If-Match', 'If-None-Match'],
    body: 'bytes',
    answers: { 200: { description: 'Stored on disk.', headers: ['ETag'] } },
  },
  {
    ...{ name: 'CopyObject', level: 'object', method: 'put', when: 'header `x-amz-copy-source`' },
    summary: 'Copies an object on the server',
    parameters: ['x-amz-copy-source', 'x-amz-metadata-directive', ...written],
    answers: { 200: { description: 'The copy.', body: 'CopyObjectResult' } },
  },
  {
    ...{ name: 'UploadPart', level: 'object', method: 'put', when: '`uploadId` and `partNumber`' },
    summary: 'Uploads the next part',
    parameters: ['uploadId', 'partNumber', ...verified],
    body: 'bytes',
    answers: { 200: { description: 'Stored on disk.', headers: ['ETag'] } },
  },
  {
    ...{ name: 'UploadPartCopy', level: 'object', method: 'put' },
    when: '`uploadId`, `partNumber` and header `x-amz-copy-source`',
    summary: 'Copies the next part from an object',
    parameters: ['uploadId', 'partNumber', 'x-amz-copy-source', 'x-amz-copy-source-range'],
    answers: { 200: { description: 'The part.', body: 'CopyPartResult' } },
  },
  {
    ...{ name: 'CreateMultipartUpload', level: 'object', method: 'post', when: '`uploads`' },
    summary: 'Starts a multipart upload',
    parameters: ['uploads', ...written],
    answers: { 200: { description: 'The upload id.', body: 'InitiateMultipartUploadResult' } },
  },
  {
    ...{ name: 'CompleteMultipartUpload', level: 'object', method: 'post', when: '`uploadId`' },
    summary: 'Assembles the parts into an object',
    parameters: ['uploadId', 'If-Match', 'If-None-Match'],
    body: 'CompleteMultipartUpload',
    answers: { 200: { description: 'The object.', body: 'CompleteMultipartUploadResult' } },
  },
  {
    ...{ name: 'DeleteObject', level: 'object', method: 'delete', when: '' },
    summary: 'Deletes an object; 404 if it does not exist',
    parameters: ['If-Match'],
    answers: { 204: { description: 'Deleted.' } },
  },
  {
    ...{ name: 'AbortMultipartUpload', level: 'object', method: 'delete', when: '`uploadId`' },
    summary: 'Aborts an upload and deletes its parts',
    parameters: ['uploadId'],
    answers: { 204: { description: 'The upload and its parts are deleted.' } },
  },
  ...(['bucket', 'object'] as const).map(
    (level): S3Operation => ({
      ...{ name: level === 'bucket' ? 'PreflightBucket' : 'PreflightObject', level },
      ...{ method: 'options', when: '', summary: 'CORS preflight' },
      parameters: ['Origin', 'Access-Control-Request-Method'],
      answers: { 200: { description: 'CORS_ALLOWED_ORIGINS allows the origin.' } },
      isPublic: true,
    }),
  ),
]
