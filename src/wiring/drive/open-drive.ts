import { readFile } from 'node:fs/promises'
import type { Drive } from '../../drives/drive.ts'
import type { ClaimDrive } from '../../drives/drive-notes.ts'
import { openLocalDrive } from '../../drives/local/local-drive.ts'
import { openStagedUploads } from '../../drives/local/staged-uploads.ts'
import type { Database } from '../../state/database.ts'
import { DatabaseFileRecords } from '../../state/stores/file-records.ts'
import type { Log } from '../log.ts'
import type { DriveLocation } from '../settings/parse-locations.ts'
import type { Settings } from '../settings/read-settings.ts'
import { SettingsError } from '../settings/setting.ts'

/** An open drive with its state in the database. */
export interface OpenDrive {
  readonly drive: Drive
  close(): Promise<void>
}

export interface DriveParts {
  readonly settings: Settings
  readonly log: Log
  readonly database: Database
  readonly claim: ClaimDrive
  /** Whether to create missing bucket folders and recover interrupted work; absent: true. */
  readonly prepares?: boolean
  /** The database's time, for leases. */
  readonly now: () => number
}

type Opener<Kind extends DriveLocation['kind']> = (
  location: Extract<DriveLocation, { kind: Kind }>,
  parts: DriveParts,
) => Promise<OpenDrive>

/** Cloud drives are imported on demand, because a local folder does not need their HTTP client. */
const openers: { readonly [Kind in DriveLocation['kind']]: Opener<Kind> } = {
  async file({ path }, { database, log, claim }) {
    const records = new DatabaseFileRecords(database)
    const drive = await openLocalDrive({ root: path, records, log, claim })
    return {
      drive,
      async close() {
        await drive.close()
        records.close()
      },
    }
  },

  async gdrive({ folder }, { settings, database, log, claim, now }) {
    const { openGoogleDrive } = await import('../../drives/google/google-drive.ts')
    const { GoogleApi } = await import('../../drives/google/api/google-api.ts')
    const { defaultQuota } = await import('../../drives/google/api/rate-budget.ts')
    const { DatabaseDriveIndex } = await import('../../state/stores/drive-index.ts')
    const { DatabaseDriveUploads } = await import('../../state/stores/drive-index-uploads.ts')
    const { DatabaseLeases } = await import('../../state/stores/key-leases.ts')
    const { gdriveApiUrl, gdriveSharedDrive: sharedDriveId } = settings
    const api = new GoogleApi({
      credentials: await googleCredentials(settings),
      sharedDriveId,
      // The worker processes share one user's quota.
      quota: {
        ...defaultQuota,
        unitsPerMinute: defaultQuota.unitsPerMinute / settings.workers,
      },
      onRetry: (note) => log.debug(note, 'retrying a Google Drive request'),
      ...(gdriveApiUrl !== undefined && { endpoints: endpointsBelow(gdriveApiUrl) }),
    })
    const drive = await openGoogleDrive({
      api,
      folder,
      sharedDriveId,
      index: new DatabaseDriveIndex(database),
      records: new DatabaseDriveUploads(database),
      leases: new DatabaseLeases(database),
      pollSeconds: settings.drivePollSeconds,
      deletes: settings.gdriveDelete,
      now,
      log,
      claim,
    })
    return { drive, close: () => drive.close() }
  },

  async webdav({ url }, { settings, database, log, claim, now }) {
    const { openWebdavDrive } = await import('../../drives/webdav/webdav-drive.ts')
    const { DatabaseDavRecords } = await import('../../state/stores/dav-records.ts')
    const { DatabaseLeases } = await import('../../state/stores/key-leases.ts')
    const records = new DatabaseDavRecords(database)
    const drive = await openWebdavDrive({
      url,
      records,
      leases: new DatabaseLeases(database),
      spoolFolder: settings.driveSpool,
      openStaging: (folder) => openStagedUploads(folder, log),
      maxSpoolBytes: settings.driveSpoolGib * 2 ** 30,
      now,
      log,
      claim,
    })
    return {
      drive,
      async close() {
        await drive.close()
        records.close()
      },
    }
  },

  async memory() {
    const { MemoryDrive } = await import('../../drives/memory/memory-drive.ts')
    const drive = new MemoryDrive()
    return { drive, close: () => drive.close() }
  },
}

/**
 * Opens the drive of the settings and prepares it (Drive.prepare).
 *
 * @throws DriveError or SettingsError, for people.
 */
export async function openDrive(parts: DriveParts): Promise<OpenDrive> {
  const { settings, prepares = true } = parts
  const { drive: location, allowedBuckets } = settings
  const opener = openers[location.kind] as Opener<DriveLocation['kind']>
  const opened = await opener(location, parts)
  try {
    if (prepares) await opened.drive.prepare(allowedBuckets)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function googleCredentials(settings: Settings) {
  const { gdriveServiceAccount, gdriveClientId, gdriveClientSecret, gdriveRefreshToken } = settings
  if (gdriveServiceAccount !== undefined) {
    const { parseServiceAccount } = await import('../../drives/google/api/credentials.ts')
    try {
      const text = await readFile(gdriveServiceAccount, 'utf8')
      return parseServiceAccount(text, settings.gdriveSubject)
    } catch (cause) {
      const { message } = cause as Error
      throw new SettingsError([`GDRIVE_SERVICE_ACCOUNT is ${gdriveServiceAccount}: ${message}`])
    }
  }
  return {
    kind: 'refresh-token',
    // readSettings has checked that they are set.
    clientId: gdriveClientId ?? '',
    clientSecret: gdriveClientSecret ?? '',
    refreshToken: gdriveRefreshToken ?? '',
  } as const
}

function endpointsBelow(origin: string) {
  return {
    api: `${origin}/drive/v3`,
    upload: `${origin}/upload/drive/v3`,
    token: `${origin}/token`,
  }
}
