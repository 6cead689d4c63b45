import type { AppendOptions, CompleteOptions, PartDraft, ReplaceOptions } from '../../drive.ts'
import { DriveError } from '../../drive.ts'
import type { DavPath } from '../client/dav-path.ts'
import { uploadsFolder } from '../own-folder.ts'

/**
 * Stores the bytes of uploads until they are an object: in a file on the server, in chunks on a
 * Nextcloud, or on this machine. States are opaque texts, as in UploadDrive. The caller makes one call
 * at a time for each upload.
 */
export interface UploadBytes {
  /** Identifies the implementation in stored states. */
  readonly kind: string

  begin(uploadId: string): Promise<string>
  append(uploadId: string, state: string, options: AppendOptions): Promise<PartDraft>
  replaceLast?(uploadId: string, state: string, options: ReplaceOptions): Promise<PartDraft>

  /**
   * Makes the first `size` bytes the file at `uploadPath(uploadId)`.
   * @throws DriveError `upload-gone` when the bytes are lost; `unavailable` when other bytes arrived
   */
  gather(uploadId: string, state: string, options: GatherOptions): Promise<void>

  /** Deletes bytes that are stored elsewhere than at `uploadPath(uploadId)`, if there are any. */
  remove?(uploadId: string, state: string): Promise<void>

  /** As UploadDrive.sweep, for bytes stored elsewhere than at `uploadPath(uploadId)`. */
  sweep?(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void>

  close?(): Promise<void>
}

export type GatherOptions = Pick<CompleteOptions, 'size' | 'parts' | 'assertHeld'>

/** The file into which an upload is gathered before it is moved into place. */
export function uploadPath(uploadId: string): DavPath {
  return [...uploadsFolder, uploadId]
}

export function lostBytes(): DriveError {
  return new DriveError('upload-gone', 'The bytes of this upload are lost: start a new upload.')
}
