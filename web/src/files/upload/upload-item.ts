import { fileTimeText } from '../../../../src/platform/text/file-time.ts'
import { partSize, singleRequestBytes } from './part-size.ts'

/**
 * waiting: in the queue. running: being sent. retrying: failed, retried automatically. failed:
 * needs a decision.
 */
export type UploadState = 'waiting' | 'running' | 'paused' | 'retrying' | 'failed' | 'done'

/** What to upload, and where. */
export interface UploadOrder {
  readonly bucket: string
  readonly key: string
  /** The folder that was open: '' or ends in a slash. The rest of the key is the path of the dropped item. */
  readonly folder: string
  /** The file; an empty one for a folder's marker. */
  readonly file: File
  /** The ETag of the object that is replaced, or `anyVersion`; undefined: the key has to be free. */
  readonly replaces: string | undefined
}

/** Replaces whatever object has the key. */
export const anyVersion = '*'

/** The file's own time, as rclone keeps it. The marker of a folder has none. */
export function fileTimeHeader({ key, file }: UploadOrder): Readonly<Record<string, string>> {
  const time = key.endsWith('/') ? undefined : fileTimeText(file.lastModified)
  return time === undefined ? {} : { 'x-amz-meta-mtime': time }
}

/** The condition under which the gateway stores an upload. */
export function conditionOf({ replaces }: UploadOrder): Readonly<Record<string, string>> {
  if (replaces === undefined) return { 'if-none-match': '*' }
  return replaces === anyVersion ? {} : { 'if-match': `"${replaces}"` }
}

/** One row of the queue. Only the queue changes it. */
export interface UploadItem extends UploadOrder {
  readonly id: number
  /** Of what was added together. */
  readonly batch: number
  readonly state: UploadState
  /** Bytes sent. */
  readonly sent: number
  /** The last problem; undefined if there is none or the upload continues. */
  readonly problem: UploadProblem | undefined
}

/**
 * clash: the name exists. lost: the upload no longer exists on the server and starts over.
 * unchecked: the drive may not support the condition. passing: may succeed later. full: the drive has no room. final:
 * will not succeed.
 */
type ProblemKind = 'clash' | 'lost' | 'unchecked' | 'passing' | 'full' | 'final'

export interface UploadProblem {
  readonly kind: ProblemKind
  /** The message to show. */
  readonly message: string
}

/** The bytes of an unfinished upload that its next attempt does not send again. */
export function keptBytes({ file, sent }: UploadItem): number {
  if (file.size <= singleRequestBytes) return 0
  const part = partSize(file.size)
  return Math.floor(sent / part) * part
}

export interface UploadEvents {
  /** The total bytes sent. */
  readonly onProgress: (sent: number) => void
  readonly onDone: () => void
  readonly onProblem: (problem: UploadProblem) => void
}

/** An upload under way. */
export interface RunningUpload {
  pause(): void
  resume(): void
  /** Resumes after a problem, keeping the parts that have arrived. */
  retry(): void
  /** Cancels the upload and deletes its parts on the server. */
  cancel(): void
}

/** Sends the bytes of uploads. */
export interface UploadTransport {
  start(order: UploadOrder, events: UploadEvents): RunningUpload
}
