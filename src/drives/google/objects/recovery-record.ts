/**
 * What a lease's note says about the work under it. If a holder died or did not learn the outcome
 * of its calls, the next holder looks up these files on Google.
 */
export interface RecoveryRecord {
  readonly place: string
  /** Files that are being made. */
  readonly newIds: readonly string[]
  /** Files that are there: changed, removed, or replaced by one of the new ones. */
  readonly thereIds: readonly string[]
}

export function noteOf(
  place: string,
  newIds: readonly string[],
  thereIds: readonly string[] = [],
): string {
  return JSON.stringify({ place, newIds, thereIds } satisfies RecoveryRecord)
}

/** Undefined for a text that is not one of our notes. */
export function parseNote(text: string): RecoveryRecord | undefined {
  try {
    const { place, newIds, thereIds } = JSON.parse(text) as Partial<RecoveryRecord>
    return place && newIds && thereIds ? { place, newIds, thereIds } : undefined
  } catch {
    // Other drives write notes of their own.
    return undefined
  }
}
