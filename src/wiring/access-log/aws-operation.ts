import type { HttpRequest } from '../../http/message.ts'
import { parseAddress } from '../../s3/address/address.ts'
import { detectOperation, type OperationName } from '../../s3/address/detect.ts'
import { parseQuery, refuseManyParameters } from '../../s3/address/query.ts'

/**
 * `REST.HTTP_method.resource_type` for each operation (AWS, "Amazon S3 server access log format"). AWS
 * publishes no complete list: the names are those of its examples and of real logs, and where there is
 * none, its pattern with the name of the sub-resource.
 */
const awsNames: Readonly<Record<OperationName, string | SubresourceNames>> = {
  ListBuckets: 'REST.GET.SERVICE',
  BucketDefault: {
    accelerate: 'REST.GET.ACCELERATE',
    acl: 'REST.GET.ACL',
    analytics: 'REST.GET.ANALYTICS',
    encryption: 'REST.GET.ENCRYPTION',
    'intelligent-tiering': 'REST.GET.INTELLIGENT_TIERING',
    inventory: 'REST.GET.INVENTORY',
    logging: 'REST.GET.LOGGING_STATUS',
    metrics: 'REST.GET.METRICS',
    notification: 'REST.GET.NOTIFICATION',
    'object-lock': 'REST.GET.OBJECT_LOCK_CONFIGURATION',
    ownershipControls: 'REST.GET.OWNERSHIP_CONTROLS',
    policy: 'REST.GET.BUCKETPOLICY',
    policyStatus: 'REST.GET.POLICY_STATUS',
    publicAccessBlock: 'REST.GET.PUBLIC_ACCESS_BLOCK',
    replication: 'REST.GET.REPLICATION',
    requestPayment: 'REST.GET.REQUEST_PAYMENT',
    tagging: 'REST.GET.TAGGING',
    versioning: 'REST.GET.VERSIONING',
    website: 'REST.GET.WEBSITE',
  },
  CreateBucket: 'REST.PUT.BUCKET',
  DeleteBucket: 'REST.DELETE.BUCKET',
  DeleteBucketCors: 'REST.DELETE.CORS',
  DeleteBucketLifecycle: 'REST.DELETE.LIFECYCLE',
  DeleteObjects: 'REST.POST.MULTI_OBJECT_DELETE',
  GetBucketCors: 'REST.GET.CORS',
  GetBucketLifecycleConfiguration: 'REST.GET.LIFECYCLE',
  GetBucketLocation: 'REST.GET.LOCATION',
  HeadBucket: 'REST.HEAD.BUCKET',
  ListMultipartUploads: 'REST.GET.UPLOADS',
  ListObjects: 'REST.GET.BUCKET',
  ListObjectsV2: 'REST.GET.BUCKET',
  ListObjectVersions: 'REST.GET.BUCKETVERSIONS',
  PutBucketCors: 'REST.PUT.CORS',
  PutBucketLifecycleConfiguration: 'REST.PUT.LIFECYCLE',
  AbortMultipartUpload: 'REST.DELETE.UPLOAD',
  CompleteMultipartUpload: 'REST.POST.UPLOAD',
  CopyObject: 'REST.COPY.OBJECT',
  CreateMultipartUpload: 'REST.POST.UPLOADS',
  DeleteObject: 'REST.DELETE.OBJECT',
  GetObject: 'REST.GET.OBJECT',
  GetObjectAttributes: 'REST.GET.OBJECT_ATTRIBUTES',
  HeadObject: 'REST.HEAD.OBJECT',
  ListParts: 'REST.GET.UPLOAD',
  ObjectDefault: {
    acl: 'REST.GET.ACL',
    'legal-hold': 'REST.GET.OBJECT_LOCK_LEGALHOLD',
    retention: 'REST.GET.OBJECT_LOCK_RETENTION',
    tagging: 'REST.GET.OBJECT_TAGGING',
  },
  PutObject: 'REST.PUT.OBJECT',
  UploadPart: 'REST.PUT.PART',
  UploadPartCopy: 'REST.COPY.PART',
}

/** By the query parameter that requests it. */
type SubresourceNames = Readonly<Record<string, string>>

const resources = { service: 'SERVICE', bucket: 'BUCKET', object: 'OBJECT' } as const

export function isS3Operation(name: unknown): name is OperationName {
  return typeof name === 'string' && Object.hasOwn(awsNames, name)
}

/**
 * AWS's name for the operation of a request.
 *
 * @param name undefined when the request was refused before its operation was detected: then it is
 *   what the request asked for, as in AWS.
 */
export function awsOperation(name: OperationName | undefined, request: HttpRequest): string {
  const known = name ?? requestedOperation(request)
  const awsName = known === undefined ? undefined : awsNames[known]
  if (typeof awsName === 'string') return awsName
  return (awsName && subresourceName(awsName, request.rawQuery)) ?? generalName(request)
}

function requestedOperation({ method, rawPath, rawQuery, headers }: HttpRequest) {
  if (method === 'OPTIONS') return undefined
  try {
    refuseManyParameters(rawQuery)
    const query = parseQuery(rawQuery)
    const request = { method, query, headers, bucketCreation: 'on' as const }
    return detectOperation(parseAddress(rawPath).level, request)
  } catch {
    // No operation of S3, or not one of ours.
    return undefined
  }
}

function subresourceName(names: SubresourceNames, rawQuery: string): string | undefined {
  const parameter = [...parseQuery(rawQuery).keys()].find((one) => Object.hasOwn(names, one))
  return parameter === undefined ? undefined : names[parameter]
}

function generalName({ method, rawPath }: HttpRequest): string {
  if (method === 'OPTIONS') return 'REST.OPTIONS.PREFLIGHT'
  return `REST.${method}.${resources[levelOf(rawPath)]}`
}

function levelOf(rawPath: string): keyof typeof resources {
  try {
    return parseAddress(rawPath).level
  } catch {
    return rawPath.indexOf('/', 1) < 0 ? 'bucket' : 'object'
  }
}
