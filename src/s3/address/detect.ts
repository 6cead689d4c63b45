import type { IncomingHttpHeaders } from 'node:http'
import { invalidArgument, S3Error, s3Errors } from '../errors.ts'
import { bucketDefaults, objectDefaults } from '../operations/subresource-defaults.ts'
import type { Address } from './address.ts'
import { quoted } from './client-text.ts'
import type { Query } from './query.ts'
import { bucketSubresources, methodOfSubresource, objectSubresources } from './unsupported.ts'

/** Every operation, by its AWS name. BucketDefault and ObjectDefault are the fixed replies. */
export type OperationName =
  | ServiceOperation
  | NewBucketOperation
  | BucketOperation
  | ObjectOperation
export type ServiceOperation = 'ListBuckets'
/** Of a bucket that need not exist. */
export type NewBucketOperation = 'CreateBucket'
export type BucketOperation =
  | 'BucketDefault'
  | 'DeleteBucket'
  | 'DeleteBucketCors'
  | 'DeleteBucketLifecycle'
  | 'DeleteObjects'
  | 'GetBucketCors'
  | 'GetBucketLifecycleConfiguration'
  | 'GetBucketLocation'
  | 'HeadBucket'
  | 'ListMultipartUploads'
  | 'ListObjects'
  | 'ListObjectsV2'
  | 'ListObjectVersions'
  | 'PutBucketCors'
  | 'PutBucketLifecycleConfiguration'
export type ObjectOperation =
  | 'AbortMultipartUpload'
  | 'CompleteMultipartUpload'
  | 'CopyObject'
  | 'CreateMultipartUpload'
  | 'DeleteObject'
  | 'GetObject'
  | 'GetObjectAttributes'
  | 'HeadObject'
  | 'ListParts'
  | 'ObjectDefault'
  | 'PutObject'
  | 'UploadPart'
  | 'UploadPartCopy'

export interface Detectable {
  readonly method: string
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  /** Whether buckets may be created, configured and removed (src/s3/context.ts). */
  readonly bucketCreation: 'off' | 'existing' | 'on'
}

/** Sub-resources of a bucket that can be set. */
const configurations = [
  ['cors', { PUT: 'PutBucketCors', DELETE: 'DeleteBucketCors' }],
  ['lifecycle', { PUT: 'PutBucketLifecycleConfiguration', DELETE: 'DeleteBucketLifecycle' }],
] as const

const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'PUT',
  'POST',
  'DELETE',
  'OPTIONS',
])

/**
 * Refuses a method that S3 does not have, before authentication.
 *
 * @throws S3Error MethodNotAllowed.
 */
export function refuseUnknownMethod(method: string): void {
  if (!knownMethods.has(method)) throw methodNotAllowed([...knownMethods].join(', '))
}

/**
 * The operation that method, address, query and headers request: all of S3's URL grammar.
 *
 * @throws S3Error MethodNotAllowed, NotImplemented, or InvalidArgument for a contradiction.
 */
export function detectOperation(level: Address['level'], request: Detectable): OperationName {
  if (level === 'service') {
    if (request.method === 'GET') return 'ListBuckets'
    throw methodNotAllowed('GET')
  }
  return level === 'bucket' ? detectBucketOperation(request) : detectObjectOperation(request)
}

function detectBucketOperation(request: Detectable): BucketOperation | NewBucketOperation {
  const { method, query, bucketCreation } = request
  if (method === 'HEAD') return 'HeadBucket'
  if (method === 'GET') return detectBucketRead(query)
  if (method === 'POST' && query.has('delete')) return 'DeleteObjects'
  const configuring = detectConfiguring(request)
  if (configuring !== undefined) return configuring
  refuseSubresource(query, bucketSubresources)
  if (method === 'PUT' && bucketCreation !== 'off') return 'CreateBucket'
  if (method === 'DELETE' && bucketCreation === 'on') return 'DeleteBucket'
  throw methodNotAllowed(allowedOf[bucketCreation], settingFor[method])
}

/** What the operator can set, in the message. */
const settingFor: Readonly<Record<string, string>> = {
  PUT: 'To allow this, set BUCKET_CREATION=existing (for buckets that exist) or BUCKET_CREATION=on on the gateway.',
  DELETE: 'To allow this, set BUCKET_CREATION=on on the gateway.',
}

