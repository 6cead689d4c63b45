import type { OriginOf } from '../../platform/http/origin.ts'
import type { Access } from '../../platform/json-api/route.ts'
import type { KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import type { KeyAdmin } from '../../storage/access/key-admin.ts'
import type { ArchiveBody, ArchiveRequest } from '../../storage/archive/object-archive.ts'
import type { BucketMaker } from '../../storage/buckets/bucket-maker.ts'
import type { BucketOptionsWriter } from '../../storage/buckets/bucket-options.ts'
import type { VersioningStatus } from '../../storage/buckets/bucket-versioning.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'
import type { TargetName } from '../../storage/buckets/notification-rules.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { BucketCounts } from '../../storage/jobs/bucket-counts.ts'
import type { DryRunFindings, DryRunQuery } from '../../storage/jobs/expiry/expired-objects.ts'
import type { ExpiryRun } from '../../storage/jobs/expiry/expiry.ts'
import type { FileJobs } from '../../storage/jobs/files/file-jobs.ts'
import type { FolderCounts } from '../../storage/jobs/folder-counts.ts'
import type { DeletionTable } from '../../storage/jobs/trash/deletion-table.ts'
import type { SearchLine, SearchQuery } from '../../storage/search/search.ts'
import type { ThumbnailTable } from '../thumbnails/thumbnail-table.ts'
import type { KeptActivity } from './activity-routes.ts'
import type { MarkTable } from './files/mark-table.ts'
import type { FolderRevisions } from './folders/folder-revisions.ts'
import type { StatusReply, UploadStatus } from './management-schemas.ts'
import type { SettingsReply } from './settings-route.ts'
import type { trafficRoute } from './traffic-route.ts'

export interface ManagementApiParts {
  /** Admits requests with a valid session. */
  readonly session: Access
  readonly buckets: Buckets
  readonly bucketOptions: BucketOptionsWriter
  readonly bucketMaker: Pick<BucketMaker, 'create' | 'remove'>
  readonly versioning: {
    /** Why the bucket cannot have versions; undefined: it can. */
    refusal(bucket: string): string | undefined
    /** Rejects as BucketVersioning. */
    change(bucket: string, status: VersioningStatus): Promise<void>
  }
  /** BUCKET_CREATION. */
  readonly bucketCreation: 'off' | 'existing' | 'on'
  /** Whether buckets have tags and rules of events: COMPATIBILITY=aws. */
  readonly keepsDocuments: boolean
  /** The host name of the website that the bucket can have; undefined: none, without WEBSITE_DOMAINS. */
  readonly websiteHostOf: (bucket: string) => string | undefined
  /** What receives events: NOTIFY_WEBHOOK, NOTIFY_REDIS. */
  readonly eventTargets: readonly TargetName[]
  /** PUBLIC_READ_BUCKETS. */
  readonly publicReadBuckets: readonly string[]
  /** The last expiry run of each bucket that has had one. */
  readonly expiryRuns: () => Promise<readonly ExpiryRun[]>
  /** What expiry rules would remove now. */
  readonly dryRunExpiry: (query: DryRunQuery) => Promise<DryRunFindings>
  /** Milliseconds since the epoch; undefined if the drive does not respond in time. */
  readonly bucketCreatedAtMs: (bucket: string) => Promise<number | undefined>
  readonly placeOf: (bucket: string) => BucketPlaceStatus
  readonly counter: Pick<BucketCounts, 'read' | 'count'>
  readonly folderCounts: FolderCounts
  readonly fileJobs: FileJobs
  readonly trash: {
    /** TRASH_DAYS. */
    readonly days: number
    readonly drive: Pick<Drive, 'list'>
    /** Whether objects deleted from the bucket can go to the gateway's own trash. */
    has(bucket: string): boolean
  }
  readonly deletions: Pick<DeletionTable, 'find'>
  readonly marks: Pick<MarkTable, 'add' | 'remove' | 'list'>
  readonly search: (query: Omit<SearchQuery, 'drive'>) => AsyncGenerator<readonly SearchLine[]>
  readonly openArchive: (request: Omit<ArchiveRequest, 'drive'>) => Promise<ArchiveBody>
  /** AUTH_KV. */
  readonly store: Pick<KeyValueStore, 'get' | 'set'>
  readonly folders: Pick<FolderRevisions, 'read'>
  readonly drive: Pick<Drive, 'list' | 'head' | 'open' | 'listVersions'>
  readonly thumbnails: Pick<ThumbnailTable, 'find' | 'add'>
  readonly keys: Pick<KeyAdmin, 'list' | 'create' | 'change' | 'rotate' | 'revoke'>
  /** The status without the fields that depend on the request. */
  readonly status: () => Promise<Omit<StatusReply, 'endpoint'>>
  /** The settings by topic, with what they mean. */
  readonly settingGroups: SettingsReply['groups']
  readonly region: string
  /** ACCESS_KEY. */
  readonly accessKey: string
  /** Whether PUBLIC_URL is set. */
  readonly hasPublicUrl: boolean
  /** Scheme and host that the client used; undefined if unknown. */
  readonly originOf: OriginOf
  readonly presign: (request: PresignRequest) => string
  readonly uploads: OpenUploads
  readonly activity: KeptActivity
  /** Traffic over time (trafficRoute). */
  readonly traffic: Parameters<typeof trafficRoute>[0]['traffic']
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number
  /** The database's time. */
  readonly databaseNow: () => number
}

/** Where a bucket is stored, for the dashboard. */
export interface BucketPlaceStatus {
  /** The NAME of DRIVE_NAME, or `default`. */
  readonly drive: string
  /** Whether the bucket or its drive is read-only. */
  readonly isReadOnly: boolean
}

interface PresignRequest {
  readonly method: string
  /** Scheme and host. */
  readonly origin: string
  /** Decoded: `/bucket/key`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly expiresSeconds: number
  readonly nowMs: number
}

export interface OpenUploads {
  /** Newest first; `next` is for `after`. */
  list(page: {
    readonly bucket: string | undefined
    readonly after: string | undefined
  }): Promise<{ readonly uploads: UploadStatus[]; readonly next: string | null }>
  /** False if the upload does not exist or is no longer open. */
  abort(uploadId: string, signal: AbortSignal): Promise<boolean>
}
