import type { IncomingHttpHeaders } from 'node:http'
import { BucketError, type BucketErrorKind } from '../../buckets/bucket-error.ts'
import type { HttpReply } from '../../http/message.ts'
import { isAllowedRegion } from '../address/region.ts'
import { readSmallBody } from '../body/small-body.ts'
import { childText, parseXmlBody, type XmlElement } from '../body/xml-body.ts'
import { refuseOtherElements } from '../configuration/document-elements.ts'
import type { BucketContext, NewBucketContext, S3Settings } from '../context.ts'
import { headerNotImplemented, invalidArgument, S3Error, type S3ErrorCode } from '../errors.ts'
import { refuseUnsupportedHeaders } from '../headers/unsupported-headers.ts'
import { setBucketAcl } from './put-acl.ts'

/** A document has one element, or tags, which are refused. */
const maxBodyBytes = 64 * 1024

const ownerships = ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter']

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html */
export async function createBucket(context: NewBucketContext): Promise<HttpReply> {
  const { service, request, bucket, configuration } = context
  const { headers } = request
  const acl = service.acls.ofBucket(headers, configuration ?? { name: bucket, isPublic: false })
  refuseUnsupportedHeaders(headers, service.settings.serverSideEncryption)
  refuseBucketHeaders(headers)
  const region = regionOf(await readSmallBody(request, maxBodyBytes), service.settings)
  if (configuration === undefined) await create(context, region)
  else if (!answersExisting(context)) throw new S3Error('BucketAlreadyOwnedByYou')
  if (acl !== undefined) await setBucketAcl(context, acl)
  return {
    status: 200,
    headers: [
      ['Location', `/${bucket}`],
      ['Content-Length', '0'],
    ],
  }
}

async function create(context: NewBucketContext, region: string): Promise<void> {
  const { service, bucket } = context
  try {
    await service.bucketMaker?.create(bucket, region)
  } catch (error) {
    const isOwned = error instanceof BucketError && error.kind === 'exists'
    if (!(isOwned && answersExisting(context))) throw s3ErrorOfBucket(error)
  }
}

/**
 * API reference, BucketAlreadyOwnedByYou: "For legacy compatibility, if you re-create an existing bucket that you
 * already own in the North Virginia Region, Amazon S3 returns 200 OK".
 */
function answersExisting({ service }: NewBucketContext): boolean {
  return service.bucketCreation === 'existing' || service.settings.region === 'us-east-1'
}

/** Objects belong to the one owner whatever the ownership is; Object Lock does not exist. */
function refuseBucketHeaders(headers: IncomingHttpHeaders): void {
  const lock = String(headers['x-amz-bucket-object-lock-enabled'] ?? 'false')
  if (lock.toLowerCase() !== 'false') {
    throw headerNotImplemented('x-amz-bucket-object-lock-enabled')
  }
  const ownership = headers['x-amz-object-ownership']
  if (ownership !== undefined && !ownerships.includes(String(ownership))) {
    const message = `Expected one of ${ownerships.join(', ')}.`
    throw invalidArgument('x-amz-object-ownership', String(ownership), message)
  }
}

/**
 * Whether it is `<Bucket><Type>Directory</Type></Bucket>`. AppFlowy sends that to any server and needs a bucket like any
 * other. A client that wants a directory bucket of AWS also sends a Location with its zone.
 */
function isDirectoryAlone({ name, children }: XmlElement): boolean {
  const [type, ...others] = children
  const isType = type?.name === 'Type' && type.text.trim() === 'Directory'
  return name === 'Bucket' && isType && others.length === 0
}

/**
 * The LocationConstraint; '' for none and for REGION.
 *
 * @throws S3Error MalformedXML, InvalidLocationConstraint, IllegalLocationConstraintException, NotImplemented
 */
function regionOf(body: Buffer, settings: S3Settings): string {
  if (body.length === 0) return ''
  const root = parseXmlBody(body, 'CreateBucketConfiguration')
  refuseOtherElements(root, ['LocationConstraint', 'Location', 'Bucket', 'Tags'])
  const other = root.children.find(
    (child) => child.name !== 'LocationConstraint' && !isDirectoryAlone(child),
  )
  if (other !== undefined) {
    const message = `The element ${other.name} implies functionality that is not implemented.`
    throw new S3Error('NotImplemented', message)
  }
  const constraint = childText(root, 'LocationConstraint')?.trim()
  if (!constraint || constraint === settings.region) return ''
  if (isAllowedRegion(constraint, settings)) return constraint
  if (!/^[A-Za-z0-9-]{1,64}$/.test(constraint)) {
    throw new S3Error('InvalidLocationConstraint', undefined, {
      elements: { LocationConstraint: constraint },
    })
  }
  throw new S3Error(
    'IllegalLocationConstraintException',
    `The ${constraint} location constraint is incompatible for the region specific endpoint this request was sent to.`,
  )
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html. Open uploads do not keep a bucket, as on
 * AWS in a general purpose bucket: they are aborted with it.
 */
export async function deleteBucket({ service, bucket }: BucketContext): Promise<HttpReply> {
  if (service.bucketMaker === undefined) throw new S3Error('MethodNotAllowed')
  try {
    await service.bucketMaker.remove(bucket)
  } catch (error) {
    throw s3ErrorOfBucket(error)
  }
  return { status: 204, headers: [] }
}

const codes: Readonly<Record<BucketErrorKind, S3ErrorCode>> = {
  busy: 'SlowDown',
  exists: 'BucketAlreadyOwnedByYou',
  'folder-exists': 'BucketAlreadyExists',
  'from-settings': 'MethodNotAllowed',
  'invalid-name': 'InvalidBucketName',
  'no-bucket': 'NoSuchBucket',
  'too-many': 'TooManyBuckets',
}

/** The S3 error for a refusal to create or remove a bucket; other errors as they are. */
function s3ErrorOfBucket(error: unknown): unknown {
  if (!(error instanceof BucketError)) return error
  return new S3Error(codes[error.kind], error.message, {
    cause: error,
    ...(error.kind === 'busy' && { headers: { 'Retry-After': '1' } }),
    ...(error.kind === 'from-settings' && { headers: { Allow: 'GET, HEAD, PUT' } }),
  })
}
