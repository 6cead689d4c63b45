import type { LifecycleRule } from '../../buckets/lifecycle-rules.ts'
import type { Drive } from '../../drives/drive.ts'
import { expiredObjects, expiryCutoff } from './expired-objects.ts'

/** Proxies wait a minute for a reply: together less than that. */
const defaultLimitMs = 10_000
const defaultHangMs = 30_000

export interface DryRunParts {
  readonly drive: Pick<Drive, 'list'>
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  /** After this time the rest is left to another call. */
  readonly limitMs?: number
  /** How long the drive may take for a page. */
  readonly hangMs?: number
}

export interface DryRunQuery {
  readonly bucket: string
  readonly rules: readonly LifecycleRule[]
  /** `next` of the call before; empty: from the beginning. */
  readonly after: string
  /** Aborts to stop. */
  readonly signal: AbortSignal
}

/** What was found in one call. */
export interface DryRunFindings {
  readonly objects: number
  readonly bytes: number
  /** When the oldest of them was changed last. Undefined: there is none. */
  readonly oldestMs: number | undefined
  /** Where to continue. Undefined: everything was looked at. */
  readonly next: string | undefined
}

/**
 * Counts what the rules would remove from the bucket now. Removes nothing.
 *
 * @throws DriveError; the signal's reason
 */
export async function dryRunExpiry(
  { drive, now, limitMs = defaultLimitMs, hangMs = defaultHangMs }: DryRunParts,
  query: DryRunQuery,
): Promise<DryRunFindings> {
  const endsAt = performance.now() + limitMs
  let [objects, bytes, oldestMs] = [0, 0, Number.POSITIVE_INFINITY]
  const findings = (next?: string) => {
    return { objects, bytes, oldestMs: objects === 0 ? undefined : oldestMs, next }
  }
  const pages = expiredObjects({ ...query, drive, hangMs, cutoffMs: expiryCutoff(now()) })
  for await (const { expired, lastKey } of pages) {
    for (const { size, modifiedAtMs } of expired) {
      objects += 1
      // Sparse files may add up to more than a whole number can be.
      bytes = Math.min(bytes + size, Number.MAX_SAFE_INTEGER)
      oldestMs = Math.min(oldestMs, modifiedAtMs)
    }
    if (performance.now() >= endsAt) return findings(lastKey)
  }
  return findings()
}
