import { MarkTable } from '../../dashboard/management/files/mark-table.ts'
import type { Database } from '../../platform/state/database.ts'
import { versioningOf } from '../../storage/buckets/bucket-options.ts'
import { BucketUsage, type CountedBytes } from '../../storage/buckets/bucket-usage.ts'
import { retentionFrom } from '../../storage/buckets/default-retention.ts'
import type { LockClock } from '../../storage/buckets/lock-clock.ts'
import type { Drive } from '../../storage/drives/drive.ts'
import { DriveError } from '../../storage/drives/drive-error.ts'
import { DatabaseLeases } from '../../storage/drives/kit/key-lease-table.ts'
import { KeyLeases } from '../../storage/drives/kit/key-leases.ts'
import { refusalOfVersions } from '../../storage/drives/unversioned.ts'
import { isEnabled } from '../../storage/drives/versions.ts'
import { BucketCounts, type CountFigures } from '../../storage/jobs/bucket-counts.ts'
import { Expiry, type ExpiryRun, expiryRuns } from '../../storage/jobs/expiry/expiry.ts'
import { FileJobs, fileJobKeptMs, type MoveOrder } from '../../storage/jobs/files/file-jobs.ts'
import type { Transfer } from '../../storage/jobs/files/transfer-object.ts'
import {
  type FolderCounts,
  folderCountKeptMs,
  openFolderCounts,
} from '../../storage/jobs/folder-counts.ts'
import { JobRunner } from '../../storage/jobs/job-runner.ts'
import { JobTable } from '../../storage/jobs/job-table.ts'
import { DeletionTable } from '../../storage/jobs/trash/deletion-table.ts'
import { openTrashExpiry } from '../../storage/jobs/trash/trash.ts'
import { safeSum } from '../../storage/jobs/walk.ts'
import type { Uploads } from '../../storage/s3/multipart/uploads.ts'
import { isReadOnlyBucket } from '../settings/own-drives.ts'
import type { Settings } from '../settings/read-settings.ts'
import type { Log } from '../telemetry/log.ts'
import type { CachedState } from './cached-state.ts'

/** Background work on buckets. */
export interface BucketJobs {
  /** Whether the bucket has or had versions. */
  hasVersions(bucket: string): boolean
  readonly counts: BucketCounts
  readonly folderCounts: FolderCounts
  readonly fileJobs: FileJobs
  readonly deletions: DeletionTable
  /** The usage of buckets with a quota, counted in the same way as for the dashboard. */
  readonly usage: BucketUsage
  /** Removes objects and uploads that lifecycle rules expire; call it every few seconds. */
  expire(signal: AbortSignal): Promise<void>
  /** Removes objects whose time in the trash has passed. */
  expireTrash(signal: AbortSignal): Promise<void>
  /** The last removal by lifecycle rules, for each bucket that had one. */
  expiryRuns(): Promise<readonly ExpiryRun[]>
  /** Removes the records of old jobs on files and of folder counts. */
  sweep(): Promise<void>
  /** Stops the running work. */
  close(): Promise<void>
}

/** Stars keep their files when these are moved. */
function marksThatFollow(database: Database, log: Log) {
  const marks = new MarkTable(database)
  return async ({ bucket, paths, to }: MoveOrder): Promise<void> => {
    await marks.follow(bucket, paths, to).catch((err: unknown) => {
      log.warn({ err, bucket }, 'stars did not follow a move')
    })
  }
}

