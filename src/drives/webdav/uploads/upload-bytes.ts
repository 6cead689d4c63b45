import type { AppendOptions, CompleteOptions, PartDraft, ReplaceOptions } from '../../drive.ts'
import { DriveError } from '../../drive.ts'
import type { DavPath } from '../client/dav-path.ts'
import { uploadsFolder } from '../own-folder.ts'

/**
 * Where the bytes of uploads are until they are an object: on the server, in chunks of a Nextcloud,
 * or on this machine. States are opaque texts, as in UploadDrive; the caller keeps one call at a time
 * for one upload.
 */
export interface UploadBytes {
  /** Tells the states of one way from those of another. */
  readonly kind: string

  begin(uploadId: string): Promise<string>
  append(uploadId: string, state: string, options: AppendOptions): Promise<PartDraft>
  replaceLast?(uploadId: string, state: string, options: ReplaceOptions): Promise<PartDraft>

  /**
   * Makes the first `size` bytes the file at `uploadPath(uploadId)`.
   * @throws DriveError `changed` when the bytes are gone; `unavailable` when others arrived
   */
  gather(uploadId: string, state: string, options: GatherOptions): Promise<void>

  /** Deletes bytes that are stored elsewhere than at `uploadPath(uploadId)`, if there are any. */
  remove?(uploadId: string, state: string): Promise<void>

  /** As UploadDrive.sweep, for bytes stored elsewhere than at `uploadPath(uploadId)`. */
  sweep?(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void>

  close?(): Promise<void>
}

export type GatherOptions = Pick<CompleteOptions, 'size' | 'parts' | 'assertHeld'>

/** The file that an upload becomes before it is moved to its place. */
export function uploadPath(uploadId: string): DavPath {
  return [...uploadsFolder, uploadId]
}

export function lostBytes(): DriveError {
  return new DriveError('changed', 'The bytes of this upload are lost: start a new upload.')
}
