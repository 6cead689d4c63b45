/** Versions of objects in requests and replies (https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html). */
import type { HeaderFields } from '../../platform/http/message.ts'
import type { PolicyAction } from '../buckets/bucket-policy.ts'
import type { BucketConfiguration } from '../buckets/buckets.ts'
import type { AttributeChange } from '../drives/attributes.ts'
import type { ObjectMetadata, ObjectName } from '../drives/drive.ts'
import { unsupportedChange } from '../drives/drive-error.ts'
import { nullVersionId, type VersionOptions } from '../drives/versions.ts'
import { assertMayReadObject } from './configuration/private-objects.ts'
import { hasVersions } from './configuration/public-access.ts'
import type { ObjectContext, S3Service } from './context.ts'
import { invalidArgument, noSuchKey, S3Error } from './errors.ts'
import { formatHttpDate } from './headers/dates.ts'
import { veeamObject } from './veeam-objects.ts'

/** No drive has a longer ID. The characters are those of an HTTP field and an XML document. */
const possibleId = /^[\x21-\x7e]{1,1024}$/

/**
 * The version that a drive has to use. In a bucket that never had versions, `null` is the only one.
 *
 * @param sent the parameter, header or element with the ID
 * @throws S3Error InvalidArgument
 */
export function versionToUse(
  { drive }: Pick<S3Service, 'drive'>,
  configuration: BucketConfiguration,
  versionId: string | undefined,
  { name = 'versionId', value = versionId ?? '' } = {},
): string | undefined {
  if (versionId === undefined) return undefined
  if (!hasVersions(configuration)) {
    if (versionId === nullVersionId) return undefined
    const message = 'Invalid version id specified: objects here have no versions.'
    throw invalidArgument(name, value, message)
  }
  const isPossible = drive.isVersionId?.(configuration.name, versionId) ?? true
  if (possibleId.test(versionId) && isPossible) return versionId
  const isEmpty = versionId === ''
  const message = isEmpty ? 'Version id cannot be the empty string' : 'Invalid version id specified'
  throw invalidArgument(name, value, message)
}

/** The fields of a reply about a version. None in a bucket that never had versions. */
export function versionFields(
  version:
    | { readonly versionId?: string | undefined; readonly isDeleteMarker?: boolean }
    | undefined,
): HeaderFields {
  if (version?.versionId === undefined) return []
  const field = ['x-amz-version-id', version.versionId] as const
  return version.isDeleteMarker ? [field, ['x-amz-delete-marker', 'true']] : [field]
}

/** The object of a request. @throws S3Error as `notReadable` */
export async function requireObject(context: ObjectContext): Promise<ObjectMetadata> {
  const { service, bucket, key, versionId } = context
  return await requireFound(context, await service.drive.head(bucket, key, { versionId }))
}

/** As `requireObject`, for what the drive has found. */
export async function requireFound(
  context: ObjectContext,
  found: ObjectMetadata | undefined,
): Promise<ObjectMetadata> {
  const metadata = found ?? (await veeamObject(context))
  if (metadata === undefined || metadata.isDeleteMarker) throw await notReadable(context, metadata)
  return metadata
}

/** As `requireObject`, for a reply about the object. @throws S3Error as assertMayReadPrivate */
export async function requireReadable(
  context: ObjectContext,
  action?: PolicyAction,
): Promise<ObjectMetadata> {
  const metadata = await requireObject(context)
  assertMayReadObject(context, metadata.attributes, action)
  return metadata
}

/** Changes attributes of the object of a request. @throws S3Error as `notReadable`; DriveError */
export async function changeObject(
  context: ObjectContext,
  change: AttributeChange,
): Promise<ObjectMetadata> {
  const { service, bucket, key, versionId } = context
  const { drive } = service
  if (drive.setAttributes === undefined) throw unsupportedChange()
  const changed = await drive.setAttributes(bucket, key, change, { versionId })
  if (changed !== undefined) return changed
  await requireObject(context)
  // It was written meanwhile, without these attributes.
  throw noSuchKey(key)
}

/**
 * The error for a request that needs an object where there is none, or a delete marker (User Guide, "Working with delete
 * markers").
 */
export async function notReadable(
  context: ObjectContext,
  marker?: ObjectMetadata,
): Promise<S3Error> {
  const { service, bucket, key, versionId, configuration } = context
  if (marker !== undefined) return refusedMarker(marker)
  if (versionId !== undefined) return noSuchVersion(key, versionId)
  if (!hasVersions(configuration)) return noSuchKey(key)
  const hiding = await service.drive.hidingMarker?.(bucket, key)
  return noSuchKey(key, hiding ? versionFields({ versionId: hiding, isDeleteMarker: true }) : [])
}

export function sourceVersionFields({ versionId }: ObjectMetadata): HeaderFields {
  return versionId === undefined ? [] : [['x-amz-copy-source-version-id', versionId]]
}

function noSuchVersion(key: string, versionId: string): S3Error {
  return new S3Error('NoSuchVersion', undefined, { elements: { Key: key, VersionId: versionId } })
}

/** The error for a copy whose source does not exist, or is a delete marker (API reference, CopyObject). */
export function missingSource(
  { key, versionId }: ObjectName & VersionOptions,
  marker?: ObjectMetadata,
): S3Error {
  if (versionId === undefined) return noSuchKey(key)
  if (marker === undefined) return noSuchVersion(key, versionId)
  const message =
    'The source of a copy request may not specifically refer to a delete marker by version id.'
  return new S3Error('InvalidRequest', message)
}

function refusedMarker(marker: ObjectMetadata): S3Error {
  return new S3Error('MethodNotAllowed', undefined, {
    elements: { ResourceType: 'DeleteMarker' },
    headers: {
      Allow: 'DELETE',
      'Last-Modified': formatHttpDate(marker.modifiedAtMs),
      ...Object.fromEntries(versionFields(marker)),
    },
  })
}
