import { readBoundedFile } from '../../../platform/process/bounded-file.ts'
import { SettingMistake, SettingsError } from '../../../platform/process/setting-mistake.ts'
import { type DriveKind, type Location, nameFor, type OwnDrive } from '../drive-kind.ts'
import { parseStoreAddress, storeAddressForm, storeAddressText } from './requests/store-names.ts'

export interface S3Location extends Location {
  readonly kind: 's3'
  /** `s3+https://host:port/BUCKET/prefix`, or the same with `http`. */
  readonly url: string
}

/** The settings that are specific to each S3 store. */
export interface S3Own<Place extends Location = S3Location> extends OwnDrive<Place> {
  readonly s3DriveAccessKey?: string | undefined
  readonly s3DriveSecretKey?: string | undefined
  readonly s3DriveRegion?: string | undefined
  readonly s3DriveAddressing: 'path' | 'host'
  readonly s3DriveCa?: string | undefined
}

export const s3Kind: DriveKind<S3Location, S3Own> = {
  ...{ kind: 's3', scheme: 's3+', form: 's3+https://host/BUCKET', beatMs: 20_000 },
  parse(text) {
    if (!/^s3(?:\+|:)/.test(text)) return undefined
    try {
      return { kind: 's3', url: storeAddressText(parseStoreAddress(text)) }
    } catch (cause) {
      throw new SettingMistake(storeAddressForm, { cause })
    }
  },
  deletes: () => 'server',
  mistakes({ s3DriveAccessKey, s3DriveSecretKey, name }, setting) {
    if ((s3DriveAccessKey === undefined) === (s3DriveSecretKey === undefined)) return []
    const keys = ['S3_DRIVE_ACCESS_KEY', 'S3_DRIVE_SECRET_KEY'].map((key) => nameFor(name, key))
    return [`${setting} is an S3 store: expected both ${keys.join(' and ')}, or neither`]
  },
  placeOf({ drive }) {
    const { endpoint, bucket = '', prefix } = parseStoreAddress(drive.url)
    return { server: endpoint, path: `/${bucket}/${prefix}`.replace(/\/+$/, '') }
  },
  describe: ({ url }) => url.replace(/^s3\+/, ''),
  async open({ own, database, now, versioningOf }) {
    // Loaded on demand: the SDK takes longer to load than everything else.
    const { openS3Drive } = await import('./s3-drive.ts')
    const { DatabaseDriveUploads } = await import('../kit/uploads/drive-upload-table.ts')
    const { s3DriveAccessKey: accessKeyId, s3DriveSecretKey: secretAccessKey } = own
    const drive = await openS3Drive({
      address: parseStoreAddress(own.drive.url),
      records: new DatabaseDriveUploads(database, now, own.name),
      ...{ now, versioningOf, region: own.s3DriveRegion, addressing: own.s3DriveAddressing },
      authorities: authoritiesOf(own),
      ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    })
    return { drive, close: () => drive.close() }
  },
}

function authoritiesOf({ s3DriveCa, name }: S3Own): string | undefined {
  if (s3DriveCa === undefined) return undefined
  try {
    return readBoundedFile(s3DriveCa).toString()
  } catch (cause) {
    const setting = nameFor(name, 'S3_DRIVE_CA')
    throw new SettingsError([`${setting} is ${s3DriveCa}: ${(cause as Error).message}`])
  }
}
