/**
 * The port of a local drive to the database, for the metadata of files; the drive knows no SQL. A record
 * belongs to a file's identity, not to its path, and never changes once saved, so that every process can
 * cache it without expiry.
 *
 * Any method may reject with the store's own error; the drive reports it as `unavailable`.
 */
export interface FileRecords {
  /** The JSON saved under this identity; undefined when there is none. */
  find(identity: string): Promise<string | undefined>

  /** As `find`, for at most 1,000 identities. Those without a record are absent from the map. */
  findMany(identities: readonly string[]): Promise<Map<string, string>>

  /**
   * For each path, the JSON of the newest record saved for it with exactly this size and, within 1 ms
   * (file systems store different fractions of a second), this modification time. Paths without one
   * are absent from the map. This recognizes a drive that was copied to another disk with its times.
   * At most 1,000 paths.
   */
  findByPaths(paths: readonly FileAtPath[]): Promise<Map<string, string>>

  /**
   * Saves the record, replacing one with the same identity, and stores `ownFolders` (identities of
   * folders, often none, some already stored) as created by the drive. All or nothing; durable when
   * resolved.
   */
  save(record: FileRecord, ownFolders: readonly string[]): Promise<void>

  /**
   * The file was deleted. Returns immediately, and deletes the record at least 60 s later, because
   * readers may still have the file open. May be lost in a crash: records of deleted files do no harm.
   */
  forget(identity: string): void

  /** Whether `save` stored the folder with this identity. */
  isOwnFolder(identity: string): Promise<boolean>

  /** The folder was deleted. Returns immediately; may be lost in a crash. */
  forgetFolder(identity: string): void
}

export interface FileAtPath {
  /** The path below the drive's root: no NUL, at most 4,096 UTF-8 bytes. */
  readonly path: string
  readonly size: number
  /** Milliseconds since the epoch, with a fraction. */
  readonly modifiedAtMs: number
}

export interface FileRecord extends FileAtPath {
  /** At most 100 ASCII characters. */
  readonly identity: string
  readonly json: string
}
