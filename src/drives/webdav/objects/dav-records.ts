/**
 * What a WebDAV drive needs of the database; the drive knows no SQL. Places are paths below the
 * drive's root, bucket first. Any method may reject with the store's own error.
 */
export interface DavRecords {
  /** The JSON saved for this version of the file at this place; undefined when there is none. */
  find(file: FileVersion): Promise<string | undefined>

  /** As `find` for any number of files with different places: place to JSON. */
  findMany(files: readonly FileVersion[]): Promise<Map<string, string>>

  /**
   * Saves, durable when resolved. The record of the version `present` stays, and others at this place
   * for a minute: one of them is what readers still see.
   */
  save(file: FileVersion, json: string, present?: string): Promise<void>

  /**
   * That version is gone. Returns at once and deletes later what was saved of it before; may be lost
   * in a crash.
   */
  forget(file: FileVersion): void

  /** Those of these folders that keys created. */
  ownFolders(places: readonly string[]): Promise<ReadonlySet<string>>
  addOwnFolders(places: readonly string[]): Promise<void>
  forgetFolders(places: readonly string[]): Promise<void>

  /** Whether `noteCompletion` was called for the upload. */
  isCompletionNoted(uploadId: string): Promise<boolean>
  /** The upload is about to become an object. */
  noteCompletion(uploadId: string): Promise<void>
  forgetCompletion(uploadId: string): Promise<void>
  /** Forgets notes that are older than this, milliseconds since the epoch. */
  sweepCompletions(beforeMs: number): Promise<void>
}

export interface FileVersion {
  readonly place: string
  /** At most 500 characters. */
  readonly version: string
}
