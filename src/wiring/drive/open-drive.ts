import { join } from 'node:path'
import type { Drive } from '../../drives/drive.ts'
import type { ClaimDrive } from '../../drives/drive-notes.ts'
import { openLocalDrive } from '../../drives/local/local-drive.ts'
import type { Finding } from '../../drives/local/probe/findings.ts'
import { openStagedUploads } from '../../drives/local/staged-uploads.ts'
import { readBoundedFile } from '../../process/bounded-file.ts'
import type { Database } from '../../state/database.ts'
import { DatabaseFileRecords } from '../../state/stores/file-records.ts'
import type { Log } from '../log.ts'
import { credentialKeys, type DriveSettings, nameOfDrive } from '../settings/drive-settings.ts'
import type { DriveLocation } from '../settings/parse-locations.ts'
import type { Settings } from '../settings/read-settings.ts'
import { SettingsError } from '../settings/setting.ts'
import type { ServiceRole } from './open-owner.ts'

/** An open drive with its state in the database. */
export interface OpenDrive {
  readonly drive: Drive
  close(): Promise<void>
}

export interface DriveParts {
  readonly settings: Settings
  /** The drive to open, one of `settings.drives`. */
  readonly own: DriveSettings
  readonly log: Log
  readonly database: Database
  readonly claim: ClaimDrive
  /** The buckets made at run time, as of now. Absent: none. */
  readonly madeBuckets?: () => Promise<readonly string[]>
  /** Whether to create missing bucket folders and recover interrupted work; absent: true. */
  readonly prepares?: boolean
  /** The database's time, for leases. */
  readonly now: () => number
  /** How many gateways run, with this one. Absent: only this one. */
  readonly gateways?: (() => number) | undefined
  /** If this is the primary, it tests the file system of a folder. Absent: no test. */
  readonly role?: Pick<ServiceRole, 'kind'>
}

type Opener<Kind extends DriveLocation['kind']> = (
  location: Extract<DriveLocation, { kind: Kind }>,
  parts: DriveParts,
) => Promise<OpenDrive>

/** Cloud drives are imported on demand, because a local folder does not need their HTTP client. */
const openers: { readonly [Kind in DriveLocation['kind']]: Opener<Kind> } = {
  async file({ path }, { own, database, log, claim, now, role }) {
    const records = new DatabaseFileRecords(database, own.name, now)
    const drive = await openLocalDrive({
      ...{ root: path, records, log, claim },
      isReadOnly: own.isReadOnly,
      // A database in a file fails when its disk does: that must not look like an object without attributes.
      readsAlone: database.kind === 'postgres',
      ...(role?.kind === 'primary' && { onFinding: findingLogger(log, path) }),
    })
    return {
      drive,
      async close() {
        await drive.close()
        await records.close()
      },
    }
  },

  async gdrive({ folder }, { settings, own, database, log, claim, now, gateways }) {
    const { openGoogleDrive } = await import('../../drives/google/google-drive.ts')
    const { GoogleApi } = await import('../../drives/google/api/google-api.ts')
    const { defaultQuota } = await import('../../drives/google/api/rate-budget.ts')
    const { DatabaseDriveIndex } = await import('../../state/stores/drive-index.ts')
    const { DatabaseDriveUploads } = await import('../../state/stores/drive-index-uploads.ts')
    const { DatabaseLeases } = await import('../../state/stores/key-leases.ts')
    const { gdriveApiUrl } = settings
    const { gdriveSharedDrive: sharedDriveId } = own
    const api = new GoogleApi({
      credentials: await googleCredentials(own),
      sharedDriveId,
      // The gateways, their worker processes and the drives of one account share its quota.
      quota: {
        ...defaultQuota,
        unitsPerMinute:
          defaultQuota.unitsPerMinute / settings.workers / drivesOfAccount(own, settings),
        ...(gateways !== undefined && { sharedBy: gateways }),
      },
      onRetry: (note) => log.debug(note, 'retrying a Google Drive request'),
      ...(gdriveApiUrl !== undefined && { endpoints: endpointsBelow(gdriveApiUrl) }),
    })
    const drive = await openGoogleDrive({
      api,
      folder,
      sharedDriveId,
      index: new DatabaseDriveIndex(database, now, own.name),
      records: new DatabaseDriveUploads(database, now, own.name),
      leases: new DatabaseLeases(database, own.name),
      pollSeconds: settings.drivePollSeconds,
      deletes: own.gdriveDelete,
      isReadOnly: own.isReadOnly,
      now,
      log,
      claim,
    })
    return { drive, close: () => drive.close() }
  },

  async webdav({ url }, { settings, own, database, log, claim, now }) {
    const { openWebdavDrive } = await import('../../drives/webdav/webdav-drive.ts')
    const { DatabaseDavRecords } = await import('../../state/stores/dav-records.ts')
    const { DatabaseLeases } = await import('../../state/stores/key-leases.ts')
    const records = new DatabaseDavRecords(database, own.name, now)
    const drive = await openWebdavDrive({
      url,
      records,
      leases: new DatabaseLeases(database, own.name),
      spoolFolder: spoolFolderOf(settings, own),
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
        await records.close()
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
 * Opens a drive of the settings and prepares it for its buckets (Drive.prepare).
 *
 * @throws DriveError or SettingsError, for people.
 */
export async function openDrive(parts: DriveParts): Promise<OpenDrive> {
  const { settings, own } = parts
  // Google Drive's index follows what changes from `prepare` on, also on a read-only drive.
  const prepares = own.isReadOnly ? own.drive.kind === 'gdrive' : (parts.prepares ?? true)
  const places = settings.bucketPlaces.filter(({ drive }) => drive === own.name)
  const opener = openers[own.drive.kind] as Opener<DriveLocation['kind']>
  const opened = await opener(own.drive, parts)
  try {
    if (prepares) {
      const made = (await parts.madeBuckets?.()) ?? []
      await opened.drive.prepare([...new Set([...places.map(({ folder }) => folder), ...made])])
    }
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

function findingLogger(log: Log, folder: string): (finding: Finding) => void {
  return ({ code, isHarmless, text }) => {
    log[isHarmless ? 'info' : 'warn']({ folder, missing: code }, text)
  }
}

/** The staging directory of a WebDAV drive. Drives may not share one: each sweeps what it does not know. */
export function spoolFolderOf({ driveSpool }: Settings, { name }: DriveSettings): string {
  return name === '' ? driveSpool : join(driveSpool, 'drives', name)
}

function drivesOfAccount(own: DriveSettings, { drives }: Settings): number {
  const isSame = (other: DriveSettings) =>
    other.drive.kind === 'gdrive' && credentialKeys.every((key) => own[key] === other[key])
  return drives.filter(isSame).length
}

async function googleCredentials(own: DriveSettings) {
  const { gdriveServiceAccount, gdriveClientId, gdriveClientSecret, gdriveRefreshToken } = own
  if (gdriveServiceAccount !== undefined) {
    const { parseServiceAccount } = await import('../../drives/google/api/credentials.ts')
    try {
      const text = readBoundedFile(gdriveServiceAccount).toString()
      return parseServiceAccount(text, own.gdriveSubject)
    } catch (cause) {
      const { message } = cause as Error
      const setting = nameOfDrive('gdriveServiceAccount', own.name)
      throw new SettingsError([`${setting} is ${gdriveServiceAccount}: ${message}`])
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
