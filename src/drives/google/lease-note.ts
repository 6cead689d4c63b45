/**
 * What a lease says of the work under it: files that are being made or changed. Whoever gets the
 * lease after a holder that died, or did not learn what became of its calls, asks Google for them.
 */
export function noteOf(place: string, fileIds: readonly string[]): string {
  return JSON.stringify({ place, fileIds })
}

export interface LeaseNote {
  readonly place: string
  readonly fileIds: readonly string[]
}

/** Undefined for what is no note of ours. */
export function parseNote(note: string): LeaseNote | undefined {
  try {
    const { place, fileIds } = JSON.parse(note) as Partial<LeaseNote>
    return place === undefined || fileIds === undefined ? undefined : { place, fileIds }
  } catch {
    return undefined
  }
}
