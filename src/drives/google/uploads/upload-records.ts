/**
 * The Google drive's own records of uploads in the database, in addition to the state that its
 * caller stores. Any method may reject with the database's own error.
 */
export interface UploadRecords {
  find(uploadId: string): Promise<string | undefined>

  /** @param record its `fileIds` are the files that the upload's sessions end in. */
  save(
    uploadId: string,
    record: { readonly json: string; readonly fileIds: readonly string[] },
  ): Promise<void>

  /** Deletes the record, with its carries and blocks. */
  remove(uploadId: string): Promise<void>

  /** Whether a session of an upload ends in this file. False positives are possible. */
  isTarget(fileId: string): Promise<boolean>

  /** Ids of uploads without activity since then, the oldest first, at most `limit`. */
  idle(beforeMs: number, limit: number): Promise<string[]>

  /** The carry for this size: the committed bytes after the last whole block, in base64. */
  carry(uploadId: string, size: number): Promise<string | undefined>

  /** Saves the carry of a size. Those of other sizes stay. */
  saveCarry(
    uploadId: string,
    carry: { readonly size: number; readonly bytes: string },
  ): Promise<void>

  /** Saves the digests of new blocks, from this block on. */
  announce(uploadId: string, firstBlock: number, digests: readonly string[]): Promise<void>

  /** The saved digests, from this block on. */
  blocks(uploadId: string, firstBlock: number): Promise<string[]>

  /** Deletes the digests, from this block on. */
  dropBlocks(uploadId: string, firstBlock: number): Promise<void>

  /**
   * Deletes carries of smaller sizes and digests of blocks that end before this size. A few may be
   * left to a later call.
   */
  forgetBefore(uploadId: string, size: number): Promise<void>
}
