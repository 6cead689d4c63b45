import type { Drive } from './drive.ts'

/** A local drive in the staging directory, which collects uploads for another drive. */
export interface StagedUploads {
  readonly drive: Drive
  /** The bucket of completed uploads; their keys are the upload IDs. */
  readonly bucket: string
  isCompleted(uploadId: string): Promise<boolean>
  /** Makes a completed upload open again, so that parts can be appended to it. */
  reopen(uploadId: string): Promise<void>
}
