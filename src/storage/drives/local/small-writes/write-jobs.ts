import type { Versioning } from '../../versions.ts'
import type { FileIdentity, FileStamp } from '../objects/file-identity.ts'
import type { RecordPlace } from '../objects/file-record-table.ts'

/** Writes a complete temporary file, with its final modification time. */
export interface SealJob {
  readonly kind: 'seal'
  /** Where to create the file. It must not exist. */
  readonly path: string
  readonly bytes: Uint8Array
  /** Milliseconds since the epoch, with a fraction; see `uniqueTimeMs`. */
  readonly modifiedAtMs: number
  /** Whether nobody syncs the file (relaxed-writes.ts). */
  readonly isRelaxed: boolean
}

/** Moves a sealed file to the natural path of its object, under the key's lock. */
export interface PublishJob {
  readonly kind: 'publish'
  /** The sealed file. */
  readonly path: string
  /** The absolute path of the natural path's folder. */
  readonly folder: string
  readonly name: string
  /** The absolute alternative path. */
  readonly alternative: string
  /** Absent if the bucket never had versions. */
  readonly history: HistoryJob | undefined
  /** Where to link the file that is replaced. Only for a relaxed write, after which the folder is not synced. */
  readonly replaced: string | undefined
  /** The file that names this process, and the path to link it to (key-locks.ts). */
  readonly lock: { readonly holder: string; readonly path: string }
}

/** Keeps the version that is replaced. Only where the file system orders names (`LocalRoot.ordersNames`). */
export interface HistoryJob {
  /** The absolute path of the folder of the former versions. If it is missing, it is created. */
  readonly folder: string
  /** A path in the fence, for another name of the replaced file, or for the folder. */
  readonly token: string
  readonly versioning: Versioning
  /** The text of the new version's time. */
  readonly time: string
}

/** Writes a file, saves its record, and moves the file: all steps of a write in one call. */
export interface StoreJob
  extends Omit<SealJob, 'kind'>,
    Omit<PublishJob, 'kind' | 'history' | 'replaced'> {
  readonly kind: 'store'
  readonly record: RecordJob
  readonly history: Omit<HistoryJob, 'time'> | undefined
  /** The folder for the link to the file that is replaced (`RelaxedWrite.linkFolder`). Only for a relaxed write. */
  readonly links: string | undefined
}

interface RecordJob {
  /** See StampedFile. */
  readonly path: string
  readonly json: string
}

export type WriteJob = SealJob | PublishJob | StoreJob

export interface SealOutcome {
  readonly stamp: FileStamp
  /** The open file if it was not synced: the caller must sync and close it. */
  readonly fd: number | undefined
}

export interface MovedFile {
  /** The overwritten file, if it has no other name. */
  readonly gone: FileIdentity | undefined
  /** The mark of the folder (`folderMark`), if it was synced after the move. */
  readonly synced: string | undefined
  /**
   * The code of the error if the folder could not be synced. The sync must not be repeated, because the system may report
   * the error only once (fsync(2), "NOTES").
   */
  readonly syncError: string | undefined
}

export interface PublishOutcome {
  /** Undefined if nothing was moved. */
  readonly moved: MovedFile | undefined
  /** Whether the lock could not be released. */
  readonly isLocked: boolean
}

export interface StoreOutcome extends PublishOutcome, SealOutcome {
  /** How long the commit of its record took. Undefined if there was none: then nothing was moved either. */
  readonly recordedMs: number | undefined
}

/**
 * The result of a job. If a file was not sealed or moved for any reason, nothing is left behind. The caller then writes it
 * step by step, which reports the error.
 */
export type WriteOutcome = SealOutcome | PublishOutcome | StoreOutcome | undefined

export interface WriteJobs {
  readonly jobs: readonly WriteJob[]
  /** Whether to sync files and folders, one after the other, while that is fast. */
  readonly syncs: boolean
  /** Where the records of jobs `store` are saved. */
  readonly records: RecordPlace | undefined
  /** See `LocalRoot`. */
  readonly hasBirthtime: boolean
  readonly descriptors: string
}

export interface WriteOutcomes {
  /** In the order of the jobs. */
  readonly outcomes: readonly WriteOutcome[]
  /** The median time of a sync; undefined if there was none. */
  readonly syncMs: number | undefined
}
