import type { HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import type { ObjectMetadata } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { readSmallBody } from '../body/xml-body.ts'
import {
  assertAclsMayOpen,
  type BucketReach,
  bucketReachOf,
  privateInPublic,
  type Reach,
  reachOfDocument,
  reachOfHeaders,
  refusedAcl,
} from '../configuration/acls.ts'
import { changeOptions, isOpenByPolicy, refuseFixedAccess } from '../configuration/public-access.ts'
import type { BucketContext, NewBucketContext, ObjectContext } from '../context.ts'
import { notImplemented, S3Error } from '../errors.ts'
import { xmlReply } from '../reply/xml.ts'
import { changeObject, requireObject, requireReadable, versionFields } from '../versions.ts'
import { accessControlPolicy } from './subresource-defaults.ts'

/** API reference, AccessControlPolicy: at most 100 grants. */
const maxAclBytes = 64 * 1024

const done: HttpReply = { status: 200, headers: [['Content-Length', '0']] }

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html */
export async function putBucketAcl(context: BucketContext): Promise<HttpReply> {
  const { service, request, configuration } = context
  const reach = await requestedReach(request)
  if (service.acls.mode === 'bucket') await setBucketAcl(context, bucketReachOf(reach))
  else service.acls.check(reach, configuration)
  return done
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAcl.html */
export async function getObjectAcl(context: ObjectContext): Promise<HttpReply> {
  const { service, configuration } = context
  const metadata = await requireReadable(context)
  const isPrivate = service.acls.areKeptIn(configuration) && metadata.attributes.isPrivate
  const { root, content } = accessControlPolicy(configuration.isPublic && !isPrivate)
  return xmlReply(root, content, versionFields(metadata))
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html. Only whether the object is private is kept. */
export async function putObjectAcl(context: ObjectContext): Promise<HttpReply> {
  const { service, request, configuration } = context
  const { acls } = service
  const reach = await requestedReach(request)
  const metadata = await requireObject(context)
  const areKept = acls.areKeptIn(configuration)
  acls.check(reach, configuration, areKept)
  const changed = areKept ? await keepAcl(context, metadata, reach) : metadata
  return { ...done, headers: [...versionFields(changed), ...done.headers] }
}

/** @throws S3Error NotImplemented if a bucket policy or the drive prevents the effect */
async function keepAcl(
  context: ObjectContext,
  before: ObjectMetadata,
  reach: Reach,
): Promise<ObjectMetadata> {
  const { configuration, key, query } = context
  const isPrivate = reach === 'owner'
  const read = { policy: 's3:GetObject', key, prefix: undefined } as const
  if (isPrivate && isOpenByPolicy(configuration, { ...read, hasVersion: query.has('versionId') }))
    throw privateInPublic('Its policy lets everyone read the object')
  const isKept = (before.attributes.isPrivate ?? false) === isPrivate
  if (isKept || reach === 'other') return before
  try {
    return await changeObject(context, { isPrivate })
  } catch (error) {
    if (!(error instanceof DriveError) || error.kind !== 'unsupported') throw error
    if (!configuration.isPublic) return before
    throw notImplemented(error.message, { cause: error })
  }
}

async function requestedReach(request: HttpRequest): Promise<Reach> {
  const inHeaders = reachOfHeaders(request.headers)
  const body = await readSmallBody(request, maxAclBytes)
  if (body.length === 0 && inHeaders !== undefined) return inHeaders
  if (body.length === 0) throw new S3Error('MissingSecurityHeader')
  if (inHeaders === undefined) return reachOfDocument(body)
  throw new S3Error('UnexpectedContent')
}

/**
 * Makes the bucket public or private, as the switch of the dashboard does.
 *
 * @throws S3Error InvalidRequest
 */
export async function setBucketAcl(context: NewBucketContext, reach: BucketReach): Promise<void> {
  const { service, bucket, configuration } = context
  const isPublic = reach === 'public-read'
  // It is not stored, so the bucket becomes private again without the setting.
  if (isPublic && service.settings.publicReadBuckets?.includes(bucket)) return
  refuseFixedAccess(context)
  if (isPublic) {
    assertAclsMayOpen(configuration)
    if (configuration?.publicAccessBlock?.restrictPublicBuckets) throw refusedAcl()
  }
  await changeOptions(context, { isPublic: isPublic || null })
}
