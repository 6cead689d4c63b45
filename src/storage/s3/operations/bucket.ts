import type { IncomingHttpHeaders } from 'node:http'
import type { HttpReply } from '../../../platform/http/message.ts'
import { BucketError, type BucketErrorKind } from '../../buckets/bucket-changes.ts'
import type { Tags } from '../../drives/attributes.ts'
import { isAllowedRegion, regionOfBucket } from '../address/region.ts'
import {
  childText,
  onlyChild,
  parseXmlBody,
  readSmallBody,
  refuseOtherElements,
  type XmlElement,
} from '../body/xml-body.ts'
import { ownerships } from '../configuration/access-documents.ts'
import { changeOptions, keepsDocuments } from '../configuration/public-access.ts'
import { bucketTagLimits, checkedTags, parseTag } from '../configuration/tagging-document.ts'
import type { BucketContext, NewBucketContext, S3Service, S3Settings } from '../context.ts'
import { invalidArgument, notImplemented, S3Error, type S3ErrorCode } from '../errors.ts'
import { refuseUnsupportedHeaders } from '../headers/unsupported-headers.ts'
import { xmlReply } from '../reply/xml.ts'
import { setBucketAcl } from './put-acl.ts'

const lockField = 'x-amz-bucket-object-lock-enabled'

/** A document contains a location and tags. */
const maxBodyBytes = 64 * 1024

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html */
export async function createBucket(context: NewBucketContext): Promise<HttpReply> {
  const { service, request, bucket, configuration } = context
  const { headers } = request
  const acl = service.acls.ofBucket(headers, configuration ?? { name: bucket, isPublic: false })
  refuseUnsupportedHeaders(headers, service.settings.serverSideEncryption)
  const objectOwnership = ownershipOf(headers)
  const isLocked = isLockedBy(headers)
  const { region, tags } = readConfiguration(await readSmallBody(request, maxBodyBytes), service)
  const isNew = configuration === undefined && (await create(context, region))
  if (configuration !== undefined && !answersExisting(context, region)) throw ownedByYou()
  if (isLocked) await lock(context, isNew)
  if (acl !== undefined) await setBucketAcl(context, acl)
  if (keepsDocuments(service.compatibility) && (tags ?? objectOwnership) !== undefined) {
    await changeOptions(context, {
      ...(tags && { tags }),
      ...(objectOwnership && { objectOwnership }),
    })
  }
  return {
    status: 200,
    headers: [
      ['Location', `/${bucket}`],
      ['Content-Length', '0'],
    ],
  }
}

/** False if the bucket exists already. */
async function create(context: NewBucketContext, region: string): Promise<boolean> {
  const { service, bucket } = context
  try {
    await service.bucketMaker?.create(bucket, region)
    return true
  } catch (error) {
    const isOwned = error instanceof BucketError && error.kind === 'exists'
    if (isOwned && answersExisting(context, region)) return false
    throw s3ErrorOfBucket(error)
  }
}

/** Turns Object Lock on. A bucket that exists must have it already: its owner has to decide. */
async function lock({ service, bucket }: NewBucketContext, isNew: boolean): Promise<void> {
  const { versioning, bucketMaker, drive } = service
  if (!isNew) {
    if (service.buckets.find(bucket)?.objectLock === undefined) throw ownedByYou()
    return
  }
  try {
    await versioning?.lock(bucket, {}, { drive, enablesVersions: true })
  } catch (error) {
    // Nothing is in it yet. A bucket that remains has no versions, and the client learns that it failed.
    await bucketMaker?.remove(bucket).catch(() => undefined)
    throw s3ErrorOfBucket(error)
  }
}

function ownedByYou(): S3Error {
  return new S3Error('BucketAlreadyOwnedByYou')
}

/**
 * API reference, BucketAlreadyOwnedByYou: "For legacy compatibility, if you re-create an existing bucket that you
 * already own in the North Virginia Region, Amazon S3 returns 200 OK".
 */
function answersExisting({ service, configuration }: NewBucketContext, asked: string): boolean {
  const { region } = service.settings
  const regions = [asked || region, configuration?.region ?? region]
  return service.bucketCreation === 'existing' || regions.every((one) => one === 'us-east-1')
}

