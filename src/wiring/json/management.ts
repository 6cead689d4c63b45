import type { KeyAdmin } from '../../access/key-admin.ts'
import type { BucketOptionsWriter } from '../../buckets/bucket-options.ts'
import type { Buckets } from '../../buckets/buckets.ts'
import { BucketCounter } from '../../console/management/bucket-counter.ts'
import { Deletions, deletionLimits } from '../../console/management/deletions.ts'
import { DriveStatus } from '../../console/management/drive-status.ts'
import { FolderRevisions } from '../../console/management/folder-revisions.ts'
import type { ManagementApiParts, OpenUploads } from '../../console/management/management-parts.ts'
import type { Drive } from '../../drives/drive.ts'
import { originBehind } from '../../http/request-origin.ts'
import { packageVersion } from '../../package-folder.ts'
import { S3Error } from '../../s3/errors.ts'
import type { OpenUpload, UploadPosition, Uploads } from '../../s3/multipart/uploads.ts'
import { presign } from '../../s3/sigv4/presign.ts'
import type { Database } from '../../state/database.ts'
import { BucketCountTable } from '../../state/stores/bucket-counts.ts'
import { BucketExpiryTable } from '../../state/stores/bucket-expiry.ts'
import { DeletionTable } from '../../state/stores/deletions.ts'
import type { FailureWatch } from '../failure-watch.ts'
import type { Log } from '../log.ts'
import type { Settings } from '../settings/read-settings.ts'
import { shownSettings } from '../settings/shown-settings.ts'

/** Open uploads of one page. */
const pageUploads = 100

export interface ManagementWiring {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  readonly drive: Drive
  readonly uploads: Uploads
  readonly failures: FailureWatch
  readonly buckets: Buckets
  readonly keyAdmin: KeyAdmin
  readonly bucketOptions: BucketOptionsWriter
}

export interface OpenManagement {
  readonly parts: Omit<ManagementApiParts, 'requireSession'>
  /** Stops what runs in the background. */
  close(): Promise<void>
}

/** Connects the management API to what it manages. */
export async function openManagement(wiring: ManagementWiring): Promise<OpenManagement> {
  const { settings, log, database, drive, failures, buckets, bucketOptions } = wiring
  const { accessKey, secretKey, region, publicUrl } = settings
  const common = { drive, now: Date.now, log }
  const counter = new BucketCounter({ ...common, table: new BucketCountTable(database) })
  const deletions = new Deletions({ ...common, table: new DeletionTable(database, deletionLimits) })
  const expiryTable = new BucketExpiryTable(database)
  const driveStatus = new DriveStatus(common)
  const version = packageVersion()
  const originOf = originBehind(settings.trustProxy)
  return {
    parts: {
      keys: wiring.keyAdmin,
      ...{ buckets, bucketOptions },
      expiryRuns: () => expiryTable.all(),
      bucketCreatedAtMs: (bucket) => driveStatus.createdAtMs(bucket),
      counter,
      deletions,
      folders: new FolderRevisions({ drive, now: () => performance.now() }),
      region,
      accessKey,
      hasPublicUrl: publicUrl !== undefined,
      originOf: (request) => publicUrl ?? originOf(request),
      presign: (request) => presign({ ...request, accessKey, secretKey, region }),
      uploads: openUploads(wiring.uploads),
      status: async () => ({
        version,
        uptimeSeconds: Math.floor(process.uptime()),
        drive: await driveStatus.status(),
        settings: shownSettings(settings),
      }),
      failures,
      now: Date.now,
    },
    async close() {
      await Promise.all([counter.close(), deletions.close()])
    },
  }
}

function openUploads(uploads: Uploads): OpenUploads {
  return {
    async list({ bucket, after }) {
      const position = after === undefined ? undefined : decodePosition(after)
      const page = await uploads.listOpen({ bucket, after: position, limit: pageUploads + 1 })
      const shown = page.slice(0, pageUploads)
      const last = shown.at(-1)
      const isLast = page.length <= pageUploads || last === undefined
      return { uploads: shown.map(statusOf), next: isLast ? null : encodePosition(last) }
    },
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

function statusOf({ uploadId, bucket, key, partCount, size, ...moments }: OpenUpload) {
  return {
    ...{ uploadId, bucket, key, parts: partCount, bytes: size },
    initiatedAt: new Date(moments.createdAtMs).toISOString(),
    lastPartAt: new Date(moments.touchedAtMs).toISOString(),
    expiresAt: new Date(moments.expiresAtMs).toISOString(),
  }
}

function encodePosition({ createdAtMs, uploadId }: UploadPosition): string {
  return `${createdAtMs}.${uploadId}`
}

function decodePosition(text: string): UploadPosition {
  const dot = text.indexOf('.')
  return { createdAtMs: Number(text.slice(0, dot)), uploadId: text.slice(dot + 1) }
}
