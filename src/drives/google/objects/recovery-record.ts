import { parsedJson } from '../../json-text.ts'

/**
 * The record in a lease, which describes the holder's work. If the holder dies or does not learn
 * the outcome of its calls, the next holder looks up these files on Google.
 */
export interface RecoveryRecord {
  /** See lease-keys.ts. */
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