/** Whether Object Lock is requested. @throws S3Error InvalidArgument */
function isLockedBy({ [lockField]: value = 'false' }: IncomingHttpHeaders): boolean {
  const text = String(value).toLowerCase()
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidArgument(lockField, String(value), 'Expected true or false.')
}

/** Objects belong to the only owner regardless of the ownership. */
function ownershipOf(headers: IncomingHttpHeaders): string | undefined {
  const ownership = headers['x-amz-object-ownership']
  if (ownership === undefined || ownerships.has(String(ownership)))
    return ownership && String(ownership)
  const message = `Expected one of ${[...ownerships].join(', ')}.`
  throw invalidArgument('x-amz-object-ownership', String(ownership), message)
}

/**
 * Whether the element is `<Bucket><Type>Directory</Type></Bucket>`. AppFlowy sends it to every server and needs an
 * ordinary bucket. A client that wants a directory bucket of AWS also sends a Location with a zone.
 */
function isDirectoryAlone({ name, children }: XmlElement): boolean {
  const [type, ...others] = children
  const isType = type?.name === 'Type' && type.text.trim() === 'Directory'
  return name === 'Bucket' && isType && others.length === 0
}

interface NewBucket {
  /** The LocationConstraint; '' for none and for REGION. */
  readonly region: string
  readonly tags?: Tags
}

/**
 * Reads a CreateBucketConfiguration.
 *
 * @throws S3Error MalformedXML, InvalidLocationConstraint, IllegalLocationConstraintException, NotImplemented; for tags
 *   as `parseTagging`
 */
function readConfiguration(body: Buffer, { settings, compatibility }: S3Service): NewBucket {
  if (body.length === 0) return { region: '' }
  const root = parseXmlBody(body, 'CreateBucketConfiguration')
  refuseOtherElements(root, ['LocationConstraint', 'Location', 'Bucket', 'Tags'])
  const known = ['LocationConstraint', ...(keepsDocuments(compatibility) ? ['Tags'] : [])]
  const other = root.children.find(
    (child) => !known.includes(child.name) && !isDirectoryAlone(child),
  )
  if (other !== undefined) {
    throw notImplemented(`the element ${other.name}`)
  }
  const tags = onlyChild(root, 'Tags')?.children.map(parseTag)
  return {
    region: regionOf(childText(root, 'LocationConstraint')?.trim(), settings),
    ...(tags && { tags: checkedTags(tags, bucketTagLimits) }),
  }
}

function regionOf(constraint: string | undefined, settings: S3Settings): string {
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
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html. Open uploads do not prevent it, as for a
 * general purpose bucket of AWS: they are aborted.
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
  'no-versions': 'NotImplemented',
  'wrong-state': 'InvalidBucketState',
  'too-many': 'TooManyBuckets',
}

/** Returns the S3 error for a refusal to create, change or remove a bucket, and other errors unchanged. */
export function s3ErrorOfBucket(error: unknown): unknown {
  if (!(error instanceof BucketError)) return error
  if (error.kind === 'no-versions') return notImplemented(error.message, { cause: error })
  return new S3Error(codes[error.kind], error.message, {
    cause: error,
    ...(error.kind === 'busy' && { headers: { 'Retry-After': '1' } }),
    ...(error.kind === 'from-settings' && { headers: { Allow: 'GET, HEAD, PUT' } }),
  })
}

/**
 * See https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html. 200 means that the bucket is
 * configured and accessible, so this reads the drive
 * (docs/contract/object-storage.md, "Bucket operations").
 */
export async function headBucket(context: BucketContext): Promise<HttpReply> {
  const { service, bucket } = context
  await service.drive.bucketCreatedAtMs(bucket)
  return {
    status: 200,
    headers: [
      ['x-amz-bucket-region', regionOfBucket(context)],
      ['x-amz-access-point-alias', 'false'],
      ['Content-Type', 'application/xml'],
    ],
  }
}

/** The region for which S3 sends an empty element. */
const namelessRegion = 'us-east-1'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html */
export async function getBucketLocation(context: BucketContext): Promise<HttpReply> {
  const region = regionOfBucket(context)
  return xmlReply('LocationConstraint', region === namelessRegion ? '' : region)
}
