import type { ChecksumAlgorithm } from '../../../platform/checksums/checksum.ts'
import type { HeaderFields, HttpReply } from '../../../platform/http/message.ts'
import type { ObjectMetadata, ObjectName, OpenObject, WriteConditions } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import type { VersionOptions } from '../../drives/versions.ts'
import {
  assertSourceConditions,
  type CopySource,
  copySourceOf,
  pourObject,
  refuseBody,
} from '../address/copy-source.ts'
import { writeObject } from '../body/write-object.ts'
import { withinQuota } from '../configuration/quota.ts'
import type { ObjectContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { checksumElements, uploadChecksum } from '../headers/checksum-headers.ts'
import { lockAttributes } from '../headers/lock-headers.ts'
import { attributesOfCopy, isReplaced, type SentAttributes } from '../headers/object-headers.ts'
import { quoteEtag } from '../headers/preconditions.ts'
import { refuseWhatCannotBeKept } from '../headers/unsupported-headers.ts'
import { expirationHeaders, expiringObject } from '../reply/object-reply.ts'
import { xmlReply, xmlTimestamp } from '../reply/xml.ts'
import { missingSource, sourceVersionFields, versionFields } from '../versions.ts'
import { conditionsOf } from '../write-once.ts'

/** Maximum attempts to copy a source that is overwritten meanwhile. */
const maxAttempts = 3

interface CopyPlan {
  readonly source: ObjectName & VersionOptions
  readonly showsTags: boolean
  readonly assertMayRead: CopySource['assertMayRead']
  readonly attributesOf: (source: SentAttributes) => SentAttributes
  readonly algorithm: ChecksumAlgorithm | undefined
  readonly conditions: WriteConditions | undefined
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html */
export async function copyObject(context: ObjectContext): Promise<HttpReply> {
  refuseWhatCannotBeKept(context)
  const plan = await planCopy(context)
  await refuseBody(context.request)
  const { metadata, sourceVersion } = await copyCurrent(context, plan)
  const { etag, checksum } = metadata.attributes
  const content = {
    LastModified: xmlTimestamp(metadata.modifiedAtMs),
    ETag: quoteEtag(etag),
    ...checksumElements(checksum, 'object'),
  }
  const expiration = expirationHeaders(expiringObject(context), metadata)
  const versions = [...sourceVersion, ...versionFields(metadata)]
  return xmlReply('CopyObjectResult', content, [...versions, ...expiration])
}

async function planCopy(context: ObjectContext): Promise<CopyPlan> {
  const { headers } = context.request
  const { source, showsTags, assertMayRead } = copySourceOf(context)
  const attributesOf = attributesOfCopy(headers)
  const algorithm = uploadChecksum(headers)?.algorithm
  // A copy of a former version onto its key makes it the newest one.
  const isCurrent = source.versionId === undefined
  const isSelf = isCurrent && source.bucket === context.bucket && source.key === context.key
  const isUnchanged = !isReplaced(headers, 'x-amz-metadata-directive') && algorithm === undefined
  if (isSelf && isUnchanged && headers['x-amz-storage-class'] === undefined) {
    throw new S3Error(
      'InvalidRequest',
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    )
  }
  // A copy does not have the lock of its source (User Guide, "Copying, moving, and renaming objects").
  const lock = await lockAttributes(context)
  const { acls } = context.service
  return {
    ...{ source, showsTags, assertMayRead, algorithm, conditions: conditionsOf(context) },
    attributesOf: (sourceAttributes) => ({
      ...attributesOf(sourceAttributes),
      ...acls.ofCopy(headers, sourceAttributes),
      ...lock,
    }),
  }
}

async function copyCurrent(context: ObjectContext, plan: CopyPlan): Promise<Copied> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await copyOnce(context, plan)
    } catch (error) {
      const isChanged = error instanceof DriveError && error.kind === 'changed'
      if (!isChanged || attempt === maxAttempts) throw error
    }
  }
}

interface Copied {
  readonly metadata: ObjectMetadata
  readonly sourceVersion: HeaderFields
}

/** The source is opened first, so that conditions, attributes and bytes are those of one version. */
async function copyOnce(context: ObjectContext, plan: CopyPlan): Promise<Copied> {
  const { source } = plan
  const { bucket, key, versionId } = source
  const object = await context.service.drive.open(bucket, key, { versionId })
  if (object === undefined) throw missingSource(source)
  try {
    if (object.isDeleteMarker) throw missingSource(source, object)
    plan.assertMayRead(object.attributes)
    assertSourceConditions(context, object)
    assertMayCopyTags(plan, object)
    return await withinQuota(context, object.size, async () => {
      const metadata =
        (await copyOnDrive(context, plan, object)) ?? (await copyByStreaming(context, plan, object))
      context.service.usage.wrote(context.bucket, metadata.size)
      return { metadata, sourceVersion: sourceVersionFields(object) }
    })
  } finally {
    await object.close()
  }
}

/** @throws S3Error AccessDenied, as AWS, for a copy with tags that its client may not read */
function assertMayCopyTags(
  { showsTags, attributesOf }: CopyPlan,
  { attributes }: OpenObject,
): void {
  const { tags } = attributes
  if (showsTags || tags === undefined || attributesOf(attributes).tags !== tags) return
  const message = 'Access Denied: the source has tags that you may not read.'
  throw new S3Error('AccessDenied', message)
}

/** Undefined if the bytes must be read, to hash them or because the drive cannot copy them. */
async function copyOnDrive(
  { service, request, bucket, key }: ObjectContext,
  plan: CopyPlan,
  object: OpenObject,
): Promise<ObjectMetadata | undefined> {
  const { etag, checksum } = object.attributes
  const isComposite = checksum?.type === 'COMPOSITE'
  const isOther = plan.algorithm !== undefined && plan.algorithm !== checksum?.algorithm
  const isOfBytes = isPlainMd5(etag) && !isComposite
  if (isOther || !(isOfBytes || service.drive.ownEtags?.(bucket))) return undefined
  const kept = plan.attributesOf(object.attributes)
  const attributes = checksum === undefined ? { ...kept, etag } : { ...kept, etag, checksum }
  const { source, conditions } = plan
  return service.drive.copy?.(
    { ...source, etag },
    { bucket, key },
    {
      attributes,
      signal: request.signal,
      ...(conditions === undefined ? {} : { conditions }),
    },
  )
}

function copyByStreaming(
  context: ObjectContext,
  plan: CopyPlan,
  object: OpenObject,
): Promise<ObjectMetadata> {
  const { size, attributes } = object
  const { signal } = context.request
  const algorithm = plan.algorithm ?? attributes.checksum?.algorithm
  const range = { start: 0, end: size }
  return writeObject(context, {
    size,
    sent: plan.attributesOf(attributes),
    ...{ conditions: plan.conditions, algorithm },
    pour: (sink) => pourObject(object, sink, { range, algorithm, signal }),
  })
}

/** The ETag of a multipart object, or of a file added by hand, is not a digest of its bytes. */
function isPlainMd5(etag: string): boolean {
  return /^[0-9a-f]{32}$/.test(etag)
}
