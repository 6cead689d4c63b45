import type { HttpReply } from '../../../platform/http/message.ts'
import { isAuthorized } from '../../access/authorize.ts'
import type { AttributeChange, Attributes } from '../../drives/attributes.ts'
import { readSmallBody } from '../body/xml-body.ts'
import {
  objectLockContent,
  parseLegalHold,
  parseObjectLock,
  parseRetention,
  retentionContent,
} from '../configuration/object-lock-document.ts'
import type { BucketContext, ObjectContext } from '../context.ts'
import { notImplemented, S3Error, withoutLock } from '../errors.ts'
import { assertInFuture, lockRules } from '../headers/lock-headers.ts'
import { xmlReply } from '../reply/xml.ts'
import { changeObject, requireReadable } from '../versions.ts'
import { s3ErrorOfBucket } from './bucket.ts'

const maxBytes = 64 * 1024

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectLockConfiguration.html. It also turns Object Lock on; the
 * token that AWS once required for that is ignored.
 */
export async function putObjectLockConfiguration(context: BucketContext): Promise<HttpReply> {
  const { service, request, bucket } = context
  const objectLock = parseObjectLock(await readSmallBody(request, maxBytes))
  if (service.versioning === undefined) throw new S3Error('NotImplemented')
  const { drive } = service
  await service.versioning.lock(bucket, objectLock, { drive }).catch((error: unknown) => {
    throw s3ErrorOfBucket(error)
  })
  return done
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectLockConfiguration.html */
export async function getObjectLockConfiguration(context: BucketContext): Promise<HttpReply> {
  const { configuration, identity } = context
  if (configuration.objectLock === undefined) {
    throw new S3Error('ObjectLockConfigurationNotFoundError')
  }
  if (identity.kind === 'anonymous') throw new S3Error('AccessDenied')
  return xmlReply('ObjectLockConfiguration', objectLockContent(configuration.objectLock))
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectRetention.html */
export async function putObjectRetention(context: ObjectContext): Promise<HttpReply> {
  assertWritesLock(context)
  const retention = parseRetention(await readSmallBody(context.request, maxBytes))
  if (retention !== null) await assertInFuture(context, retention, 'RetainUntilDate')
  return await change(context, { retention, ...(await lockRules(context, context.key)) })
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectRetention.html */
export async function getObjectRetention(context: ObjectContext): Promise<HttpReply> {
  const { retention } = await lockOf(context)
  if (retention === undefined) throw new S3Error('NoSuchObjectLockConfiguration')
  return xmlReply('Retention', retentionContent(retention))
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectLegalHold.html. On AWS, one permission is for both. Here, an
 * access key that may write needs a further right to remove a hold, so that a stolen one cannot remove it.
 */
export async function putObjectLegalHold(context: ObjectContext): Promise<HttpReply> {
  assertWritesLock(context)
  const legalHold = parseLegalHold(await readSmallBody(context.request, maxBytes))
  const { identity, bucket, key } = context
  if (!legalHold && !isAuthorized(identity, { action: 'bypass', bucket, key, isPublic: false })) {
    const message = 'Access Denied: removing a legal hold requires the right to bypass locks.'
    throw new S3Error('AccessDenied', message)
  }
  return await change(context, { legalHold })
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectLegalHold.html */
export async function getObjectLegalHold(context: ObjectContext): Promise<HttpReply> {
  const { legalHold } = await lockOf(context)
  if (legalHold === undefined) throw new S3Error('NoSuchObjectLockConfiguration')
  return xmlReply('LegalHold', { Status: legalHold ? 'ON' : 'OFF' })
}

const done: HttpReply = { status: 200, headers: [['Content-Length', '0']] }

/** @throws S3Error NotImplemented, as for every write that cannot be kept; with COMPATIBILITY=aws as AWS */
function assertWritesLock({ configuration }: BucketContext): void {
  if (configuration.objectLock !== undefined) return
  throw notImplemented(`a lock. ${withoutLock.message}.`, { inAws: withoutLock })
}

async function change(context: ObjectContext, wanted: AttributeChange): Promise<HttpReply> {
  await changeObject(context, wanted)
  return done
}

/** @throws S3Error as `requireReadable`; InvalidRequest without Object Lock; AccessDenied for those who may read because everyone may */
async function lockOf(context: ObjectContext): Promise<Attributes> {
  const { configuration, identity } = context
  const metadata = await requireReadable(context)
  if (configuration.objectLock === undefined)
    throw new S3Error(withoutLock.code, withoutLock.message)
  if (identity.kind === 'anonymous') throw new S3Error('AccessDenied')
  return metadata.attributes
}
