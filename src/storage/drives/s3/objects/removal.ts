import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3'
import type { Drive, ObjectName, RemovalConditions } from '../../drive.ts'
import type { DriveError } from '../../drive-error.ts'
import { assertUnlocked } from '../../object-lock.ts'
import { nullVersionId, type Removal } from '../../versions.ts'
import { assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import type { StoreContext } from '../probe/probe.ts'
import { attemptsOf, errorOfCode, isNoVersion } from '../requests/store-errors.ts'
import { abilitiesOfKey, maxKeyBytes } from '../requests/store-names.ts'
import { changing, isConditionFailure, maxAttempts } from './conditional-write.ts'
import { headOf, type StoreObject } from './heads.ts'

/**
 * As Drive.remove. Only the version that was seen is removed, or gets a delete marker, if the store has If-Match of
 * DeleteObject.
 */
export async function removeObject(
  context: StoreContext,
  object: ObjectName,
  conditions: RemovalConditions = {},
): Promise<Removal | undefined> {
  const isVersioned = context.versioningOf(object.bucket) !== undefined
  const { versionId } = conditions
  if (isVersioned && versionId !== undefined) {
    return await removeVersion(context, { ...object, versionId }, conditions)
  }
  if (versionId !== undefined && versionId !== nullVersionId) return undefined
  const { ifMatch, ifNoneMatch, ifModifiedAtMs } = conditions
  const isCompared = [ifMatch, ifNoneMatch, ifModifiedAtMs].some((one) => one !== undefined)
  if (isCompared) await context.probe.require(object.bucket, 'removeMatching')
  return await removeNewest(context, object, { conditions, isVersioned })
}

async function removeNewest(
  context: StoreContext,
  object: ObjectName,
  removal: { readonly conditions: RemovalConditions; readonly isVersioned: boolean },
): Promise<Removal | undefined> {
  const { conditions, isVersioned } = removal
  let wasRepeated = false
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const found = await headOf(context, object)
    // The reply to the first attempt may have been lost.
    if (found === undefined && wasRepeated) return {}
    assertRemovalConditions(object, versionOf(found), conditions)
    if (found === undefined && !isVersioned) return undefined
    try {
      return await removeCurrent(context, object, found)
    } catch (error) {
      if (!isConditionFailure(error)) throw error
      wasRepeated = attemptsOf(error) > 1
    }
  }
  throw changing(object)
}

async function removeCurrent(
  { store, names, probe, versioningOf }: StoreContext,
  object: ObjectName,
  found: StoreObject | undefined,
): Promise<Removal> {
  const { removeMatching } = await probe.abilities(object.bucket)
  const command = new DeleteObjectCommand({
    ...names.nameOf(object),
    ...(removeMatching && found && { IfMatch: `"${found.attributes.etag}"` }),
  })
  const { VersionId, DeleteMarker } = await store.send(command)
  if (versioningOf(object.bucket) === undefined) return {}
  // MinIO does not return the ID of a marker `null`. MinIO and versitygw make no marker of an absent object.
  if (DeleteMarker !== true && found === undefined) return {}
  return { versionId: VersionId || nullVersionId, isDeleteMarker: true }
}

/** Removes one version permanently. */
async function removeVersion(
  context: StoreContext,
  object: ObjectName & { readonly versionId: string },
  conditions: RemovalConditions = {},
): Promise<Removal | undefined> {
  const { store, names, probe } = context
  const { bucket, key, versionId } = object
  const { ifMatch, ifNoneMatch, lock } = conditions
  const isCompared = ifMatch !== undefined || ifNoneMatch !== undefined
  if (isCompared) await probe.require(bucket, 'removeMatching')
  const current = isCompared ? await headOf(context, { bucket, key }) : undefined
  const found = await headOf(context, object)
  assertRemovalConditions(object, versionOf(current), conditions, versionOf(found))
  if (found === undefined) return undefined
  assertUnlocked(found.attributes, lock)
  const command = new DeleteObjectCommand({
    ...{ ...names.nameOf(object), VersionId: versionId },
    ...(lock?.bypassesGovernance && { BypassGovernanceRetention: true }),
    ...(current && { IfMatch: `"${current.attributes.etag}"` }),
  })
  try {
    await store.send(command)
  } catch (error) {
    if (isNoVersion(error)) return undefined
    // By the store's clock and rules.
    if (!isConditionFailure(error)) assertUnlocked(found.attributes, undefined)
    throw error
  }
  return { versionId, ...(found.isDeleteMarker && { isDeleteMarker: true }) }
}

/** Text that XML can contain (XML 1.0, section 2.2), for the document of DeleteObjects. */
const inXml = /^[^\p{Cc}\ufffe\uffff]*$/u

/** As Drive.removeAll. */
export async function removeObjects(
  { store, names, versioningOf }: StoreContext,
  bucket: string,
  keys: readonly string[],
): ReturnType<NonNullable<Drive['removeAll']>> {
  // The IDs of the delete markers could not be returned.
  if (versioningOf(bucket) !== undefined) return undefined
  const { Bucket, prefix } = names.placeOf(bucket)
  const isNamed = (key: string) =>
    inXml.test(key) &&
    !names.isOwn(key) &&
    abilitiesOfKey(prefix + key).length === 0 &&
    Buffer.byteLength(prefix + key) <= maxKeyBytes
  if (!keys.every(isNamed)) return undefined
  const Objects = keys.map((key) => ({ Key: prefix + key }))
  const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
  try {
    const { Errors = [] } = await store.send(command)
    const errors = new Map(Errors.map((error) => [error.Key, error]))
    return Objects.map(({ Key }) => {
      const error = errors.get(Key)
      return error && errorOfCode(error.Code ?? '', error.Message ?? '')
    })
  } catch (error) {
    // For example, the store requires Content-MD5, which the SDK no longer sends.
    const isUnknown = ['not-implemented', 'unsupported'].includes((error as DriveError).kind)
    if (isUnknown) return undefined
    return keys.map(() => error as DriveError)
  }
}
