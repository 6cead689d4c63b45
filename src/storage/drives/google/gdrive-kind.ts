import { readBoundedFile } from '../../../platform/process/bounded-file.ts'
import { SettingsError } from '../../../platform/process/setting-mistake.ts'
import { type DriveKind, type Location, nameFor, type OwnDrive } from '../drive-kind.ts'

export interface GdriveLocation extends Location {
  readonly kind: 'gdrive'
  /** A path below My Drive or the shared drive, or the id of a folder. Empty: all of it. */
  readonly folder: string
}

/** The credentials of a Google account, which are set together. */
export const credentialKeys = [
  'gdriveClientId',
  'gdriveClientSecret',
  'gdriveRefreshToken',
  'gdriveServiceAccount',
  'gdriveSubject',
] as const

type Credentials = { readonly [Key in (typeof credentialKeys)[number]]?: string | undefined }

/** The settings that each Google Drive has for itself. */
export interface GdriveOwn<Place extends Location = GdriveLocation>
  extends OwnDrive<Place>,
    Credentials {
  readonly gdriveSharedDrive?: string | undefined
  readonly gdriveDelete: 'trash' | 'permanent'
}

/** The other settings that a Google Drive uses. */
export interface GdriveService {
  readonly drives: readonly GdriveOwn<Location>[]
  readonly workers: number
  readonly gdriveApiUrl?: string | undefined
  readonly drivePollSeconds: number
}

export const gdriveKind: DriveKind<GdriveLocation, GdriveOwn, GdriveService> = {
  ...{ kind: 'gdrive', scheme: 'gdrive:', form: 'gdrive:FOLDER', beatMs: 20_000 },
  prefersOneWorker: true,
  isOfAccount: true,
  parse(text) {
    if (!text.startsWith('gdrive:')) return undefined
    return { kind: 'gdrive', folder: text.slice('gdrive:'.length) }
  },
  deletes: ({ gdriveDelete }) => gdriveDelete,
  mistakes(own, setting) {
    const { gdriveClientId, gdriveClientSecret, gdriveRefreshToken, name } = own
    if (own.gdriveServiceAccount !== undefined) return []
    if (gdriveClientId && gdriveClientSecret && gdriveRefreshToken) return []
    const [id = '', secret = '', token = '', account = ''] = [
      ...['GDRIVE_CLIENT_ID', 'GDRIVE_CLIENT_SECRET', 'GDRIVE_REFRESH_TOKEN'],
      'GDRIVE_SERVICE_ACCOUNT',
    ].map((key) => nameFor(name, key))
    const command = `bucketry connect google${name === '' ? '' : ` --drive ${name}`}`
    return [
      `${setting} is a Google Drive: expected ${id}, ${secret} and ${token} (\`${command}\`), or ${account}`,
    ]
  },
  inOneForm: async (place) => ({ kind: 'gdrive', folder: namesIn(place).join('/') }),
  placeOf(own) {
    const account = [...credentialKeys, 'gdriveSharedDrive' as const].map((key) => own[key] ?? '')
    return { server: `gdrive ${account.join('\n')}`, path: ['', ...namesIn(own.drive)].join('/') }
  },
  shown({ drive, gdriveSharedDrive }) {
    const shared =
      gdriveSharedDrive === undefined ? '' : ` in the shared drive ${gdriveSharedDrive}`
    return `gdrive:${drive.folder}${shared}`
  },
  describe: ({ folder }) => `Google Drive, ${folder || 'top folder'}`,
  async open({ settings, own, database, log, claim, now, gateways }) {
    const { openGoogleDrive } = await import('./google-drive.ts')
    const { GoogleApi } = await import('./api/google-api.ts')
    const { defaultQuota } = await import('./api/rate-budget.ts')
    const { DatabaseDriveIndex } = await import('./index/drive-index-table.ts')
    const { DatabaseDriveUploads } = await import('../kit/uploads/drive-upload-table.ts')
    const { DatabaseLeases } = await import('../kit/key-lease-table.ts')
    const { gdriveApiUrl, workers, drivePollSeconds: pollSeconds } = settings
    const { gdriveSharedDrive: sharedDriveId } = own
    const sharing = workers * drivesOfAccount(own, settings)
    const api = new GoogleApi({
      credentials: await credentialsOf(own),
      sharedDriveId,
      // The gateways, their worker processes and the drives of one account share its quota.
      quota: {
        ...defaultQuota,
        unitsPerMinute: defaultQuota.unitsPerMinute / sharing,
        ...(gateways !== undefined && { sharedBy: gateways }),
      },
      onRetry: (note) => log.debug(note, 'retrying a Google Drive request'),
      ...(gdriveApiUrl !== undefined && { endpoints: endpointsBelow(gdriveApiUrl) }),
    })
    const drive = await openGoogleDrive({
      ...{ api, folder: own.drive.folder, sharedDriveId, pollSeconds, now, log, claim },
      index: new DatabaseDriveIndex(database, now, own.name),
      records: new DatabaseDriveUploads(database, now, own.name),
      leases: new DatabaseLeases(database, own.name),
      deletes: own.gdriveDelete,
      isReadOnly: own.isReadOnly,
    })
    return { drive, close: () => drive.close() }
  },
}

function namesIn({ folder }: GdriveLocation): string[] {
  return folder.split('/').filter((name) => name !== '')
}

function drivesOfAccount(own: GdriveOwn, { drives }: GdriveService): number {
  const isSame = (other: GdriveOwn<Location>) =>
    other.drive.kind === 'gdrive' && credentialKeys.every((key) => own[key] === other[key])
  return drives.filter(isSame).length
}

async function credentialsOf(own: GdriveOwn) {
  const { gdriveServiceAccount, gdriveClientId, gdriveClientSecret, gdriveRefreshToken } = own
  if (gdriveServiceAccount !== undefined) {
    const { parseServiceAccount } = await import('./api/credentials.ts')
    try {
      const text = readBoundedFile(gdriveServiceAccount).toString()
      return parseServiceAccount(text, own.gdriveSubject)
    } catch (cause) {
      const setting = nameFor(own.name, 'GDRIVE_SERVICE_ACCOUNT')
      const { message } = cause as Error
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
