/**
 * Where the local drive keeps what it knows about files beside their bytes. The drive knows no SQL:
 * the store is injected. Records belong to a file's identity, not to its path, and never change once
 * saved, so that they can be cached for ever in every process.
 *
 * Any method may reject with the store's own error; the drive passes it on as `unavailable`.
 */
export interface FileRecords {
  /** The JSON saved under this identity, undefined when there is none. */
  find(identity: string): Promise<string | undefined>

  /** As `find` for at most 1,000 at once; identities without a record are absent from the map. */
  findMany(identities: readonly string[]): Promise<Map<string, string>>

  /**
   * For each place the JSON of the newest record saved for it with exactly this size and, within
   * 1 ms (file systems keep different fractions of a second), this modification time; places
   * without one are absent from the map. This is how a drive that was copied to another disk with
   * its times kept is recognised. At most 1,000 places.
   */
  findByPlaces(places: readonly FilePlace[]): Promise<Map<string, string>>

  /**
   * Saves the record, in place of one with the same identity, and remembers `ownFolders` (folder
   * identities, often none, some known already) as made by the drive; all or nothing, durable when
   * resolved.
   */
  save(record: FileRecord, ownFolders: readonly string[]): Promise<void>

  /**
   * The file is gone. Returns at once and deletes the record at least 60 s later, so that a reader
   * which has the old file open still finds it. May be lost in a crash: records of files that no
   * longer exist do no harm.
   */
  forget(identity: string): void

  /** Whether the folder with this identity was remembered by `save`. */
  isOwnFolder(identity: string): Promise<boolean>

  /** The folder is gone. Returns at once; may be lost in a crash. */
  forgetFolder(identity: string): void
}

export interface FilePlace {
  /** The path below the drive's root: no NUL, at most 4,096 UTF-8 bytes. */
  readonly place: string
  readonly size: number
  /** Milliseconds since the epoch, with a fraction. */
  readonly modifiedAtMs: number
}

export interface FileRecord extends FilePlace {
  /** At most 100 ASCII characters. */
  readonly identity: string
  readonly json: string
}
