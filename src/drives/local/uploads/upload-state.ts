import type { ObjectName } from '../../drive.ts'
import { parsedJson } from '../../json-text.ts'
import { foreignState, requireUploadId } from '../../upload-id.ts'

/** Bytes in a separate file that will replace the last part. */
export interface Tail {
  /** File name in the upload's folder. */
  readonly name: string
  /** Their position in the upload. */
  readonly offset: number
  readonly size: number
}

/** The state of an upload, which the caller stores between calls as JSON. */
export interface LocalUploadState {
  readonly id: string
  /** The object that the upload is for. Uploads of an earlier version lack it. */
  readonly target?: ObjectName
  /** The file with the bytes, if the upload was taken over. */
  readonly file?: string
  readonly tail?: Tail
  /** A merged tail. The caller stored this state when it returns it: then the file is removed. */
  readonly merged?: string
}

const tailPattern = /^tail-[\w-]{1,64}$/
const filePattern = /^data-[\w-]{1,64}$/

export function formatUploadState(state: LocalUploadState): string {
  return JSON.stringify(state)
}

/** @throws DriveError `upload-gone` for a text that is not from `formatUploadState` */
export function parseUploadState(text: string): LocalUploadState {
  const state = parsedJson(text) as Partial<LocalUploadState> | undefined
  requireUploadId(state?.id)
  const isWhole =
    (state?.target === undefined || isObjectName(state.target)) &&
    (state?.file === undefined || isName(state.file, filePattern)) &&
    (state?.tail === undefined || isTail(state.tail)) &&
    (state?.merged === undefined || isName(state.merged, tailPattern))
  if (isWhole) return state as LocalUploadState
  throw foreignState()
}

/** The name becomes part of a path: nothing else may be accepted. */
function isName(name: unknown, pattern: RegExp): boolean {
  return typeof name === 'string' && pattern.test(name)
}

function isObjectName({ bucket, key }: Partial<ObjectName>): boolean {
  return typeof bucket === 'string' && typeof key === 'string'
}

function isTail({ name, offset, size }: Partial<Tail>): boolean {
  return isName(name, tailPattern) && Number.isSafeInteger(offset) && Number.isSafeInteger(size)
}
