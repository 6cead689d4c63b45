import { isDeepStrictEqual } from 'node:util'
import {
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  GetObjectTaggingCommand,
  type GetObjectTaggingCommandOutput,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3'
import type { AttributeChange, Attributes } from '../../attributes.ts'
import type { ObjectMetadata, ObjectName, WantedBytes } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { changedAttributes } from '../../object-lock.ts'
import type { StoreContext } from '../probe/probe.ts'
import { isAbsence, isUnexplained } from '../requests/store-errors.ts'
import type { StoreName } from '../requests/store-names.ts'
import { areSame, attributesIn, markIn } from './object-fields.ts'

/** An object of the store, with the mark of the write that created it, if it has one. */
export interface StoreObject extends ObjectMetadata {
  readonly mark: string | undefined
}

/** The object's metadata; undefined if there is none. */
export function headOf(
  context: StoreContext,
  object: ObjectName,
): Promise<StoreObject | undefined> {
  return headAt(context, context.names.nameOf(object))
}

/** As headOf, with `partSizes` as far as this part needs it. */
export async function headWithPart(
  context: StoreContext,
  object: ObjectName,
  partNumber: number | undefined,
): Promise<StoreObject | undefined> {
  const found = await headOf(context, object)
  const [, digits] = /-(\d+)$/.exec(found?.attributes.etag ?? '') ?? []
  if (found === undefined || partNumber === undefined || digits === undefined) return found
  const count = Number(digits)
  const name = context.names.nameOf(object)
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
  const { TagCount, VersionId, LastModified } = found
  const tagged = TagCount && (await store.send(new GetObjectTaggingCommand({ ...name, VersionId })))
  return {
    ...{ size: sizeOf(found), modifiedAtMs: secondOf(LastModified), mark: markIn(found) },
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

export function withoutMark({ size, modifiedAtMs, attributes }: StoreObject): ObjectMetadata {
  return { size, modifiedAtMs, attributes }
}

/** Whole seconds, as HTTP has them: some stores list fractions. */
export function secondOf(time: Date | undefined): number {
  return Math.floor((time?.getTime() ?? 0) / 1000) * 1000
}

/** Whether this object is what a write without a mark would have created. Another client may have written the same. */
export function isAsWritten(
  found: StoreObject | undefined,
  { size, attributes }: { readonly size: number; readonly attributes: Attributes },
): boolean {
  if (found?.size !== size || found.attributes.etag !== attributes.etag) return false
  return areSame(found.attributes, attributes)
}

/**
 * As Drive.setAttributes. The store tags its current version in one step; another write may have replaced the one seen here. If
 * a reply is lost, the SDK may tag twice.
 */
export async function setObjectAttributes(
  context: StoreContext,
  object: ObjectName,
  change: AttributeChange,
): Promise<ObjectMetadata | undefined> {
  const { store, names, probe } = context
  const { tags = {} } = change
  await probe.require(object.bucket, 'tags')
  const before = await headOf(context, object)
  if (before === undefined) return undefined
  const name = names.nameOf(object)
  const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  const tagging =
    TagSet.length === 0
      ? store.send(new DeleteObjectTaggingCommand(name))
      : store.send(new PutObjectTaggingCommand({ ...name, Tagging: { TagSet } }))
  if ((await unlessMissing<object>(tagging)) === undefined) return undefined
  const after = await headOf(context, object)
  if (after !== undefined && isDeepStrictEqual(after.attributes.tags ?? {}, { ...tags })) {
    return withoutMark(after)
  }
  // Another client wrote or tagged the object after this.
  return { ...withoutMark(before), attributes: changedAttributes(before.attributes, change) }
}
