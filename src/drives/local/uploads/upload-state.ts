import { parsedJson } from '../../json-text.ts'
import { foreignState, requireUploadId } from '../../upload-id.ts'

/** Bytes that will replace those of the last part; in a separate file until then. */
export interface Tail {
  /** File name in the upload's folder. */
  readonly name: string
  /** Where in the upload they belong. */
  readonly offset: number
  readonly size: number
}

/** What the caller keeps of an upload between calls, as JSON. */
export interface UploadState {
  readonly id: string
  readonly tail?: Tail
  /** A tail that has been merged: its file goes as soon as this state comes back, so was kept. */
  readonly merged?: string
}

const tailPattern = /^tail-[\w-]{1,64}$/

export function formatUploadState(state: UploadState): string {
  return JSON.stringify(state)
}

/** @throws DriveError `changed` for what `formatUploadState` did not make. */
export function parseUploadState(text: string): UploadState {
  const state = parsedJson(text) as Partial<UploadState> | undefined
  requireUploadId(state?.id)
  const isWhole =
    (state?.tail === undefined || isTail(state.tail)) &&
    (state?.merged === undefined || isTailName(state.merged))
  if (isWhole) return state as UploadState
  throw foreignState()
}

/** Names become paths: nothing else may get through. */
function isTailName(name: unknown): boolean {
  return typeof name === 'string' && tailPattern.test(name)
}

function isTail({ name, offset, size }: Partial<Tail>): boolean {
  return isTailName(name) && Number.isSafeInteger(offset) && Number.isSafeInteger(size)
}
