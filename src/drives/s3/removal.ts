import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import type { ObjectName, RemovalConditions } from '../drive.ts'
import { assertRemovalConditions, versionOf } from '../write-conditions.ts'
import { isConditionFailure } from './conditional-write.ts'
import { headOf } from './heads.ts'
import type { StoreContext } from './store-context.ts'
import { attemptsOf } from './store-errors.ts'

/** How often a removal is tried while others write the key. */
const maxAttempts = 5

/** As Drive.remove. The version that was seen is removed, if the store knows If-Match of DeleteObject. */
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
  for (let attempt = 1; ; attempt += 1) {
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
      await store.call((options) => store.client.send(command, options))
      return true
    } catch (error) {
      if (!isConditionFailure(error) || attempt === maxAttempts) throw error
      wasRepeated = attemptsOf(error) > 1
    }
  }
}
