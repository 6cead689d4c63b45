import { setTimeout as wait } from 'node:timers/promises'
import { type Drive, DriveError } from '../../drives/drive.ts'
import type { ObjectEntry } from '../../drives/listed-entry.ts'

/** Attempts for a removal that a busy drive rejects, and the pause before the second attempt. */
const maxTries = 5
const firstPauseMs = 200
const maxPauseMs = 10_000

export interface Removal {
  readonly drive: Pick<Drive, 'head' | 'remove'>
  readonly bucket: string
  readonly key: string
  readonly isExpired: (object: Pick<ObjectEntry, 'key' | 'modifiedAtMs'>) => boolean
  /** Called before each step. Rejects if the run has to stop. */
  readonly assertMayGoOn: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Removes an object if it is still the one that has expired: an object that is written meanwhile stays, also if
 * its bytes are the same.
 *
 * @returns the error of a removal that this drive rejects for this object
 * @throws DriveError if the drive does not respond; and as `assertMayGoOn`.
 */
export async function removeExpired(removal: Removal): Promise<'removed' | 'kept' | DriveError> {
  for (let tries = 1; ; tries++) {
    await removal.assertMayGoOn()
    try {
      return (await removeOnce(removal)) ? 'removed' : 'kept'
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined) return 'kept'
      if (refusal.kind !== 'busy' || tries === maxTries) return refusal
      const asked = (refusal.retryAfterSeconds ?? 0) * 1_000
      const pauseMs = Math.min(Math.max(asked, firstPauseMs * 2 ** (tries - 1)), maxPauseMs)
      await wait(pauseMs, undefined, { signal: removal.signal, ref: false })
    }
  }
}

/** Undefined if the object has been written or removed meanwhile. @throws the error if all removals would fail. */
function refusalOf(error: unknown): DriveError | undefined {
  if (!(error instanceof DriveError)) throw error
  if (error.kind === 'unavailable' || error.kind === 'no-bucket') throw error
  return error.kind === 'condition' || error.kind === 'not-found' ? undefined : error
}

async function removeOnce({ drive, bucket, key, isExpired }: Removal): Promise<boolean> {
  // A listing may be older than the object.
  const current = await drive.head(bucket, key)
  if (current === undefined || !isExpired({ key, modifiedAtMs: current.modifiedAtMs })) return false
  const { modifiedAtMs, attributes } = current
  return drive.remove(bucket, key, { ifMatch: [attributes.etag], ifModifiedAtMs: modifiedAtMs })
}
