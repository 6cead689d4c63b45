import { bearerToken, Sessions } from '../../dashboard/login/sessions.ts'
import { isFromOtherOrigin, originBehind } from '../../platform/http/origin.ts'
import type { Database } from '../../platform/state/database.ts'
import type { KeyValueStore } from '../../platform/state/key-value/key-value.ts'
import type { BucketMaker } from '../../storage/buckets/bucket-maker.ts'
import { LockClock } from '../../storage/buckets/lock-clock.ts'
import { LockClockTable } from '../../storage/buckets/lock-clock-table.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import type { DriveNotes } from '../../storage/drives/drive-notes.ts'
import { compatibilityOf } from '../../storage/s3/compatibility.ts'
import { Acls } from '../../storage/s3/configuration/acls.ts'
import type { S3Service } from '../../storage/s3/context.ts'
import {
  createKeyHandler,
  createS3Handler,
  type KeyHandler,
  type S3Handler,
} from '../../storage/s3/handler.ts'
import { UploadTable } from '../../storage/s3/multipart/upload-table.ts'
import { Uploads } from '../../storage/s3/multipart/uploads.ts'
import { createWebsites, type WebsiteHandler } from '../../storage/s3/website/serve-website.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from '../telemetry/log.ts'
import { type BucketJobs, openBucketJobs } from './bucket-jobs.ts'
import { openBucketMaker } from './bucket-making.ts'
import type { CachedState } from './cached-state.ts'
import { openPassword } from './dashboard-password.ts'

/** The S3 protocol, and the background work on its buckets. */
export interface OpenS3 {
  readonly handler: S3Handler
  readonly websites: WebsiteHandler
  /** Answers requests that the gateway itself makes on behalf of access keys. */
  readonly byKey: KeyHandler
  readonly uploads: Uploads
  readonly bucketMaker: BucketMaker
  readonly jobs: BucketJobs
  /** Call it from time to time: the time of Object Lock is stored, as long as a bucket has it. */
  noteLockTime(): Promise<void>
  /** Call it when no request is running. */
  close(): Promise<void>
}

export function openS3({
  settings,
  log,
  database,
  drive,
  notes,
  sessions,
  cached,
  now,
}: {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  readonly drive: Drive
  /** The drive's own list of buckets; absent if it has none. */
  readonly notes?: DriveNotes | undefined
  /** AUTH_KV. */
  readonly sessions: KeyValueStore
  readonly cached: CachedState
  /** The database's time, for leases. */
  readonly now: () => number
}): OpenS3 {
  const lockTime = new LockClock({ table: new LockClockTable(database), now, log }).read
  const compatibility = compatibilityOf[settings.compatibility]
  const uploads = new Uploads({
    ...{ drive, now, log },
    table: new UploadTable(database),
    partWaitMs: settings.partWaitSeconds * 1_000,
    expiryMs: settings.uploadExpiryHours * 3_600_000,
    onLostBytes: (bucket, bytes) => usage.addedParts(bucket, bytes),
    partOrder: compatibility.unorderedParts ? 'any' : 'sequence',
  })
  const work = { settings, log, database, drive, notes, uploads, cached, now, lockTime }
  const jobs = openBucketJobs(work)
  const { usage } = jobs
  const bucketMaker = openBucketMaker(work)
  const { keys, buckets, bucketOptions, versioning } = cached
  const { bucketCreation } = settings
  const service = {
    ...{ settings, keys, buckets, cached, usage, bucketCreation, drive, uploads, log },
    compatibility,
    acls: new Acls(settings.acls, log),
    hasSession: sessionCheck(settings, sessions),
    now: Date.now,
    lockTime,
    ...(bucketCreation === 'on' && { bucketOptions, bucketMaker, versioning }),
  }
  const handler = createS3Handler(service)
  return {
    handler,
    websites: createWebsites({ s3: handler, service }),
    byKey: createKeyHandler(service),
    uploads,
    bucketMaker,
    jobs,
    async noteLockTime() {
      if (buckets.all().some(({ objectLock }) => objectLock !== undefined)) await lockTime()
    },
    async close() {
      await jobs.close()
      await uploads.idle()
    },
  }
}

/** Whether a request has a session of the dashboard. Undefined if there is no dashboard. */
function sessionCheck(settings: Settings, store: KeyValueStore): S3Service['hasSession'] {
  const { dashboardPassword, publicUrl, trustProxy } = settings
  if (dashboardPassword === undefined) return undefined
  const password = openPassword(settings)
  const sessions = new Sessions(store, () => password.current() ?? dashboardPassword)
  const originOf = originBehind(trustProxy)
  return async (request) => {
    const token = bearerToken(request.headers.authorization)
    if (token === undefined || isFromOtherOrigin(request, [publicUrl, originOf(request)])) {
      return false
    }
    return await sessions.isValid(token)
  }
}
