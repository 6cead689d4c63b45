/**
 * `owner`: the database that the drive belongs to. `alive`: changed by the owner's gateways at every
 * heartbeat (docs/decisions/0018-drive-owner.md).
 */
export type NoteName = 'owner' | 'alive'

/**
 * Short texts that a drive keeps in its own folder, beside the buckets. Every method may reject with
 * a DriveError.
 */
export interface DriveNotes {
  /** The note's text; undefined when the drive has no such note, or is not there at all. */
  read(name: NoteName): Promise<string | undefined>

  /**
   * Creates a note and the drive's own folder; false when the note already exists. Of several
   * processes that make the same note at the same time, one gets true.
   */
  create(name: NoteName, text: string): Promise<boolean>

  /**
   * Replaces a note, or makes it. A reader sees the old text or the new one; over some
   * WebDAV servers also an empty or cut one while it is being written. Rejects when the drive's
   * own folder is missing: the drive may be unmounted, and nothing must be created instead.
   */
  write(name: NoteName, text: string): Promise<void>
}

/**
 * Called by a drive that is being opened, before it makes or changes anything. Rejects when the drive
 * must not be used.
 */
export type ClaimDrive = (notes: DriveNotes) => Promise<void>
