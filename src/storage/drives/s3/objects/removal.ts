import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3'
import type { Drive, ObjectName, RemovalConditions } from '../../drive.ts'
import type { DriveError } from '../../drive-error.ts'
import { assertRemovalConditions, versionOf } from '../../write-conditions.ts'
import type { StoreContext } from '../probe/probe.ts'
import { attemptsOf, errorOfCode } from '../requests/store-errors.ts'
import { abilitiesOfKey, maxKeyBytes } from '../requests/store-names.ts'
import { changing, isConditionFailure, maxAttempts } from './conditional-write.ts'
import { headOf } from './heads.ts'

/** As Drive.remove. Only the version that was seen is removed, if the store has If-Match of DeleteObject. */
export async function removeObject(
  context: StoreContext,
  object: ObjectName,
  conditions: RemovalConditions | undefined,
): Promise<boolean> {
  const { store, names, probe } = context
  const { removeMatching } = await probe.abilities(object.bucket)
  const { assertMayGoOn: _, ...compared } = conditions ?? {}
  if (Object.keys(compared).length > 0) await probe.require(object.bucket, 'removeMatching')
  let wasRepeated = false
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const found = await headOf(context, object)
    // The reply to the first attempt may have been lost.
    if (found === undefined && wasRepeated) return true
    assertRemovalConditions(object, versionOf(found), conditions)
    if (found === undefined) return false
    const command = new DeleteObjectCommand({
      ...names.nameOf(object),
      ...(removeMatching && { IfMatch: `"${found.attributes.etag}"` }),
    })
    try {
      await store.send(command)
      return true
    } catch (error) {
      if (!isConditionFailure(error)) throw error
      wasRepeated = attemptsOf(error) > 1
    }
  }
  throw changing(object)
}

/** Text that XML can contain (XML 1.0, section 2.2), for the document of DeleteObjects. */
const inXml = /^[^\p{Cc}\ufffe\uffff]*$/u

/** As Drive.removeAll. */
export async function removeObjects(
  { store, names }: StoreContext,
  bucket: string,
  keys: readonly string[],
): ReturnType<NonNullable<Drive['removeAll']>> {
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
