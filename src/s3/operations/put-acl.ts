import type { HttpReply, HttpRequest } from '../../http/message.ts'
import { readSmallBody } from '../body/small-body.ts'
import { type Reach, reachOfDocument, reachOfHeaders } from '../configuration/acls.ts'
import { changeOptions } from '../configuration/change-options.ts'
import type { BucketContext, NewBucketContext, ObjectContext } from '../context.ts'
import { noSuchKey, S3Error } from '../errors.ts'

/** API reference, AccessControlPolicy: at most 100 grants. */
const maxAclBytes = 64 * 1024

const done: HttpReply = { status: 200, headers: [['Content-Length', '0']] }

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html */
export async function putBucketAcl(context: BucketContext): Promise<HttpReply> {
  const { service, request, configuration } = context
  const reach = await requestedReach(request)
  if (service.acls.mode === 'bucket') await setBucketAcl(context, reach)
  else service.acls.ignore(reach, configuration)
  return done
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html. It has no effect. */
export async function putObjectAcl(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket, configuration, key } = context
  const reach = await requestedReach(request)
  if ((await service.drive.head(bucket, key)) === undefined) throw noSuchKey(key)
  service.acls.ignore(reach, configuration)
  return done
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
 * @throws S3Error AccessControlListNotSupported, InvalidRequest
 */
export async function setBucketAcl(context: NewBucketContext, reach: Reach): Promise<void> {
  if (reach === 'other') {
    throw new S3Error(
      'AccessControlListNotSupported',
      'With ACLS=bucket, the ACL of a bucket is private or public-read.',
    )
  }
  const isPublic = reach === 'public-read'
  await changeOptions(context, { isPublic: isPublic || null })
  const { service, bucket } = context
  if (!isPublic && service.buckets.find(bucket)?.isPublic) {
    throw new S3Error(
      'InvalidRequest',
      `The bucket stays public: PUBLIC_READ_BUCKETS of the gateway names ${bucket}.`,
    )
  }
}