const allowedOf = {
  off: 'GET, HEAD',
  existing: 'GET, HEAD, PUT',
  on: 'GET, HEAD, PUT, DELETE',
} as const

function detectConfiguring({
  method,
  query,
  bucketCreation,
}: Detectable): BucketOperation | undefined {
  if (method !== 'PUT' && method !== 'DELETE') return undefined
  const found = configurations.find(([name]) => query.has(name))
  if (found === undefined || bucketCreation === 'on') return found?.[1][method]
  throw notImplemented(found[0], settingFor.DELETE)
}

function detectBucketRead(query: Query): BucketOperation {
  if (query.has('uploads')) return 'ListMultipartUploads'
  if (query.has('location')) return 'GetBucketLocation'
  if (query.has('versions')) return 'ListObjectVersions'
  if (query.has('cors')) return 'GetBucketCors'
  if (query.has('lifecycle')) return 'GetBucketLifecycleConfiguration'
  if (hasDefault(query, bucketDefaults)) return 'BucketDefault'
  refuseSubresource(query, bucketSubresources)
  const listType = query.get('list-type')
  if (listType === undefined) return 'ListObjects'
  if (listType === '2') return 'ListObjectsV2'
  throw invalidArgument('list-type', listType, `list-type must be 2, got ${quoted(listType)}.`)
}

function detectObjectOperation(request: Detectable): ObjectOperation {
  const { method, query } = request
  if (method === 'HEAD') return 'HeadObject'
  refuseOtherMethod(method, query)
  switch (method) {
    case 'GET':
      return detectObjectRead(query)
    case 'PUT':
      return detectObjectWrite(request)
    case 'DELETE':
      if (query.has('uploadId')) return 'AbortMultipartUpload'
      refuseSubresource(query, objectSubresources)
      return 'DeleteObject'
    default:
      if (query.has('uploads')) return 'CreateMultipartUpload'
      if (query.has('uploadId')) return 'CompleteMultipartUpload'
      refuseSubresource(query, objectSubresources)
      throw methodNotAllowed('GET, HEAD, PUT, DELETE')
  }
}

function detectObjectRead(query: Query): ObjectOperation {
  if (query.size === 0) return 'GetObject'
  if (query.has('uploadId')) return 'ListParts'
  if (query.has('attributes')) return 'GetObjectAttributes'
  if (hasDefault(query, objectDefaults)) return 'ObjectDefault'
  refuseSubresource(query, objectSubresources)
  return 'GetObject'
}

function detectObjectWrite({ query, headers }: Detectable): ObjectOperation {
  const isCopy = headers['x-amz-copy-source'] !== undefined
  if (query.has('uploadId') !== query.has('partNumber')) {
    const missing = query.has('uploadId') ? 'partNumber' : 'uploadId'
    throw new S3Error(
      'InvalidArgument',
      `A part needs both uploadId and partNumber; ${missing} is missing.`,
    )
  }
  if (query.has('uploadId')) return isCopy ? 'UploadPartCopy' : 'UploadPart'
  refuseSubresource(query, objectSubresources)
  return isCopy ? 'CopyObject' : 'PutObject'
}

function hasDefault(query: Query, defaults: Readonly<Record<string, unknown>>): boolean {
  for (const name of query.keys()) if (Object.hasOwn(defaults, name)) return true
  return false
}

function refuseOtherMethod(method: string, query: Query): void {
  for (const name of query.keys()) {
    const allow = methodOfSubresource.get(name)
    if (allow !== undefined && allow !== method) throw methodNotAllowed(allow)
  }
}

function refuseSubresource(query: Query, subresources: ReadonlySet<string>): void {
  for (const name of query.keys()) {
    if (subresources.has(name)) throw notImplemented(name)
  }
}

function notImplemented(subresource: string, hint = ''): S3Error {
  const message = `The sub-resource ?${subresource} is not implemented for this method. ${hint}`
  return new S3Error('NotImplemented', message.trimEnd())
}

function methodNotAllowed(allow: string, hint = ''): S3Error {
  const message = `${s3Errors.MethodNotAllowed[1]} ${hint}`
  return new S3Error('MethodNotAllowed', message.trimEnd(), { headers: { Allow: allow } })
}
