import type { Drive } from '../drives/drive.ts'
import { openLocalDrive } from '../drives/local/local-drive.ts'
import type { HttpHandler } from '../http/message.ts'
import type { S3Settings } from '../s3/context.ts'
import { createS3Handler } from '../s3/handler.ts'
import { Uploads } from '../s3/multipart/uploads.ts'
import type { Database } from '../state/database.ts'
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
  /** To be called once it serves: begins what the first requests would else wait for. */
  warmUp(): void
  /** Removes expired uploads and what crashes left; for one process to call from time to time. */
  sweep(signal: AbortSignal): Promise<void>
  /** To be called when no request runs any more. */
  close(): Promise<void>
}

export interface ServiceParts {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  readonly drive: Drive
}

/**
 * Opens what the settings name.
 *
 * @throws DatabaseError or DriveError, for people, when a part can't be opened.
 */
export async function openService(
  settings: Settings,
  log: Log,
  options: { readonly migrate: boolean },
): Promise<Service> {
  const database = await openDatabase(settings.database, options)
  const records = new DatabaseFileRecords(database)
  const drive = await openLocalDrive({ root: settings.drive.path, records, log })
  await drive.prepare(settings.allowedBuckets)
  const service = connectService({ settings, log, database, drive })
  return {
    ...service,
    async close() {
      await service.close()
      await drive.close()
      records.close()
      await database.close()
    },
  }
}

/** Connects parts that are open. Closing it ends its own work and leaves them open. */
export function connectService({ settings, log, database, drive }: ServiceParts): Service {
  const uploads = new Uploads({
    drive,
    table: new UploadTable(database),
    partWaitMs: settings.partWaitSeconds * 1_000,
    expiryMs: settings.uploadExpiryHours * 3_600_000,
    now: Date.now,
    log,
  })
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
  return {
    handler: createGateway({ s3, health }),
    warmUp: () => database.warmUp?.(),
    sweep: (signal) => uploads.sweep(signal),
    close: () => uploads.settled(),
  }
}

function s3Settings(settings: Settings): S3Settings {
  return { ...settings, publicReadBuckets: new Set(settings.publicReadBuckets) }
}
