import { isDeepStrictEqual } from 'node:util'
import {
  DeleteObjectTaggingCommand,
  PutObjectLegalHoldCommand,
  PutObjectRetentionCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3'
import type { AttributeChange } from '../../attributes.ts'
import type { ObjectMetadata } from '../../drive.ts'
import { unsupportedChange } from '../../drive-error.ts'
import { metadataOf } from '../../kit/open-objects.ts'
import { changedAttributes } from '../../object-lock.ts'
import type { StoreContext } from '../probe/probe.ts'
import type { StoreName } from '../requests/store-names.ts'
import { requireLocks } from './bucket-versions.ts'
import { headOf, type ObjectVersionName, unlessMissing } from './heads.ts'

/**
 * As Drive.setAttributes. In a bucket that never had versions, the store tags its current version in one step; another
 * write may have replaced the one seen here. If a reply is lost, the SDK may send the change twice.
 */
export async function setObjectAttributes(
  context: StoreContext,
  object: ObjectVersionName,
  change: AttributeChange,
): Promise<ObjectMetadata | undefined> {
  const { tags, retention, legalHold, isPrivate } = change
  // The store keeps it in user metadata, which only a new object can have.
  if (isPrivate !== undefined) throw unsupportedChange('ACL')
  if (tags !== undefined) await context.probe.require(object.bucket, 'tags')
  if (retention !== undefined || legalHold !== undefined) await requireLocks(context, object.bucket)
  const before = await headOf(context, object)
  if (before === undefined || before.isDeleteMarker) return undefined
  const attributes = changedAttributes(before.attributes, change)
  const { versionId: VersionId } = before
  const name = { ...context.names.nameOf(object), VersionId }
  const wasThere = await unlessMissing(changeAt(context, name, change))
  if (wasThere === undefined) return undefined
  const after = await headOf(context, { ...object, versionId: VersionId })
  const isDone = isDeepStrictEqual({ ...after?.attributes.tags }, { ...attributes.tags })
  if (after !== undefined && isDone) return metadataOf(after)
  // Another client wrote or tagged the object after this.
  return { ...metadataOf(before), attributes }
}

/** @returns true */
async function changeAt(
  { store }: StoreContext,
  name: StoreName,
  { tags, retention, legalHold, lock }: AttributeChange,
): Promise<boolean> {
  if (tags !== undefined) {
    const TagSet = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
    const Tagging = { TagSet }
    if (TagSet.length === 0) await store.send(new DeleteObjectTaggingCommand(name))
    else await store.send(new PutObjectTaggingCommand({ ...name, Tagging }))
  }
  if (retention !== undefined) {
    const { mode: Mode, untilMs = 0 } = retention ?? {}
    const Retention = Mode === undefined ? {} : { Mode, RetainUntilDate: new Date(untilMs) }
    const BypassGovernanceRetention = lock?.bypassesGovernance
    const command = { ...name, Retention, BypassGovernanceRetention }
    await store.send(new PutObjectRetentionCommand(command))
  }
  if (legalHold !== undefined) {
    const LegalHold = { Status: legalHold ? ('ON' as const) : ('OFF' as const) }
    await store.send(new PutObjectLegalHoldCommand({ ...name, LegalHold }))
  }
  return true
}
