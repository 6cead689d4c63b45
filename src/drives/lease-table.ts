/**
 * What key leases need of the database (key-leases.ts). A drive knows no SQL: the table is injected.
 * Places are texts of any characters, at most 8,192 UTF-8 bytes; the part before a place's last `/` is
 * its parent. Any method may reject with the database's own error.
 */
export interface LeaseTable {
  /**
   * Takes all these places or none. A place is free when it has no lease, or one of `ended`, exactly
   * as it was read; that lease's note stays until `note` is called.
   */
  take(places: readonly string[], claim: LeaseClaim, ended: readonly PlaceLease[]): Promise<boolean>

  /** Puts the note at all places that `owner` holds. */
  note(places: readonly string[], owner: string, note: string): Promise<void>

  /** Renews; false when one of the places is no longer `owner`'s. */
  renew(places: readonly string[], claim: Omit<LeaseClaim, 'note'>): Promise<boolean>

  /**
   * Gives back what of these places is still `owner`'s, and bumped the revisions of these names, in
   * one transaction. With `keepsNote` the leases stay with their notes, as ended.
   */
  release(places: readonly string[], release: LeaseRelease): Promise<void>

  /** The leases on these places, and the revisions of these names in their order: one moment. */
  look(places: readonly string[], names: readonly string[]): Promise<LeaseLook>

  /** The leases on places directly below these. */
  below(places: readonly string[]): Promise<Omit<PlaceLease, 'place'>[]>

  /** Leases with a note that ended at this time or before, at most `limit`. */
  endedWithNote(untilMs: number, limit: number): Promise<Omit<PlaceLease, 'place'>[]>
}

export interface LeaseClaim {
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly untilMs: number
  /** What its holder is about to do, for the process that takes over if it dies. May be ''. */
  readonly note: string
}

export interface PlaceLease extends LeaseClaim {
  readonly place: string
}

export interface LeaseRelease {
  readonly owner: string
  readonly bumped: readonly string[]
  readonly keepsNote: boolean
}

export interface LeaseLook {
  readonly leases: readonly PlaceLease[]
  /** Names share revisions by chance: a revision may rise for another name, too. */
  readonly revisions: readonly number[]
}
