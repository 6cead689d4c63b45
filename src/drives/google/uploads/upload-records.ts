/**
 * What the Google drive keeps of uploads in the database, beside the state that its caller keeps.
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

  /** Whether a session of an upload ends in this file. It may say so in error. */
  isTarget(fileId: string): Promise<boolean>

  /** Ids of uploads that nothing has happened to since then, the longest first, at most `limit`. */
  idle(beforeMs: number, limit: number): Promise<string[]>

  /** Committed bytes behind the last block of this many, base64. */
  carry(uploadId: string, size: number): Promise<string | undefined>

  /** Notes the carry of a size, beside those of other sizes. */
  saveCarry(
    uploadId: string,
    carry: { readonly size: number; readonly bytes: string },
  ): Promise<void>

  /** Notes the digests of blocks, which were not noted before, from this one on. */
  announce(uploadId: string, firstBlock: number, digests: readonly string[]): Promise<void>

  /** The digests that were noted of blocks from this one on. */
  blocks(uploadId: string, firstBlock: number): Promise<string[]>

  /** Forgets the digests of blocks from this one on. */
  dropBlocks(uploadId: string, firstBlock: number): Promise<void>

  /**
   * Forgets carries of less than this size, and digests of blocks that end before it, or leaves a
   * few of them to a later call.
   */
  forgetBefore(uploadId: string, size: number): Promise<void>
}
