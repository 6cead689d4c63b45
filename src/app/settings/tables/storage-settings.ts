import type { Durability } from '../../../storage/drives/local/file-kind.ts'
import { driveLocation } from '../drive-kinds.ts'
import { publicOrigin, regionName } from '../parse-names.ts'
import {
  databaseLocation,
  integerIn,
  localPath,
  oneOf,
  readableFile,
  solidText,
} from '../parse-values.ts'
import type { Setting } from '../setting.ts'

/** Where objects and everything else is stored: the data folder, drives, the database. */
export const storageSettings = {
  dataDir: {
    name: 'DATA_DIR',
    default: './data',
    meaning:
      'Folder of the generated settings. The default locations of DRIVE, DRIVE_SPOOL and DATABASE_URL are also in it.',
    parse: localPath,
  },
  drive: {
    name: 'DRIVE',
    isOfEachDrive: true,
    default: 'file:./data/drive',
    meaning:
      'Where objects are stored: `file:PATH` (a local folder), `gdrive:FOLDER` (docs/google-drive.md), `webdav+https://user:password@host/path` (docs/webdav.md), `s3+https://host`, `s3+https://host/BUCKET` or `s3+https://host/BUCKET/prefix` (docs/s3-drive.md), or `memory:` (for tests; up to 1 GiB, lost on exit). DRIVE_NAME adds a drive named NAME.',
    parse: driveLocation,
  },
  durability: {
    name: 'DURABILITY',
    default: 'synced',
    meaning:
      'When a write to a local folder is on the disk: `synced` (before the reply), or `relaxed` (about a second after the reply; a power failure can lose the last seconds, a killed process loses nothing; docs/durability.md).',
    parse: oneOf<Durability>(['synced', 'relaxed']),
  },
  drivePollSeconds: {
    name: 'DRIVE_POLL_SECONDS',
    default: '10',
    meaning: 'Seconds between checks of Google Drive for changes made by other programs.',
    parse: integerIn({ min: 1, max: 3_600 }),
  },
  driveSpool: {
    name: 'DRIVE_SPOOL',
    default: './data/spool',
    meaning:
      'Local staging directory for WebDAV uploads: objects of unknown size, and parts if the server cannot append to files.',
    parse: localPath,
  },
  driveSpoolGib: {
    name: 'DRIVE_SPOOL_GIB',
    default: '20',
    meaning:
      'Maximum size of that directory in GiB. When it is full, uploads fail with SlowDown. An object larger than the limit fails with QuotaExceeded.',
    parse: integerIn({ min: 1, max: 1_048_576 }),
  },
  gdriveClientId: {
    name: 'GDRIVE_CLIENT_ID',
    isOfEachDrive: true,
    whenUnset: 'none',
    meaning: 'OAuth client ID. `bucketry connect google` writes this setting and the next two.',
    parse: solidText,
  },
  gdriveClientSecret: {
    name: 'GDRIVE_CLIENT_SECRET',
    isOfEachDrive: true,
    whenUnset: 'none',
    meaning: 'OAuth client secret.',
    isSecret: true,
    parse: solidText,
  },
  gdriveRefreshToken: {
    name: 'GDRIVE_REFRESH_TOKEN',
    isOfEachDrive: true,
    whenUnset: 'none',
    meaning: 'OAuth refresh token.',
    isSecret: true,
    parse: solidText,
  },
  gdriveServiceAccount: {
    name: 'GDRIVE_SERVICE_ACCOUNT',
    isOfEachDrive: true,
    whenUnset: 'none',
    meaning: 'Path of the JSON key file of a service account. Replaces the three settings above.',
    parse: readableFile,
  },
  gdriveSubject: {
    name: 'GDRIVE_SUBJECT',
    isOfEachDrive: true,
    whenUnset: 'the service account itself',
    meaning: 'User that the service account impersonates (domain-wide delegation).',
    parse: solidText,
  },
  gdriveSharedDrive: {
    name: 'GDRIVE_SHARED_DRIVE',
    isOfEachDrive: true,
    whenUnset: 'My Drive',
    meaning: 'ID of the shared drive that contains FOLDER.',
    parse: solidText,
  },
  gdriveDelete: {
    name: 'GDRIVE_DELETE',
    isOfEachDrive: true,
    default: 'trash',
    meaning: 'What a delete does: `trash` (Google keeps the file for 30 days) or `permanent`.',
    parse: oneOf<'trash' | 'permanent'>(['trash', 'permanent']),
  },
  gdriveApiUrl: {
    name: 'GDRIVE_API_URL',
    whenUnset: "Google's",
    meaning: "Address to use instead of Google's, for tests.",
    parse: publicOrigin,
  },
  s3DriveAccessKey: {
    name: 'S3_DRIVE_ACCESS_KEY',
    isOfEachDrive: true,
    whenUnset: "found by AWS's SDK: environment, shared files, instance role",
    meaning: 'Access key ID for the S3 store in DRIVE.',
    parse: solidText,
  },
  s3DriveSecretKey: {
    name: 'S3_DRIVE_SECRET_KEY',
    isOfEachDrive: true,
    whenUnset: 'like S3_DRIVE_ACCESS_KEY',
    meaning: 'Secret key for the S3 store in DRIVE.',
    isSecret: true,
    parse: solidText,
  },
  s3DriveRegion: {
    name: 'S3_DRIVE_REGION',
    isOfEachDrive: true,
    whenUnset: '`us-east-1`',
    meaning: 'Region of the S3 store in DRIVE.',
    parse: regionName,
  },
  s3DriveAddressing: {
    name: 'S3_DRIVE_ADDRESSING',
    isOfEachDrive: true,
    default: 'path',
    meaning:
      'How requests to the S3 store in DRIVE name the bucket: `path` (`https://host/BUCKET`) or `host` (`https://BUCKET.host`).',
    parse: oneOf<'path' | 'host'>(['path', 'host']),
  },
  s3DriveCa: {
    name: 'S3_DRIVE_CA',
    isOfEachDrive: true,
    whenUnset: "Node.js's certificate authorities",
    meaning:
      'Path of a PEM file with the certificate authorities to trust for the S3 store in DRIVE.',
    parse: readableFile,
  },
  database: {
    name: 'DATABASE_URL',
    default: 'sqlite:./data/bucketry.db',
    meaning: 'Database for data that must survive a restart: `sqlite:PATH` or `postgres://…`.',
    isSecret: true,
    parse: databaseLocation,
  },
  databasePool: {
    name: 'DATABASE_POOL',
    default: '10',
    meaning: 'Maximum number of PostgreSQL connections per process.',
    parse: integerIn({ min: 2, max: 1_000 }),
  },
} as const satisfies Record<string, Setting<unknown>>
