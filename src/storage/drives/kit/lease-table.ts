/**
 * The port of key leases to the database (key-leases.ts). A drive has no SQL: the table is
 * injected. A lease key is a text of any characters, at most 8,192 UTF-8 bytes; the part before its
 * last `/` is its parent. Any method may reject with the database's own error.
 */
export interface LeaseTable {
  /**
   * Takes all these keys or none. A key is free if it has no lease, or one of `ended` that is
   * unchanged since it was read. The note of such a lease stays until `note` is called.
   */
  take(keys: readonly string[], claim: LeaseClaim, ended: readonly KeyedLease[]): Promise<boolean>

  /** Sets the note of all these keys that `owner` holds. */
  note(keys: readonly string[], owner: string, note: string): Promise<void>

  /** Renews the leases; false if `owner` no longer holds one of the keys. */
  renew(keys: readonly string[], claim: Pick<LeaseClaim, 'owner' | 'untilMs'>): Promise<boolean>

  /**
   * Releases those of these keys that `owner` still holds and bumps the revisions of these names,
   * in one transaction. With `keepsNote`, the leases stay, ended, with their notes.
   */
  release(keys: readonly string[], release: LeaseRelease): Promise<void>

  /** The leases on these keys and the revisions of these names, in order, at one moment. */
  look(keys: readonly string[], names: readonly string[]): Promise<LeaseLook>

  /** The leases on keys directly below these. */
  below(keys: readonly string[]): Promise<LeaseClaim[]>

  /** Leases with a note that ended at this time or before, at most `limit`. */
  endedWithNote(untilMs: number, limit: number): Promise<LeaseClaim[]>
}

export interface LeaseClaim {
  readonly owner: string
  /** Milliseconds since the epoch. */
  readonly untilMs: number
  /** The recovery record of its holder, for the process that takes over; '' for none. */
  readonly note: string
}

export interface KeyedLease extends LeaseClaim {
  readonly key: string
}

export interface LeaseRelease {
  readonly owner: string
  readonly bumped: readonly string[]
  readonly keepsNote: boolean
}

export interface LeaseLook {
  readonly leases: readonly KeyedLease[]
  /** Several names may share a revision, so it may also rise for another name. */
  readonly revisions: readonly number[]
}
