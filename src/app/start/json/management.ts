import { createDriveStatus } from '../../../dashboard/management/drive-status.ts'
import { MarkTable } from '../../../dashboard/management/files/mark-table.ts'
import { FolderRevisions } from '../../../dashboard/management/folders/folder-revisions.ts'
import type {
  BucketPlaceStatus,
  ManagementApiParts,
  OpenUploads,
} from '../../../dashboard/management/management-parts.ts'
import { ThumbnailTable } from '../../../dashboard/thumbnails/thumbnail-table.ts'
import { originBehind } from '../../../platform/http/origin.ts'
import { packageVersion } from '../../../platform/process/package-folder.ts'
import type { Database } from '../../../platform/state/database.ts'
import type { KeyValueStore } from '../../../platform/state/key-value/key-value.ts'
import type { AccessKeys } from '../../../storage/access/access-keys.ts'
import type { KeyAdmin } from '../../../storage/access/key-admin.ts'
import { openArchive } from '../../../storage/archive/object-archive.ts'
import type { BucketMaker } from '../../../storage/buckets/bucket-maker.ts'
import type { BucketOptionsWriter } from '../../../storage/buckets/bucket-options.ts'
import type { BucketVersioning } from '../../../storage/buckets/bucket-versioning.ts'
import type { Buckets } from '../../../storage/buckets/buckets.ts'
import type { Drive } from '../../../storage/drives/drive.ts'
import type { Mount } from '../../../storage/drives/route/mount.ts'
import { refusalOfVersions } from '../../../storage/drives/unversioned.ts'
import { dryRunExpiry } from '../../../storage/jobs/expiry/expired-objects.ts'
import { websiteHostOf } from '../../../storage/s3/address/address.ts'
import { compatibilityOf } from '../../../storage/s3/compatibility.ts'
import { keepsDocuments } from '../../../storage/s3/configuration/public-access.ts'
import type { OpenUpload, UploadPosition, Uploads } from '../../../storage/s3/multipart/uploads.ts'
import { presign } from '../../../storage/s3/sigv4/presign.ts'
import { search } from '../../../storage/search/search.ts'
import { isReadOnlyBucket } from '../../settings/own-drives.ts'
import type { Settings } from '../../settings/read-settings.ts'
import { settingGroups, shownSettings } from '../../settings/shown-settings.ts'
import type { ActivityWatch } from '../../telemetry/activity-watch.ts'
import type { Log } from '../../telemetry/log.ts'
import type { TrafficWatch } from '../../telemetry/traffic-watch.ts'
import type { BucketJobs } from '../bucket-jobs.ts'
import { eventTargets } from '../open-events.ts'

/** The default drive's name in the API. */
const defaultDrive = 'default'
/** Open uploads per page. */
const pageUploads = 100
export interface ManagementWiring {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
  readonly drive: Drive
  readonly mounts: readonly Mount[]
  readonly uploads: Uploads
  readonly activity: ActivityWatch
  readonly traffic: Pick<TrafficWatch, 'read'>
  readonly buckets: Buckets
  readonly keys: AccessKeys
  readonly keyAdmin: KeyAdmin
  readonly bucketOptions: BucketOptionsWriter
  readonly bucketMaker: BucketMaker
  readonly versioning: BucketVersioning
  readonly jobs: BucketJobs
  /** The database's time. */
  readonly now: () => number
}

