import { openLocalDrive } from '../drives/local/local-drive.ts'
import type { HttpHandler } from '../http/message.ts'
import type { S3Settings } from '../s3/context.ts'
import { createS3Handler } from '../s3/handler.ts'
import { Uploads } from '../s3/multipart/uploads.ts'
import { DatabaseFileRecords } from '../state/file-records.ts'
import { openDatabase } from '../state/open-database.ts'
import { UploadTable } from '../state/uploads.ts'
import { createGateway } from './gateway.ts'
import { createHealthHandler } from './health.ts'
import type { Log } from './log.ts'
import type { Settings } from './settings/read-settings.ts'

/** Everything behind the port, opened and connected. */
export interface Service {
  readonly handler: HttpHandler
  /** Removes expired uploads and what crashes left; for one process to call from time to time. */
  sweep(): Promise<void>
  /** To be called when no request runs any more. */
  close(): Promise<void>
}

/**
 * @throws DatabaseError or DriveError when a part can't be opened.
 */
export async function openService(
  settings: Settings,
  log: Log,
  options: { readonly migrate: boolean },
): Promise<Service> {
  const database = await openDatabase(settings.database, options)
  const records = new DatabaseFileRecords(database)
  const drive = await openLocalDrive({ root: settings.drive.path, records, log })
  const uploads = new Uploads({
    drive,
    table: new UploadTable(database),
    partWaitMs: settings.partWaitSeconds * 1_000,
    expiryMs: settings.uploadExpiryHours * 3_600_000,
    now: Date.now,
    log,
  })
  const close = async () => {
    await uploads.settled()
    await drive.close()
    records.close()
    await database.close()
  }
  try {
    await drive.prepare(settings.allowedBuckets)
  } catch (error) {
    await close()
    throw error
  }
  const s3 = createS3Handler({
    settings: s3Settings(settings),
    drive,
    uploads,
    now: Date.now,
    log,
  })
  const health = createHealthHandler({
    checks: { drive: () => drive.check(), database: () => database.check() },
    onFailure: (part, error) => log.error({ part, err: error }, 'health check failed'),
  })
  return { handler: createGateway({ s3, health }), sweep: () => uploads.sweep(), close }
}

function s3Settings(settings: Settings): S3Settings {
  return { ...settings, publicReadBuckets: new Set(settings.publicReadBuckets) }
}