export function openBucketJobs({
  settings,
  database,
  drive,
  uploads,
  cached: { buckets, ensureCurrent },
  now,
  lockTime,
  log,
}: {
  readonly settings: Settings
  readonly database: Database
  readonly drive: Drive
  readonly uploads: Uploads
  readonly cached: CachedState
  /** The database's time: processes of other gateways also hold leases. */
  readonly now: () => number
  readonly lockTime: LockClock['read']
  readonly log: Log
}): BucketJobs {
  const table = new JobTable(database)
  const leases = new KeyLeases({ table: new DatabaseLeases(database, '/jobs'), now })
  const jobs = new JobRunner({ table, leases, now, log })
  // A bucket may have been moved to a drive without versions.
  const hasVersions = (name: string) =>
    versioningOf(buckets.find(name)) !== undefined && refusalOfVersions(drive, name) === undefined
  const keepsRemoved = (name: string) => {
    const versioning = versioningOf(buckets.find(name))
    const hasBegun = (versioning?.changes.at(-1) ?? 0) <= now()
    return versioning !== undefined && isEnabled(versioning) && hasBegun
  }
  const counts = new BucketCounts({ drive, hasVersions, jobs, now, log })
  const lockRules = async (name: string) => {
    const isLocked = buckets.find(name)?.objectLock !== undefined
    return isLocked ? { nowMs: (await lockTime()).endedMs } : undefined
  }
  const common = { jobs, drive, lockRules, now }
  const expiry = new Expiry({
    ...{ ...common, hasVersions, ensureCurrent, log, localNow: Date.now },
    buckets: {
      find: (name) => buckets.find(name),
      all: () => buckets.all().filter(({ name }) => !isReadOnlyBucket(name, settings)),
    },
    uploads: {
      listOpen: (page) => uploads.listOpen(page),
      abort: (uploadId, signal) => uploads.abortById(uploadId, signal),
    },
  })
  const usage = openUsage({ counts, uploads, now, log })
  const deletions = new DeletionTable(database)
  const onMoved = marksThatFollow(database, log)
  const fileJobs = new FileJobs({
    ...{ ...common, table, deletions, keepsRemoved, onMoved },
    hasTrash: (name) => settings.trashDays > 0 && (drive.trashes?.(name) ?? false),
    async newLock(name) {
      const period = buckets.find(name)?.objectLock?.defaultRetention
      if (period === undefined) return {}
      return { retention: retentionFrom(period, (await lockTime()).startMs) }
    },
    withinRoom: (name, bytes, work) =>
      withinRoom({ usage, quotaBytes: buckets.find(name)?.quotaBytes }, { name, bytes }, work),
  })
  const expireTrash = openTrashExpiry({
    ...{ drive, fileJobs, days: settings.trashDays, now, localNow: Date.now },
    buckets: () => buckets.all().map(({ name }) => name),
  })
  return {
    ...{ counts, hasVersions },
    folderCounts: openFolderCounts({ drive, jobs, now }),
    ...{ fileJobs, deletions, usage },
    expire: (signal) => expiry.run(signal),
    expireTrash,
    expiryRuns: () => expiryRuns(jobs),
    async sweep() {
      for (const kind of ['file', 'delete'] as const) {
        await table.sweep(kind, now() - fileJobKeptMs)
      }
      await table.sweep('folder', now() - folderCountKeptMs)
    },
    async close() {
      await Promise.all([jobs.close(), counts.close()])
    },
  }
}

/** As `withinQuota` of S3, for work that no request does. @throws DriveError `full` */
async function withinRoom(
  { usage, quotaBytes }: { readonly usage: BucketUsage; readonly quotaBytes: number | undefined },
  { name, bytes }: { readonly name: string; readonly bytes: number },
  work: Transfer,
): ReturnType<Transfer> {
  if (quotaBytes === undefined) return await work()
  const limit = { buckets: [name], bytes: quotaBytes }
  if ((await usage.reserve(name, bytes, [limit])) !== undefined) {
    const message = `The quota of the bucket ${name} is ${quotaBytes} bytes: ${bytes} more bytes would exceed it.`
    throw new DriveError('full', message)
  }
  try {
    const outcome = await work()
    if (outcome === 'done') usage.wrote(name, bytes)
    return outcome
  } finally {
    usage.giveBack(name, bytes)
  }
}

/** Former versions take as much space as objects. */
function withFormer({ bytes, formerVersions, countedAtMs }: CountFigures): CountedBytes {
  return { bytes: safeSum(bytes, formerVersions?.bytes ?? 0), countedAtMs }
}

function openUsage({
  counts,
  uploads,
  now,
  log,
}: {
  readonly counts: BucketCounts
  readonly uploads: Pick<Uploads, 'openBytes'>
  readonly now: () => number
  readonly log: Log
}): BucketUsage {
  return new BucketUsage({
    async read(buckets) {
      const known = [...(await counts.read(buckets))].flatMap(([bucket, { figures }]) =>
        figures === undefined ? [] : [[bucket, withFormer(figures)] as const],
      )
      return new Map(known)
    },
    readOpenParts: () => uploads.openBytes(),
    now,
    onFailure: (error) => log.warn({ err: error }, 'could not read the usage of a bucket'),
  })
}
