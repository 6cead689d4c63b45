/**
 * The Google drive's own records of uploads in the database, beside the state that its caller stores.
 * Any method may reject with the database's own error.
 */
export interface UploadRecords {
  find(uploadId: string): Promise<string | undefined>

  /** @param record with the files that the upload's sessions end in. */
  save(
    uploadId: string,
    record: { readonly json: string; readonly fileIds: readonly string[] },
  ): Promise<void>

  /** With everything below. */
  remove(uploadId: string): Promise<void>

  /** Whether a session of an upload ends in this file; may be true in error. */
  isTarget(fileId: string): Promise<boolean>

  /** Ids of uploads without activity since then, the oldest first, at most `limit`. */
  idle(beforeMs: number, limit: number): Promise<string[]>

  /** Committed bytes behind the last block of this many, base64. */
  carry(uploadId: string, size: number): Promise<string | undefined>

  /** Saves the carry of a size, beside those of other sizes. */
  saveCarry(
    uploadId: string,
    carry: { readonly size: number; readonly bytes: string },
  ): Promise<void>

  /** Saves the digests of new blocks from this one on. */
  announce(uploadId: string, firstBlock: number, digests: readonly string[]): Promise<void>

  /** The saved digests of blocks from this one on. */
  blocks(uploadId: string, firstBlock: number): Promise<string[]>

  /** Forgets the digests of blocks from this one on. */
  dropBlocks(uploadId: string, firstBlock: number): Promise<void>

  /**
   * Forgets carries of less than this size, and digests of blocks that end before it, or leaves a
   * few of them to a later call.
   */
  forgetBefore(uploadId: string, size: number): Promise<void>
}
