import { loadXxHashes } from '../../../platform/checksums/checksum.ts'
import { SettingsError } from '../../../platform/process/setting-mistake.ts'
import type { Database } from '../../../platform/state/database.ts'
import { startClock } from '../../../platform/state/database-clock.ts'
import { openDatabase } from '../../../platform/state/open-database.ts'
import { MadeBucketTable } from '../../../storage/buckets/made-bucket-table.ts'
import { DriveError } from '../../../storage/drives/drive-error.ts'
import type { OpenDrive } from '../../../storage/drives/drive-kind.ts'
import { trashBucketOf } from '../../../storage/drives/trash-bucket.ts'
import { refusalOfVersions } from '../../../storage/drives/unversioned.ts'
import { openOwner } from '../../fleet/open-owner.ts'
import { kindOf } from '../../settings/drive-kinds.ts'
import { nameOfDrive } from '../../settings/own-drives.ts'
import { readSettings, type Settings } from '../../settings/read-settings.ts'
import { openBucketOptions } from '../../start/cached-state.ts'
import { type DriveParts, openDrive } from '../../start/drives/open-drive.ts'
import { settingsOfGateway, withBuckets } from '../../start/first-start.ts'
import { createLog } from '../../telemetry/log.ts'
import type { CommandCall } from '../command.ts'
import { verifyBucket } from '../verify/verify-bucket.ts'
import { asOwnerOf, requireExistingDatabase, stateFolderOf } from './stored-state.ts'
import { type ReportOutput, VerifyReport } from './verify-report.ts'

/** Overwrites the current line (ECMA-48, "EL"). */
function showProgress(text: string): void {
  process.stderr.write(`\r\u001b[K${text}`)
}

const terminal: ReportOutput = {
  write: (text) => void process.stdout.write(text),
  ...(process.stderr.isTTY && { showProgress }),
}

type VerifyParts = Pick<DriveParts, 'settings' | 'log' | 'database' | 'versioning' | 'now'>

/** The objects to verify. */
interface Verified {
  readonly bucket: string
  /** Limits the run to keys that begin with this. */
  readonly prefix: string
}

/**
 * Reads all objects of a bucket and compares them with their ETags and checksums. The gateway may be
 * running: the drive is opened as one more of its processes would open it.
 *
 * @returns the exit status: 0 all objects match, 1 an object differs, 2 something could not be read.
 * @throws SettingsError, DatabaseError or DriveError with a user-facing message when the run can't begin.
 */
export async function verify(
  { environment, buckets, operands, options }: CommandCall,
  output: ReportOutput = terminal,
): Promise<0 | 1 | 2> {
  const [bucket = ''] = operands
  const prefix = typeof options.prefix === 'string' ? options.prefix : ''
  const isJson = options.json === true
  const settings = await readSettings(withBuckets(await settingsOfGateway(environment), buckets))
  assertVerifiable(settings, bucket)
  await loadXxHashes()
  const log = createLog('warn', { write: (line) => void process.stderr.write(line) })
  const { result } = await asOwnerOf(stateFolderOf(settings), async () => {
    const database = await openDatabase(settings.database, {
      migrate: false,
      connections: settings.databasePool,
    })
    try {
      await assertServed(settings, database, bucket)
      const clock = await startClock(database, log)
      const report = new VerifyReport({ bucket, isJson, output })
      try {
        const { versioning } = openBucketOptions({ settings, database, now: clock.now })
        await versioning.load()
        const parts = { settings, log, database, versioning, now: clock.now }
        await verifyWith(report, parts, { bucket, prefix })
      } finally {
        clock.stop()
      }
      return report.exitStatus
    } finally {
      await database.close()
    }
  })
  return result
}

async function verifyWith(
  report: VerifyReport,
  parts: VerifyParts,
  { bucket, prefix }: Verified,
): Promise<void> {
  const { drive, folder, close, hasVersions } = await openFor(bucket, parts)
  try {
    const onBytes = (bytes: number) => report.addBytes(bytes)
    const fail = (error: unknown) => {
      if (!(error instanceof DriveError)) throw error
      report.addFailure(error.message)
    }
    await verifyBucket({
      ...{ drive, bucket: folder, prefix, hasVersions, onBytes },
      onVerdict: (object, verdict) => report.add(object, verdict),
    }).catch(fail)
    const trash = trashBucketOf(bucket)
    if (prefix === '' && drive.trashes?.(folder)) {
      await verifyBucket({
        ...{ drive, bucket: trash, prefix, hasVersions: false, onBytes },
        onVerdict: ({ key }, verdict) => report.add({ key: `${trash}/${key}` }, verdict),
      }).catch((error: unknown) => {
        // There is no trash before something is deleted in the dashboard.
        if (!(error instanceof DriveError && error.kind === 'no-bucket')) fail(error)
      })
    }
    report.end()
  } finally {
    await close()
  }
}

/** Opens only the bucket's drive, because other drives may be unavailable. */
async function openFor(
  bucket: string,
  parts: VerifyParts,
): Promise<OpenDrive & { readonly folder: string; readonly hasVersions: boolean }> {
  const { own, folder } = placeOf(bucket, parts.settings)
  const owner = await openOwner({ ...parts, own }, { kind: 'worker' })
  const claim = own.isReadOnly ? async () => undefined : owner.claim
  const opened = await openDrive({ ...parts, own, claim, purpose: 'read' })
  // A bucket may have been moved to a drive without versions.
  const hasVersions =
    parts.versioning?.ofDrive(own.name)(folder) !== undefined &&
    refusalOfVersions(opened.drive, folder) === undefined
  return { ...opened, folder, hasVersions }
}

function placeOf(bucket: string, { bucketPlaces, drives }: Settings) {
  const { drive = '', folder = bucket } = bucketPlaces.find((one) => one.bucket === bucket) ?? {}
  const own = drives.find(({ name }) => name === drive)
  if (own === undefined) throw new Error(`there is no drive ${drive}`)
  return { own, folder }
}

/** @throws SettingsError unless the bucket is in ALLOWED_BUCKETS or was created at run time. */
async function assertServed(
  { allowedBuckets }: Settings,
  database: Database,
  bucket: string,
): Promise<void> {
  if (allowedBuckets.includes(bucket)) return
  const made = (await new MadeBucketTable(database).all()).map((row) => row.bucket)
  if (made.includes(bucket)) return
  throw notServed([...allowedBuckets, ...made], bucket)
}

function notServed(buckets: readonly string[], bucket: string): SettingsError {
  const names = buckets.join(', ')
  return new SettingsError([
    `ALLOWED_BUCKETS does not list the bucket ${bucket}: expected one of ${names}`,
  ])
}

function assertVerifiable(settings: Settings, bucket: string): void {
  const { database, allowedBuckets } = settings
  const { own } = placeOf(bucket, settings)
  const { isInMemory, form } = kindOf(own.drive)
  if (isInMemory) {
    const setting = nameOfDrive('drive', own.name)
    throw new SettingsError([`${setting} is ${form}, which only the gateway process can read`])
  }
  try {
    requireExistingDatabase({ database })
  } catch (error) {
    // Without a database, there are no buckets that were made at run time.
    if (!allowedBuckets.includes(bucket)) throw notServed(allowedBuckets, bucket)
    throw error
  }
}
