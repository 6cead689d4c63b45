import type { HttpReply, HttpRequest } from '../../../platform/http/message.ts'
import { readSmallBody } from '../body/xml-body.ts'
import {
  assertAclsMayOpen,
  type BucketReach,
  bucketReachOf,
  type Reach,
  reachOfDocument,
  reachOfHeaders,
  refusedAcl,
} from '../configuration/acls.ts'
import { changeOptions, refuseFixedAccess } from '../configuration/public-access.ts'
import type { BucketContext, NewBucketContext, ObjectContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { requireObject, versionFields } from '../versions.ts'

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

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html. An accepted ACL has no effect. */
export async function putObjectAcl(context: ObjectContext): Promise<HttpReply> {
  const { service, request, configuration } = context
  const reach = await requestedReach(request)
  const metadata = await requireObject(context)
  service.acls.check(reach, configuration)
  return { ...done, headers: [...versionFields(metadata), ...done.headers] }
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
