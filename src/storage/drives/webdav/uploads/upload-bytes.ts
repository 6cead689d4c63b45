import type { CompleteOptions, PartDraft } from '../../drive.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import type { DavPath } from '../client/dav-path.ts'
import { uploadsFolder } from '../own-folder.ts'
import type { DavUploadState } from './upload-state.ts'

/**
 * Stores the bytes of uploads until they are an object: in a file on the server, in chunks on a
 * Nextcloud, or on this machine. The caller makes one call at a time for each upload, as those of
 * UploadDrive.
 */
export interface UploadBytes<State extends DavUploadState = DavUploadState> {
  /** Uploads with states of another kind have their bytes elsewhere. */
  readonly kind: State['kind']

  begin(uploadId: string): Promise<State>
  append(state: State, options: AppendOptions): Promise<PartDraft<State>>
  replaceLast?(state: State, options: AppendOptions): Promise<PartDraft<State>>

  /**
   * Makes the first `size` bytes the file at `uploadPath(state.id)`.
   * @throws DriveError `upload-gone` when the bytes are lost; `unavailable` when other bytes arrived
   */
  gather(state: State, options: GatherOptions): Promise<void>

  /** Deletes bytes that are stored elsewhere than at `uploadPath(state.id)`, if there are any. */
  remove?(state: State): Promise<void>

  /** As UploadDrive.sweep, for bytes stored elsewhere than at `uploadPath(state.id)`. */
  sweep?(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void>

  close?(): Promise<void>
}

export type GatherOptions = Pick<CompleteOptions, 'size' | 'parts' | 'assertHeld'>

/** The file into which an upload is gathered before it is moved into place. */
export function uploadPath(uploadId: string): DavPath {
  return [...uploadsFolder, uploadId]
}
