import { parsedJson } from '../../../../platform/text/json-text.ts'
import { foreignState, requireUploadId } from '../../kit/uploads/upload-rules.ts'

/** What the caller stores of an upload between calls, by where its bytes are. */
export type DavUploadState = AppendedState | ChunkedState | SpooledState

/** They are in one file on the server. */
export interface AppendedState {
  readonly kind: 'append'
  readonly id: string
}

/** They are in chunks on a Nextcloud. */
export interface ChunkedState {
  readonly kind: 'chunks'
  readonly id: string
  /** The number of committed chunks. */
  readonly count: number
}

/** They are on this machine. */
export interface SpooledState {
  readonly kind: 'spool'
  readonly id: string
  /** The state of the upload to the local drive in the staging directory. */
  readonly staged: string
}

/** As JSON, in the form that the version before reads, too (docs/upgrade.md, "Roll back"). */
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
