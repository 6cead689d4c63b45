import { DriveError } from '../../drives/drive.ts'
import { verifyBucket } from '../../s3/verify/verify-bucket.ts'
import { openDatabase } from '../../state/open-database.ts'
import { openDrive } from '../drive/open-drive.ts'
import { openOwner } from '../drive/open-owner.ts'
import { settingsOfGateway, withBuckets } from '../first-start.ts'
import { createLog } from '../log.ts'
import { type Environment, readSettings, type Settings } from '../settings/read-settings.ts'
import { SettingsError } from '../settings/setting.ts'
import { startClock } from '../start-clock.ts'
import { requireExistingDatabase } from './existing-database.ts'
import { type ReportOutput, VerifyReport } from './verify-report.ts'

/** The options of `bucketry verify`. */
export interface VerifyOptions {
  readonly environment: Environment
  /** ALLOWED_BUCKETS of the command line. */
  readonly buckets?: string | undefined
  readonly bucket: string
  /** Only keys that begin with this. */
  readonly prefix: string
  readonly isJson: boolean
  readonly output: ReportOutput
  /** For the warnings of the drive. */
  writeLog(line: string): void
}

/**
 * Reads all objects of a bucket and compares them with their ETags and checksums. The gateway may run
 * meanwhile: the drive is opened as by one more of its processes.
 *
 * @returns the exit status: 0 all right, 1 an object differs, 2 something could not be read.
 * @throws SettingsError, DatabaseError or DriveError, for people, when it can't begin.
 */
export async function verify(options: VerifyOptions): Promise<0 | 1 | 2> {
  const { bucket, prefix, isJson, output, writeLog } = options
  const settings = readSettings(
    withBuckets(await settingsOfGateway(options.environment), options.buckets),
  )
  assertVerifiable(settings, bucket)
  const log = createLog('warn', { write: writeLog })
  const database = await openDatabase(settings.database, { migrate: false })
  try {
    const { claim } = await openOwner({ settings, log, database }, { kind: 'worker' })
    const clock = await startClock(database, log)
    // Google Drive's index follows what changes from `prepare` on. The others need it for writing only.
    const prepares = settings.drive.kind === 'gdrive'
    const { drive, close } = await openDrive({
      ...{ settings, log, database, claim, prepares },
      now: clock.now,
    })
    try {
      const report = new VerifyReport({ bucket, isJson, output })
      await verifyBucket({
        ...{ drive, bucket, prefix },
        onBytes: (bytes) => report.addBytes(bytes),
        onVerdict: (key, verdict) => report.add(key, verdict),
      }).catch((error: unknown) => {
        if (!(error instanceof DriveError)) throw error
        report.addFailure(error.message)
      })
      report.end()
      return report.exitStatus
    } finally {
      await close()
      clock.stop()
    }
  } finally {
    await database.close()
  }
}

function assertVerifiable({ drive, database, allowedBuckets }: Settings, bucket: string): void {
  if (!allowedBuckets.includes(bucket)) {
    const names = allowedBuckets.join(', ')
    throw new SettingsError([
      `ALLOWED_BUCKETS does not list the bucket ${bucket}: expected one of ${names}`,
    ])
  }
  if (drive.kind === 'memory') {
    throw new SettingsError(['DRIVE is memory:, which only the gateway process can read'])
  }
  requireExistingDatabase({ database })
}