/** Connects the management API to the parts that it manages. */
export function openManagement(wiring: ManagementWiring): Omit<ManagementApiParts, 'session'> {
  const { settings, log, drive, activity, traffic, buckets, bucketOptions, jobs, now } = wiring
  const { accessKey, secretKey, region, publicUrl } = settings
  const common = { drive, now, log }
  const driveStatus = createDriveStatus(common)
  const drives = mountStatus(wiring)
  const version = packageVersion()
  const originOf = originBehind(settings.trustProxy)
  return {
    keys: wiring.keyAdmin,
    ...{ buckets, bucketOptions, bucketMaker: wiring.bucketMaker },
    versioning: {
      refusal: (bucket) => refusalOfVersions(drive, bucket),
      change: (bucket, status) => wiring.versioning.change(bucket, status, drive),
    },
    bucketCreation: settings.bucketCreation,
    ...bucketAbilities(settings),
    publicReadBuckets: settings.publicReadBuckets,
    expiryRuns: () => jobs.expiryRuns(),
    dryRunExpiry: (query) =>
      dryRunExpiry({ ...common, hasVersions: (bucket) => jobs.hasVersions(bucket) }, query),
    placeOf: (bucket) => placeOf(bucket, settings),
    bucketCreatedAtMs: (bucket) => driveStatus.createdAtMs(bucket),
    counter: jobs.counts,
    folderCounts: jobs.folderCounts,
    ...{ fileJobs: jobs.fileJobs, deletions: jobs.deletions },
    trash: {
      ...{ days: settings.trashDays, drive },
      has: (bucket) => drive.trashes?.(bucket) ?? false,
    },
    search: (query) => search({ ...query, drive }),
    openArchive: (request) => openArchive({ ...request, drive }),
    store: wiring.sessions,
    drive,
    ...tablesOf(wiring),
    folders: new FolderRevisions({ drive, now: () => performance.now() }),
    settingGroups,
    region,
    accessKey,
    hasPublicUrl: publicUrl !== undefined,
    originOf: (request) => publicUrl ?? originOf(request),
    presign: (request) => presign({ ...request, accessKey, secretKey, region }),
    uploads: openUploads(wiring.uploads),
    status: async () => ({
      version,
      uptimeSeconds: Math.floor(process.uptime()),
      ...(await drives()),
      settings: shownSettings(settings),
    }),
    activity,
    traffic: (range) => traffic.read(range),
    now: Date.now,
    databaseNow: now,
  }
}

/** What the settings allow for buckets. */
function bucketAbilities(settings: Settings) {
  return {
    keepsDocuments: keepsDocuments(compatibilityOf[settings.compatibility]),
    websiteHostOf: (bucket: string) => websiteHostOf(bucket, settings),
    eventTargets: eventTargets(settings),
  }
}

function tablesOf({ database }: Pick<ManagementWiring, 'database'>) {
  return { thumbnails: new ThumbnailTable(database), marks: new MarkTable(database) }
}

function placeOf(bucket: string, settings: Settings): BucketPlaceStatus {
  const name = settings.bucketPlaces.find((place) => place.bucket === bucket)?.drive ?? ''
  return { drive: name || defaultDrive, isReadOnly: isReadOnlyBucket(bucket, settings) }
}

/** The status of the default drive alone, for clients from before named drives, and of all drives. */
function mountStatus({ mounts, log }: Pick<ManagementWiring, 'mounts' | 'log'>) {
  const watched = mounts.map((mount) => {
    const problem = () => mount.problem
    const status = createDriveStatus({ drive: currentOf(mount), problem, now: Date.now, log })
    return { mount, status }
  })
  return async () => {
    const drives = await Promise.all(
      watched.map(async ({ mount: { name, isReadOnly }, status }) => {
        return { name: name || defaultDrive, isReadOnly, ...(await status.status()) }
      }),
    )
    const [first] = drives
    if (first === undefined) throw new Error('there is no default drive')
    const { name: _, isReadOnly: __, ...drive } = first
    return { drive, drives }
  }
}

/** Looks up the mount's drive at every call: it changes when the drive is opened late or lost. */
function currentOf(
  mount: Mount,
): Pick<Drive, 'kind' | 'deletes' | 'check' | 'quota' | 'bucketCreatedAtMs'> {
  const unlimited = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: Number.POSITIVE_INFINITY }
  return {
    get kind() {
      return mount.drive.kind
    },
    get deletes() {
      return mount.drive.deletes
    },
    check: (access) => mount.drive.check(access),
    quota: async () => (await mount.drive.quota?.()) ?? unlimited,
    bucketCreatedAtMs: (bucket) => mount.drive.bucketCreatedAtMs(bucket),
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
    abort: (uploadId, signal) => uploads.abortById(uploadId, signal),
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
