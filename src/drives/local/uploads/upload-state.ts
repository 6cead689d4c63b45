import { DriveError } from '../../drive.ts'

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

const idPattern = /^[\w-]{1,64}$/
const tailPattern = /^tail-[\w-]{1,64}$/

export function formatUploadState(state: UploadState): string {
  return JSON.stringify(state)
}

/** @throws DriveError `changed` for what `formatUploadState` did not make. */
export function parseUploadState(text: string): UploadState {
  const state = parseJson(text) as Partial<UploadState> | undefined
  const isWhole =
    isName(state?.id, idPattern) &&
    (state.tail === undefined || isTail(state.tail)) &&
    (state.merged === undefined || isName(state.merged, tailPattern))
  if (isWhole) return state as UploadState
  throw new DriveError('changed', 'The state of this upload does not belong to this drive.')
}

/** @throws DriveError `changed` for an invalid upload id. */
export function requireUploadId(id: string): void {
  if (!isName(id, idPattern)) throw new DriveError('changed', 'This is not an upload ID.')
}

/** Names become paths: nothing else may get through. */
function isName(name: unknown, pattern: RegExp): name is string {
  return typeof name === 'string' && pattern.test(name)
}

function isTail(tail: Partial<Tail>): boolean {
  return (
    isName(tail.name, tailPattern) &&
    Number.isSafeInteger(tail.offset) &&
    Number.isSafeInteger(tail.size)
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
