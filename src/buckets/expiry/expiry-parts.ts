import type { Drive } from '../../drives/drive.ts'
import type { BucketExpiryTable } from '../../state/stores/bucket-expiry.ts'
import type { BucketConfiguration } from '../buckets.ts'

export interface ExpiryLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** An open upload. */
export interface OpenUploadOf {
  readonly uploadId: string
  readonly key: string
  readonly createdAtMs: number
}

export interface ExpiryUploads {
  /** At most `limit` open uploads of the bucket, newest first, after this one. */
  listOpen(page: {
    readonly bucket: string
    readonly after: OpenUploadOf | undefined
    readonly limit: number
  }): Promise<readonly OpenUploadOf[]>
  /** False if it is no longer open. */
  abort(uploadId: string, signal: AbortSignal): Promise<boolean>
}

export interface ExpiryParts {
  readonly buckets: {
    find(name: string): BucketConfiguration | undefined
    all(): readonly BucketConfiguration[]
  }
  /** Rejects if the rules in memory may be old and the database does not respond. */
  readonly ensureCurrent: () => Promise<void>
  readonly drive: Pick<Drive, 'list' | 'head' | 'remove'>
  readonly uploads: ExpiryUploads
  readonly table: BucketExpiryTable
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  /** This machine's. */
  readonly localNow: () => number
  readonly log: ExpiryLog
}
