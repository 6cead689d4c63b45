/**
 * The port of a WebDAV drive to the database; the drive knows no SQL. A path is an object's natural
 * path below the drive's root as text, bucket first. Any method may reject with the store's own error.
 */
export interface DavRecords {
  /** The JSON saved for this version of the file at this path; undefined when there is none. */
  find(file: FileVersion): Promise<string | undefined>

  /** As `find`, for any number of files with different paths. Maps paths to JSON. */
  findMany(files: readonly FileVersion[]): Promise<Map<string, string>>

  /**
   * Saves durably. The record of the version `present` stays. Other records at this path stay for a
   * minute, because readers may still see their versions.
   */
  save(file: FileVersion, json: string, present?: string): Promise<void>

  /**
   * The version no longer exists. Returns immediately, and deletes its record later; the deletion may
   * be lost in a crash.
   */
  forget(file: FileVersion): void

  /** Those of these folders that were created for keys. */
  ownFolders(paths: readonly string[]): Promise<ReadonlySet<string>>
  addOwnFolders(paths: readonly string[]): Promise<void>
  forgetFolders(paths: readonly string[]): Promise<void>

  /** Whether `noteCompletion` was called for the upload. */
  isCompletionNoted(uploadId: string): Promise<boolean>
  /** The upload is about to become an object. */
  noteCompletion(uploadId: string): Promise<void>
  forgetCompletion(uploadId: string): Promise<void>
  /** Deletes the notes from before this time, in milliseconds since the epoch. */
  sweepCompletions(beforeMs: number): Promise<void>
}

export interface FileVersion {
  readonly path: string
  /** At most 500 characters. */
  readonly version: string
}
