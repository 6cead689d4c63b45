/**
 * The store's multipart uploads that this drive has begun, so that one whose process was killed does not stay for
 * ever. Any method may reject with the database's own error.
 */
export interface DraftRecords {
  /** Creates or replaces it, and notes the time. @param record `fileIds` is for another drive */
  save(
    id: string,
    record: { readonly json: string; readonly fileIds: readonly string[] },
  ): Promise<void>
  find(id: string): Promise<string | undefined>
  remove(id: string): Promise<void>
  /** Ids that were not saved since then, the oldest first, at most `limit`. */
  idle(beforeMs: number, limit: number): Promise<string[]>
}
