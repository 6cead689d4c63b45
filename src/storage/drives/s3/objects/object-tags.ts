import { isDeepStrictEqual } from 'node:util'
import { DeleteObjectTaggingCommand, PutObjectTaggingCommand } from '@aws-sdk/client-s3'
import { type Tags, withTags } from '../../attributes.ts'
import type { ObjectMetadata, ObjectName } from '../../drive.ts'
import type { StoreContext } from '../requests/store-context.ts'
import { headOf, unlessMissing, withoutMark } from './heads.ts'

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
