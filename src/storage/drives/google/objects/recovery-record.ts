import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { ObjectName } from '../../drive.ts'

/** Lease keys (key-leases.ts). They differ for an object `a/` and the folder `a/`. */
export function objectLeaseKey({ bucket, key }: ObjectName): string {
  return `object ${bucket}/${key}`
}

export function folderLeaseKey(bucket: string, segments: readonly string[]): string {
  return `folder ${[bucket, ...segments].join('/')}`
}

/**
 * The record in a lease, which describes the holder's work. If the holder dies or does not learn
 * the outcome of its calls, the next holder looks up these files on Google.
 */
interface RecoveryRecord {
  readonly leaseKey: string
  /** Files that are being created. */
  readonly newIds: readonly string[]
  /** Existing files that are changed, removed, or replaced by one of the new ones. */
  readonly thereIds: readonly string[]
}

export function recoveryRecord(
  leaseKey: string,
  newIds: readonly string[],
  thereIds: readonly string[] = [],
): string {
  return JSON.stringify({ leaseKey, newIds, thereIds } satisfies RecoveryRecord)
}

/** Undefined for other texts. */
export function parseGoogleRecord(text: string): RecoveryRecord | undefined {
  // Other drives have other records.
  const { leaseKey, newIds, thereIds } = (parsedJson(text) ?? {}) as Partial<RecoveryRecord>
  return leaseKey && newIds && thereIds ? { leaseKey, newIds, thereIds } : undefined
}
