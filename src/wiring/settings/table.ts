import { availableParallelism } from 'node:os'
import {
  accessKey,
  addressRange,
  bucketName,
  hostName,
  originOrAny,
  publicOrigin,
  regionName,
} from './parse-names.ts'
import {
  databasePlace,
  drivePlace,
  folderPath,
  keyValueStore,
  pemText,
  readableFile,
} from './parse-places.ts'
import {
  booleanOf,
  integerIn,
  listOf,
  oneOf,
  passphrase,
  solidText,
  visibleAscii,
} from './parse-plain.ts'
import type { Setting } from './setting.ts'

/**
 * Every setting there is, in the order of docs/configuration.md (a test compares the two).
 * docs/configuration.md says how values are given: environment, NAME_FILE, comma-separated lists.
 */
export const settingsTable = {
  accessKey: {
    name: 'ACCESS_KEY',
    whenUnset: 'generated at the first start',
    meaning: 'The only access key id that is accepted.',
    parse: accessKey,
  },
  secretKey: {
    name: 'SECRET_KEY',
    whenUnset: 'generated at the first start',
    meaning: 'The secret of that access key.',
    isSecret: true,
    parse: solidText,
  },
  region: {
    name: 'REGION',
    default: 'us-east-1',
    meaning: 'The region that clients sign for.',
    parse: regionName,
  },
  allowedBuckets: {
    name: 'ALLOWED_BUCKETS',
    whenUnset: '`files` at the first start',
    meaning: 'The buckets that are served: folders of the drive, made when absent. A list.',
    parse: listOf(bucketName),
  },
  publicReadBuckets: {
    name: 'PUBLIC_READ_BUCKETS',
    default: '',
    meaning: 'Buckets that anyone may read without a signature; among ALLOWED_BUCKETS. A list.',
    parse: listOf(bucketName),
  },
  publicList: {
    name: 'PUBLIC_LIST',
    default: 'true',
    meaning: 'Whether public buckets may also be listed without a signature.',
    parse: booleanOf,
  },
  drive: {
    name: 'DRIVE',
    default: 'file:./data/drive',
    meaning:
      'The drive: `file:PATH`, a folder of this machine; `gdrive:FOLDER` (docs/google-drive.md); `webdav+https://user:password@host/path` (docs/webdav.md); `memory:`, up to 1 GiB for tests, gone at the end.',
    parse: drivePlace,
  },
  drivePollSeconds: {
    name: 'DRIVE_POLL_SECONDS',
    default: '10',
    meaning: 'How often Google Drive is asked what others changed there.',
    parse: integerIn({ min: 1, max: 3_600 }),
  },
  driveSpool: {
    name: 'DRIVE_SPOOL',
    default: './data/spool',
    meaning:
      'Folder for what waits for a WebDAV server: parts where it can not append, objects of unknown size.',
    parse: folderPath,
  },
  driveSpoolGib: {
    name: 'DRIVE_SPOOL_GIB',
    default: '20',
    meaning:
      'What that folder may hold, in GiB. Beyond it there is SlowDown, and QuotaExceeded for what alone is too large.',
    parse: integerIn({ min: 1, max: 1_048_576 }),
  },
  gdriveClientId: {
    name: 'GDRIVE_CLIENT_ID',
    whenUnset: 'none',
    meaning: 'OAuth client of the gateway; `npm run connect -- google` writes the three.',
    parse: solidText,
  },
  gdriveClientSecret: {
    name: 'GDRIVE_CLIENT_SECRET',
    whenUnset: 'none',
    meaning: 'The secret of that client.',
    isSecret: true,
    parse: solidText,
  },
  gdriveRefreshToken: {
    name: 'GDRIVE_REFRESH_TOKEN',
    whenUnset: 'none',
    meaning: "The person's consent.",
    isSecret: true,
    parse: solidText,
  },
  gdriveServiceAccount: {
    name: 'GDRIVE_SERVICE_ACCOUNT',
    whenUnset: 'none',
    meaning: 'Instead of the three: the JSON key file of a service account.',
    parse: readableFile,
  },
  gdriveSubject: {
    name: 'GDRIVE_SUBJECT',
    whenUnset: 'nobody',
    meaning: 'The person for whom the service account acts (domain-wide delegation).',
    parse: solidText,
  },
  gdriveSharedDrive: {
    name: 'GDRIVE_SHARED_DRIVE',
    whenUnset: 'My Drive',
    meaning: 'Id of the shared drive that FOLDER lies in.',
    parse: solidText,
  },
  gdriveDelete: {
    name: 'GDRIVE_DELETE',
    default: 'trash',
    meaning: 'What deleting does: `trash`, where Google keeps it for 30 days, or `permanent`.',
    parse: oneOf<'trash' | 'permanent'>(['trash', 'permanent']),
  },
  gdriveApiUrl: {
    name: 'GDRIVE_API_URL',
    whenUnset: "Google's",
    meaning: "An address that stands in for Google's, for tests.",
    parse: publicOrigin,
  },
  database: {
    name: 'DATABASE_URL',
    default: 'sqlite:./data/bucketry.db',
    meaning: 'What must survive a restart: `sqlite:PATH` or `postgres://…`.',
    isSecret: true,
    parse: databasePlace,
  },
  host: {
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'The address to listen on; `0.0.0.0` or `::` for all of the machine.',
    parse: hostName,
  },
  port: {
    name: 'PORT',
    default: '9000',
    meaning: 'The port to listen on; 0 takes a free one.',
    parse: integerIn({ min: 0, max: 65_535 }),
  },
  tlsCert: {
    name: 'TLS_CERT',
    whenUnset: 'plain HTTP',
    meaning: 'Certificate chain, PEM or the path of a PEM file. With TLS_KEY: HTTPS.',
    parse: pemText,
  },
  tlsKey: {
    name: 'TLS_KEY',
    whenUnset: 'plain HTTP',
    meaning: 'Private key of the certificate, PEM or the path of a PEM file.',
    isSecret: true,
    parse: pemText,
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    whenUnset: 'from the request',
    meaning:
      'The address clients use, behind a proxy; signatures are checked against its host too.',
    parse: publicOrigin,
  },
  corsAllowedOrigins: {
    name: 'CORS_ALLOWED_ORIGINS',
    default: '',
    meaning: 'Origins whose web pages may use S3, or `*`. Unset: no CORS headers. A list.',
    parse: listOf(originOrAny),
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    default: '',
    meaning: 'Addresses or ranges of proxies whose X-Forwarded-For is believed. A list.',
    parse: listOf(addressRange),
  },
  uploadExpiryHours: {
    name: 'UPLOAD_EXPIRY_HOURS',
    default: '24',
    meaning: 'After so long without a part, an open upload and its bytes go.',
    parse: integerIn({ min: 1, max: 8_760 }),
  },
  partWaitSeconds: {
    name: 'PART_WAIT_SECONDS',
    default: '20',
    meaning: 'How long a part that comes before its turn is held. Clients give up after 60.',
    parse: integerIn({ min: 0, max: 3_600 }),
  },
  workers: {
    name: 'WORKERS',
    default: String(availableParallelism()),
    whenUnset: 'number of cores; one for a Google Drive',
    meaning: 'Processes that serve. A drive in memory has one.',
    parse: integerIn({ min: 1, max: 256 }),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    parse: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  },
  dashboardPassword: {
    name: 'DASHBOARD_PASSWORD',
    whenUnset: 'the dashboard is off',
    meaning: 'Password of the login API (`/auth`) and the management API (`/-/api`).',
    isSecret: true,
    parse: passphrase,
  },
  authKv: {
    name: 'AUTH_KV',
    whenUnset: 'the database',
    meaning:
      'Where sessions and failed logins are kept: `redis://…` or `rediss://…` (Redis or Valkey).',
    isSecret: true,
    parse: keyValueStore,
  },
  modelsApiKey: {
    name: 'MODELS_API_KEY',
    whenUnset: 'the list is open',
    meaning: 'Key that the model list asks for, as Bearer or x-api-key.',
    isSecret: true,
    parse: visibleAscii,
  },
  modelCatalogue: {
    name: 'MODEL_CATALOGUE',
    whenUnset: 'built in',
    meaning: 'A JSON file that replaces the static model catalogue (docs/model-catalogue.md).',
    parse: readableFile,
  },
} as const satisfies Record<string, Setting<unknown>>

type Table = typeof settingsTable

/** Values of all settings, by their names in the program. Frozen, and plain enough to be sent. */
export type SettingValues = {
  readonly [Name in keyof Table]:
    | ReturnType<Table[Name]['parse']>
    | (Table[Name] extends { readonly default: string } ? never : undefined)
}
