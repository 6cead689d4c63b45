import type { Log } from '../../../platform/process/log.ts'
import type { Drive } from '../../drives/drive.ts'
import type { Leases } from './lease.ts'
import type { UploadTable } from './upload-table.ts'
import type { UploadWatch } from './upload-watch.ts'

export interface UploadsOptions {
  readonly drive: Drive
  readonly table: UploadTable
  /** The order of the parts of new uploads. `any`: if the drive supports it. */
  readonly partOrder?: 'sequence' | 'any'
  /** How long a request waits for its turn, milliseconds (PART_WAIT_SECONDS). */
  readonly partWaitMs: number
  /** Milliseconds without a new part before an open upload is deleted (UPLOAD_EXPIRY_HOURS). */
  readonly expiryMs: number
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Log
  /** Called with the number of bytes of a failed part, which stay in its slot until the upload ends. */
  readonly onLostBytes?: (bucket: string, bytes: number) => void
}

/** The multipart uploads of a process. */
export interface UploadContext extends UploadsOptions {
  readonly watch: UploadWatch
  readonly leases: Leases
  /** Writes that no reply waits for. */
  readonly pendingWrites: Set<Promise<void>>
}
