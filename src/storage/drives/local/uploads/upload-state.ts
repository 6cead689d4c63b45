import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { ObjectName } from '../../drive.ts'
import { foreignState, requireUploadId } from '../../kit/uploads/upload-rules.ts'

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
  /** Present if parts come in any order (placed-uploads.ts). */
  readonly placed?: PlacedState
  /** A merged tail. Its file is removed by the next call, because the caller has then stored this state. */
  readonly merged?: string
}

export interface PlacedState {
  /** The name of the folder with the parts' files in the upload's folder. A takeover renames it. */
  readonly folder: string
  /** Whether parts may be written to the common file, at an offset. */
  readonly slots: boolean
}

/** An upload whose parts come in any order. */
export interface PlacedUploadState extends LocalUploadState {
  readonly target: ObjectName
  readonly placed: PlacedState
}

const folderPattern = /^parts(-[\w-]{1,64})?$/
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
    (state?.placed === undefined || isPlacedState(state.placed)) &&
    (state?.tail === undefined || isTail(state.tail)) &&
    (state?.merged === undefined || isName(state.merged, tailPattern))
  if (isWhole) return state as LocalUploadState
  throw foreignState()
}

export function isPlaced(state: LocalUploadState): state is PlacedUploadState {
  return state.placed !== undefined && state.target !== undefined
}

/** @throws DriveError `upload-gone` for the state of an upload whose parts come in order */
export function requirePlaced(text: string): PlacedUploadState {
  const state = parseUploadState(text)
  if (isPlaced(state)) return state
  throw foreignState()
}

/** Undefined also for the state of another drive. */
export function placedStateOf(text: string): PlacedState | undefined {
  const state = parsedJson(text) as Partial<LocalUploadState> | undefined
  return state?.placed !== undefined && isPlacedState(state.placed) ? state.placed : undefined
}

function isPlacedState({ folder, slots }: Partial<PlacedState>): boolean {
  return isName(folder, folderPattern) && typeof slots === 'boolean'
}

/** Strict, because the name becomes part of a path. */
function isName(name: unknown, pattern: RegExp): boolean {
  return typeof name === 'string' && pattern.test(name)
}

function isObjectName({ bucket, key }: Partial<ObjectName>): boolean {
  return typeof bucket === 'string' && typeof key === 'string'
}

function isTail({ name, offset, size }: Partial<Tail>): boolean {
  return isName(name, tailPattern) && Number.isSafeInteger(offset) && Number.isSafeInteger(size)
}
