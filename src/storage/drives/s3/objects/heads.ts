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
import { type Attributes, type Tags, withTags } from '../../attributes.ts'
import type { ObjectMetadata, ObjectName, WantedBytes } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { StoreContext } from '../probe/probe.ts'
import { isAbsence, isUnexplained } from '../requests/store-errors.ts'
import type { StoreName } from '../requests/store-names.ts'
import { areSame, attributesIn, markIn } from './object-fields.ts'

/** An object of the store, with the mark of the write that made it, if that left one. */
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

/** As headOf, with what `partSizes` needs for this part. */
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
  // The first of those before and after has all their bytes.
  if (partNumber > 1) sizes[0] = start
  if (partNumber <= count) sizes[partNumber - 1] = end - start
  if (partNumber < count) sizes[partNumber] = found.size - end
  const partSizes = sizes.map((size) => [1, size] as const)
  return { ...found, attributes: { ...found.attributes, partSizes } }
}

/** Undefined if the store does not tell. Reads of the range are pinned to the object's ETag; that of a part may be its own. */
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

/** As headOf, of any object of the store. */
export async function headAt(
  context: StoreContext,
  name: StoreName,
): Promise<StoreObject | undefined> {
  const { store } = context
  const head = store.send(new HeadObjectCommand(name)).catch(async (error: unknown) => {
    // The reply to a HEAD has no code. A GET tells whether the store cannot have an object of this name.
    if (isUnexplained(error))
      await store.send(new GetObjectCommand({ ...name, Range: 'bytes=0-0' }))
    throw error
  })
  const found = await unlessMissing(head)
  return found && (await objectIn(context, name, found))
}

/** Undefined for an object that does not exist. */
export async function unlessMissing<Result>(call: Promise<Result>): Promise<Result | undefined> {
  try {
    return await call
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

type ObjectReply = HeadObjectCommandOutput | GetObjectCommandOutput

/** The object that HeadObject or GetObject returned. Undefined for `a/` of SeaweedFS if there is only `a/b`. */
export async function objectIn(
  { store }: StoreContext,
  name: StoreName,
  found: ObjectReply,
): Promise<StoreObject | undefined> {
  const attributes = attributesIn(found)
  if (attributes.etag.endsWith('-0')) return undefined
  const { TagCount, VersionId, LastModified } = found
  // Of this version, if the store keeps versions.
  const tagged = TagCount && (await store.send(new GetObjectTaggingCommand({ ...name, VersionId })))
  return {
    ...{ size: sizeOf(found), modifiedAtMs: secondOf(LastModified), mark: markIn(found) },
    attributes: { ...attributes, ...(tagged && { tags: tagsIn(tagged) }) },
  }
}

/** Of the whole object, also in a reply with a range. */
function sizeOf({ ContentLength, ContentRange }: ObjectReply): number {
  const size = ContentRange === undefined ? ContentLength : rangeIn(ContentRange)?.size
  if (size !== undefined) return size
  const message =
    'The S3 store does not say how long the object is. Look at what is between it and Bucketry.'
  throw new DriveError('unavailable', message)
}

/** Of a Content-Range field (RFC 9110 section 14.4). */
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

/** Last-Modified as HTTP shows it: some stores list fractions of a second. */
export function secondOf(time: Date | undefined): number {
  return Math.floor((time?.getTime() ?? 0) / 1000) * 1000
}

/**
 * Whether this is the object that a write without a mark would have made. If another client has written the same, no
 * one can tell the difference.
 */
export function isAsWritten(
  found: StoreObject | undefined,
  { size, attributes }: { readonly size: number; readonly attributes: Attributes },
): boolean {
  if (found?.size !== size || found.attributes.etag !== attributes.etag) return false
  return areSame(found.attributes, attributes)
}

/**
 * As Drive.setTags. The store tags the version that is there at that moment, in one step: it may have been written since this
 * began. If a reply is lost, the SDK may tag twice.
 */
export async function setObjectTags(
  context: StoreContext,
  object: ObjectName,
  tags: Tags,
): Promise<ObjectMetadata | undefined> {
  const { store, names, probe } = context
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
  // Another write, or other tags, came after these.
  return { ...withoutMark(before), attributes: withTags(before.attributes, tags) }
}
