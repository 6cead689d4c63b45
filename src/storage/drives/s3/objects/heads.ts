import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  GetObjectTaggingCommand,
  type GetObjectTaggingCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
} from '@aws-sdk/client-s3'
import type { Attributes } from '../../attributes.ts'
import type { ObjectMetadata, ObjectName, WantedBytes } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { nullVersionId, type VersionOptions } from '../../versions.ts'
import type { StoreContext } from '../probe/probe.ts'
import { secondOf } from '../requests/store.ts'
import { isAbsence, isMarkerRefusal, isNoVersion, isUnexplained } from '../requests/store-errors.ts'
import type { StoreName } from '../requests/store-names.ts'
import { areSame, attributesIn, markIn } from './object-fields.ts'
import { markerOf } from './version-pages.ts'

/** An object of the store, with the mark of the write that created it, if it has one. */
export interface StoreObject extends ObjectMetadata {
  readonly mark: string | undefined
}

/** An object, or one of its versions. */
export type ObjectVersionName = ObjectName & VersionOptions

/** The metadata of the object, or of the version or delete marker; undefined if there is none. */
export async function headOf(
  context: StoreContext,
  object: ObjectVersionName,
): Promise<StoreObject | undefined> {
  const name = versionNameOf(context, object)
  if (name === undefined) return undefined
  return await unlessNoVersion(context, object, async () => {
    const found = await headAt(context, name)
    return found && inBucket(context, object.bucket, found)
  })
}

/** Undefined if there can be no such version. In a bucket that never had versions, the store's own IDs do not count. */
export function versionNameOf(
  { names, versioningOf }: StoreContext,
  object: ObjectVersionName,
): StoreName | undefined {
  const { versionId: VersionId } = object
  const name = names.nameOf(object)
  if (VersionId === undefined) return name
  if (versioningOf(object.bucket) === undefined) {
    return VersionId === nullVersionId ? name : undefined
  }
  // Such an ID would be cut off, or change the request.
  return /^[!-~]{1,1024}$/.test(VersionId) ? { ...name, VersionId } : undefined
}

/** What `read` returns, the delete marker with this ID, or undefined if there is no such version. */
export async function unlessNoVersion<Found>(
  context: StoreContext,
  object: ObjectVersionName,
  read: () => Promise<Found | undefined>,
): Promise<Found | StoreObject | undefined> {
  const { versionId } = object
  try {
    return await read()
  } catch (error) {
    if (versionId === undefined) throw error
    if (isNoVersion(error)) return undefined
    if (!isMarkerRefusal(error)) throw error
    const marker = await markerOf(context, object, versionId)
    return marker && { ...marker, mark: undefined }
  }
}

/** The version ID in a reply about an object in this bucket. */
export function versionIn(
  { versioningOf }: StoreContext,
  bucket: string,
  versionId: string | undefined,
): { readonly versionId?: string } {
  return versioningOf(bucket) === undefined ? {} : { versionId: versionId || nullVersionId }
}

/** As the bucket shows it: without versions and locks if it never had versions. */
export function inBucket(context: StoreContext, bucket: string, found: StoreObject): StoreObject {
  const { versionId, attributes, ...rest } = found
  const { retention, legalHold, ...plain } = attributes
  const version = versionIn(context, bucket, versionId)
  return { ...rest, ...version, attributes: version.versionId ? attributes : plain }
}

/** As headOf, with `partSizes` as far as this part needs it. */
export async function headWithPart(
  context: StoreContext,
  object: ObjectVersionName,
  partNumber: number | undefined,
): Promise<StoreObject | undefined> {
  const found = await headOf(context, object)
  const [, digits] = /-(\d+)$/.exec(found?.attributes.etag ?? '') ?? []
  if (found === undefined || partNumber === undefined || digits === undefined) return found
  const count = Number(digits)
  const name = versionNameOf(context, object) ?? context.names.nameOf(object)
  const range =
    partNumber > count
      ? { start: 0, end: 0 }
      : await rangeOfPart(context, { name, found, partNumber })
  if (range === undefined) return found
  const { start, end } = range
  const sizes = new Array<number>(count).fill(0)
  // All bytes before the part count as one part, and so do all bytes after it.
  if (partNumber > 1) sizes[0] = start
  if (partNumber <= count) sizes[partNumber - 1] = end - start
  if (partNumber < count) sizes[partNumber] = found.size - end
  const partSizes = sizes.map((size) => [1, size] as const)
  return { ...found, attributes: { ...found.attributes, partSizes } }
}

