import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { CompleteOptions, PartDraft } from '../../drive.ts'
import { foreignState, requireUploadId } from '../../kit/uploads/upload-rules.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import type { DavPath } from '../client/dav-path.ts'
import { uploadsFolder } from '../own-folder.ts'

/**
 * Stores the bytes of uploads until they become an object: in a file on the server, in chunks on a
 * Nextcloud, or on this machine. The caller makes one call at a time for each upload.
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

/** What the caller stores about an upload between calls, by the place of its bytes. */
export type DavUploadState = AppendedState | ChunkedState | SpooledState

/** The bytes are in one file on the server. */
export interface AppendedState {
  readonly kind: 'append'
  readonly id: string
}

/** The bytes are in chunks on a Nextcloud. */
export interface ChunkedState {
  readonly kind: 'chunks'
  readonly id: string
  /** The number of committed chunks. */
  readonly count: number
}

/** The bytes are on this machine. */
export interface SpooledState {
  readonly kind: 'spool'
  readonly id: string
  /** The state of the upload to the local drive in the staging directory. */
  readonly staged: string
}

/** As JSON, in a form that the previous version reads as well (docs/upgrade.md, "Roll back"). */
export function formatUploadState(state: DavUploadState): string {
  const { id, kind } = state
  return JSON.stringify({ id, kind, inner: innerOf(state) })
}

/** @throws DriveError `upload-gone` for a text that is not from `formatUploadState` */
export function parseUploadState(text: string): DavUploadState {
  const { id, kind, inner } = (parsedJson(text) ?? {}) as Record<string, unknown>
  requireUploadId(id)
  if (typeof inner !== 'string') throw foreignState()
  if (kind === 'append') return { kind, id }
  if (kind === 'spool') return { kind, id, staged: inner }
  if (kind === 'chunks' && /^\d{1,5}$/.test(inner)) return { kind, id, count: Number(inner) }
  throw foreignState()
}

function innerOf(state: DavUploadState): string {
  if (state.kind === 'append') return ''
  return state.kind === 'chunks' ? String(state.count) : state.staged
}
