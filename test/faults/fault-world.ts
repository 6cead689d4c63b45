import type { Drive } from '../../src/storage/drives/drive.ts'
import type { S3Caller } from './s3-caller.ts'

/** A request that a drive has sent to its server. */
export interface Step {
  readonly method: string
  /** The path as it was sent, or the kind of call. */
  readonly path: string
}

/** A gateway on a drive whose server can fail, and observers that do not fail. */
export interface FaultWorld {
  readonly s3: S3Caller
  /** The drive of another process over the same database, without faults. */
  readonly other: Drive
  /** The requests of the gateway's drive during the work. */
  record(work: () => Promise<void>): Promise<readonly Step[]>
  /** Names of the faults that apply to a request. */
  faultsFor(step: Step): readonly string[]
  /** Whether the fault is a change by another user: the object may be missing or have a duplicate. */
  isOfOthers(fault: string): boolean
  /** Resolves when the drives know all changes on the server. Absent if they have no index. */
  catchUp?(): Promise<void>
  /** Schedules a fault for the request after `skip` others. */
  order(fault: string, skip: number): void
  /** Removes faults that have not occurred, and returns whether there were none. */
  settle(): boolean
  /** The drive's bucket has versions. Absent if it never had any. */
  readonly hasVersions?: boolean
  /** The MD5 of every file of the key on the server itself. */
  stored(key: string): Promise<readonly string[]>
}
