import type { DraftRecords } from './draft-records.ts'

/** The Google drive's own records of uploads. `remove` also deletes carries and blocks. */
export interface UploadRecords extends DraftRecords {
  /** Whether a session of an upload ends in this file. False positives are possible. */
  isTarget(fileId: string): Promise<boolean>

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
