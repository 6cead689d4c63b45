import { DeleteObjectCommand } from '@aws-sdk/client-s3'
import type { ObjectName } from '../../drive.ts'
import { nullVersionId } from '../../versions.ts'
import type { StoreContext } from '../probe/probe.ts'
import { headOf, type StoreObject } from './heads.ts'
import { versionsOfKey } from './version-pages.ts'

/** How many of the newest versions are looked at: those of the repetitions, and of others that wrote meanwhile. */
const maxLooks = 16

type Written = Partial<Pick<StoreObject, 'mark' | 'versionId'>>

/**
 * Removes versions that earlier attempts of the same write have created, whose replies were lost. If that fails, they stay
 * as former versions of the object: the write itself has succeeded.
 */
export async function removeRepeats(
  context: StoreContext,
  target: ObjectName,
  written: Written | undefined,
): Promise<void> {
  const { mark, versionId } = written ?? {}
  if (mark === undefined || versionId === undefined || versionId === nullVersionId) return
  try {
    const repeats = await repeatsOf(context, target, { mark, versionId })
    for (const VersionId of repeats) {
      const name = { ...context.names.nameOf(target), VersionId }
      await context.store.send(new DeleteObjectCommand(name))
    }
  } catch {
    // See above.
  }
}

async function repeatsOf(
  context: StoreContext,
  target: ObjectName,
  written: Required<Written>,
): Promise<string[]> {
  const repeats: string[] = []
  let looks = 0
  for await (const { versionId, isDeleteMarker } of versionsOfKey(context, target)) {
    looks += 1
    if (looks > maxLooks) break
    if (isDeleteMarker || versionId === written.versionId) continue
    const found = await headOf(context, { ...target, versionId })
    if (found?.mark === written.mark) repeats.push(versionId)
  }
  return repeats
}
