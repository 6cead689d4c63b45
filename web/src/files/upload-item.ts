/**
 * waiting: its turn comes. running: on its way. retrying: failed, and goes on by itself soon. failed:
 * somebody has to decide.
 */
export type UploadState = 'waiting' | 'running' | 'paused' | 'retrying' | 'failed' | 'done'

/** What is to be uploaded, and where to. */
export interface UploadOrder {
  readonly bucket: string
  readonly key: string
  /** The file; an empty one for a folder's marker. */
  readonly file: File
  /** Whether something of that key may be there, to be replaced. */
  readonly mayReplace: boolean
}

/** One row of the queue. Only the queue changes it. */
export interface UploadItem extends UploadOrder {
  readonly id: number
  readonly state: UploadState
  /** Bytes that have gone. */
  readonly sent: number
  /** What went wrong last; undefined: nothing, or it goes on. */
  readonly problem: UploadProblem | undefined
}

/**
 * session: sign in, then it goes on. clash: something has that name. lost: the upload on the server
 * is gone, all begins anew. passing: it may work in a while. final: it will not.
 */
export type ProblemKind = 'session' | 'clash' | 'lost' | 'passing' | 'final'

export interface UploadProblem {
  readonly kind: ProblemKind
  /** For people. */
  readonly message: string
}

export interface UploadEvents {
  /** Bytes of it that have gone in all. */
  readonly onProgress: (sent: number) => void
  readonly onDone: () => void
  readonly onProblem: (problem: UploadProblem) => void
}

/** An upload under way. */
export interface RunningUpload {
  pause(): void
  resume(): void
  /** After a problem: goes on with what has arrived. */
  retry(): void
  /** Ends it and what the server keeps of it. */
  cancel(): void
}

/** How bytes travel. */
export interface UploadTransport {
  start(order: UploadOrder, events: UploadEvents): RunningUpload
}