/** Undefined if the store does not report it. Not pinned: in some stores, a part has an ETag of its own. */
async function rangeOfPart(
  { store }: StoreContext,
  part: { readonly name: StoreName; readonly found: StoreObject; readonly partNumber: number },
): Promise<WantedBytes | undefined> {
  const { name, found, partNumber: PartNumber } = part
  const command = new HeadObjectCommand({ ...name, PartNumber })
  try {
    const { ContentRange } = await store.send(command)
    const range = rangeIn(ContentRange)
    return range?.size === found.size ? range : undefined
  } catch (error) {
    const { kind } = error as DriveError
    if (['unsupported', 'not-implemented', 'not-found'].includes(kind)) return undefined
    throw error
  }
}

/** As headOf, for any name in the store. */
export async function headAt(
  context: StoreContext,
  name: StoreName,
): Promise<StoreObject | undefined> {
  const { store } = context
  const head = store.send(new HeadObjectCommand(name)).catch(async (error: unknown) => {
    // The reply to a HEAD has no error code. The reply to a GET shows whether the name is impossible in this store.
    if (isUnexplained(error))
      await store.send(new GetObjectCommand({ ...name, Range: 'bytes=0-0' }))
    throw error
  })
  const found = await unlessMissing(head)
  return found && (await objectIn(context, name, found))
}

export async function unlessMissing<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

type ObjectReply = HeadObjectCommandOutput | GetObjectCommandOutput

/** The object in a reply. Undefined for `a/` of SeaweedFS if only `a/b` exists. */
export async function objectIn(
  { store }: StoreContext,
  name: StoreName,
  found: ObjectReply,
): Promise<StoreObject | undefined> {
  const attributes = attributesIn(found)
  if (attributes.etag.endsWith('-0')) return undefined
  // MinIO does not return the ID `null`.
  const { TagCount, VersionId = name.VersionId, LastModified } = found
  const tagged = TagCount && (await store.send(new GetObjectTaggingCommand({ ...name, VersionId })))
  return {
    ...{ size: sizeOf(found), modifiedAtMs: secondOf(LastModified), mark: markIn(found) },
    ...(VersionId && { versionId: VersionId }),
    attributes: { ...attributes, ...(tagged && { tags: tagsIn(tagged) }) },
  }
}

/** The size of the whole object, also for a reply with a range. */
function sizeOf({ ContentLength, ContentRange }: ObjectReply): number {
  const size = ContentRange === undefined ? ContentLength : rangeIn(ContentRange)?.size
  if (size !== undefined) return size
  const message =
    'The S3 store does not report the size of the object. Check any proxy between it and Bucketry.'
  throw new DriveError('unavailable', message)
}

/** The range in a Content-Range field (RFC 9110 section 14.4). */
export function rangeIn(field = '') {
  const [isRange, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(field) ?? []
  return isRange ? { start: Number(first), end: Number(last) + 1, size: Number(size) } : undefined
}

function tagsIn({ TagSet = [] }: GetObjectTaggingCommandOutput) {
  return Object.fromEntries(TagSet.map(({ Key = '', Value = '' }) => [Key, Value]))
}

/** Whether this object is what a write without a mark would have created. Another client may have written the same. */
export function isAsWritten(
  found: StoreObject | undefined,
  { size, attributes }: { readonly size: number; readonly attributes: Attributes },
): boolean {
  if (found?.size !== size || found.attributes.etag !== attributes.etag) return false
  return areSame(found.attributes, attributes)
}
