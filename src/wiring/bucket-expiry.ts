import { Expiry } from '../buckets/expiry/expiry.ts'
import type { ExpiryUploads } from '../buckets/expiry/expiry-parts.ts'
import type { Drive } from '../drives/drive.ts'
import { S3Error } from '../s3/errors.ts'
import type { Uploads } from '../s3/multipart/uploads.ts'
import type { Database } from '../state/database.ts'
import { BucketExpiryTable } from '../state/stores/bucket-expiry.ts'
import type { Log } from './log.ts'
import type { Registries } from './registries.ts'
import { isReadOnlyBucket } from './settings/drive-settings.ts'
import type { Settings } from './settings/read-settings.ts'

export interface BucketExpiryParts {
  readonly settings: Settings
  readonly database: Database
  readonly drive: Drive
  readonly uploads: Uploads
  readonly registries: Registries
  readonly now: () => number
  readonly log: Log
}

/** Removes what lifecycle rules expire; call it every few seconds. */
export function openBucketExpiry(parts: BucketExpiryParts): (signal: AbortSignal) => Promise<void> {
  const { settings, database, drive, now, log } = parts
  const { buckets, ensureCurrent } = parts.registries
  const expiry = new Expiry({
    ...{ ensureCurrent, drive, now, log },
    buckets: {
      find: (name) => buckets.find(name),
      all: () => buckets.all().filter(({ name }) => !isReadOnlyBucket(name, settings)),
    },
    table: new BucketExpiryTable(database),
    uploads: expiryUploads(parts.uploads),
    localNow: Date.now,
  })
  return (signal) => expiry.run(signal)
}

function expiryUploads(uploads: Uploads): ExpiryUploads {
  return {
    listOpen: (page) => uploads.listOpen(page),
    async abort(uploadId, signal) {
      try {
        await uploads.abortById(uploadId, signal)
        return true
      } catch (error) {
        if (error instanceof S3Error && error.code === 'NoSuchUpload') return false
        throw error
      }
    },
  }
}
