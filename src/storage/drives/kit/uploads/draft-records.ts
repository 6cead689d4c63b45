/**
 * A drive's own records of uploads in the database, in addition to the state that its caller stores. Any method may
 * reject with the database's own error.
 */
export interface DraftRecords {
  /** Creates or replaces it, and notes the time. @param record `fileIds` are the files on Google Drive that it ends in */
  save(
    id: string,
    record: { readonly json: string; readonly fileIds: readonly string[] },
  ): Promise<void>
  find(id: string): Promise<string | undefined>
  remove(id: string): Promise<void>
  /** Ids that were not saved since then, the oldest first, at most `limit`. */
  idle(beforeMs: number, limit: number): Promise<string[]>
}
