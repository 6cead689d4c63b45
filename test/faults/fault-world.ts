import type { Drive } from '../../src/drives/drive.ts'
import type { S3Caller } from './s3-caller.ts'

/** A request that a drive has sent to its server. */
export interface Step {
  readonly method: string
  /** As it was sent, or what sort of call it was. */
  readonly path: string
}

/** A gateway on a drive whose server can be made to fail, and eyes that see without failing. */
export interface FaultWorld {
  readonly s3: S3Caller
  /** The drive of another process over the same database, which no fault strikes. */
  readonly other: Drive
  /** What the gateway's drive sends during the work. */
  record(work: () => Promise<void>): Promise<readonly Step[]>
  /** Names of the faults that make sense for a request. */
  faultsFor(step: Step): readonly string[]
  /** Whether the fault is what other people do: the object may be gone, or have a duplicate. */
  isOfOthers(fault: string): boolean
  /** Resolves when the drives know all that is on the server. Absent: they always look. */
  catchUp?(): Promise<void>
  /** Orders a fault for the request after `skip` others. */
  order(fault: string, skip: number): void
  /** Forgets what has not struck. Whether everything has. */
  settle(): boolean
  /** The MD5 of every file that stands for the key, seen on the server itself. */
  stored(key: string): Promise<readonly string[]>
}
