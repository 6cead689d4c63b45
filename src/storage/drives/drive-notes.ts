/**
 * `owner`: the database that the drive belongs to. `alive`: changed by the owner's gateways at every heartbeat
 * (docs/decisions/0018-drive-owner.md). `buckets`: the buckets made at run time, which are served again after the loss of
 * the database. `versioning`: which buckets have versions, and since when.
 */
export type NoteName = 'owner' | 'alive' | 'buckets' | 'versioning'

/**
 * Short texts that a drive keeps in its own folder, beside the buckets. Every method may reject with
 * a DriveError.
 */
export interface DriveNotes {
  /**
   * How long a new note may still be replaced by one that another process creates at the same time, in ms. 0: never.
   */
  readonly settleMs: number

  /** The note's text; undefined if the drive has no such note, or its folder does not exist. */
  read(name: NoteName): Promise<string | undefined>

  /**
   * Creates a note, and the drive's own folder if needed; false if the note already exists. If
   * several processes create the same note at the same time, only one gets true, after `settleMs`.
   */
  create(name: NoteName, text: string): Promise<boolean>

  /**
   * Creates or replaces a note. A reader sees the old or the new text; on some WebDAV servers, a reader may also see an
   * empty or truncated text during the write. Rejects if the drive's own folder is missing, because the drive may not be
   * mounted, and nothing must be created in its place.
   */
  write(name: NoteName, text: string): Promise<void>
}

/**
 * Called when a drive is opened, before it creates or changes anything. Rejects if the drive must
 * not be used.
 */
export type ClaimDrive = (notes: DriveNotes) => Promise<void>
