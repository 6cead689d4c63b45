import { availableParallelism } from 'node:os'
import type { CompatibilityMode } from '../../../storage/s3/compatibility.ts'
import type { AclMode } from '../../../storage/s3/configuration/acls.ts'
import type { EncryptionMode } from '../../../storage/s3/headers/encryption.ts'
import {
  accessKey,
  addressRange,
  bucketName,
  bucketOrDrive,
  bucketPlace,
  domainName,
  hostName,
  originOrAny,
  publicOrigin,
  regionName,
  regionOrAny,
} from '../parse-names.ts'
import {
  booleanOf,
  databaseLocation,
  integerIn,
  listOf,
  localPath,
  oneOf,
  pemText,
  solidText,
  visibleAscii,
} from '../parse-values.ts'
import type { Setting } from '../setting.ts'
import { dashboardSettings } from './dashboard-settings.ts'
import { driveTable } from './drive-settings.ts'
import { modelSettings } from './model-settings.ts'
import { notifySettings } from './notify-settings.ts'
import { telemetrySettings } from './telemetry-settings.ts'

/** Two cores serve more with one process and its threads (docs/decisions/0020-one-process-on-two-cores.md). */
function defaultWorkers(cores: number): number {
  return cores <= 2 ? 1 : cores
}

/**
 * All settings. `npm run docs` writes them, in this order, into docs/configuration.md and .env.example.
 * docs/configuration.md says how values are given: environment, NAME_FILE, comma-separated lists.
 */
export const settingsTable = {
  accessKey: {
    name: 'ACCESS_KEY',
    whenUnset: 'generated at the first start',
    meaning: 'Access key ID of the owner, who may do everything.',
    parse: accessKey,
  },
  secretKey: {
    name: 'SECRET_KEY',
    whenUnset: 'generated at the first start',
    meaning: 'Secret key of ACCESS_KEY.',
    isSecret: true,
    parse: solidText,
  },
  accessKeys: {
    name: 'ACCESS_KEYS',
    default: '[]',
    whenUnset: 'none',
    meaning:
      'More access keys as a list in JSON, usually in ACCESS_KEYS_FILE, with their secrets elsewhere (docs/access-keys.md).',
    isSecret: true,
    // readKeyList checks it.
    parse: (text) => text,
  },
  region: {
    name: 'REGION',
    default: 'us-east-1',
    meaning: 'Region that clients sign requests for.',
    parse: regionName,
  },
  regions: {
    name: 'REGIONS',
    default: '',
    defaultInAws: '*',
    meaning:
      'Other regions that clients may sign requests for and create buckets in, or `*` for every region. A list.',
    parse: listOf(regionOrAny),
  },
  compatibility: {
    name: 'COMPATIBILITY',
    default: 'contract',
    meaning:
      'Which S3 clients expect: `contract` (the contract to the letter) or `aws` (what applications made for AWS S3 or MinIO expect; docs/s3-compatibility.md lists the differences).',
    parse: oneOf<CompatibilityMode>(['contract', 'aws']),
  },
  allowedBuckets: {
    name: 'ALLOWED_BUCKETS',
    defaultInAws: '',
    whenUnset: '`files` at the first start; with COMPATIBILITY=aws and keys, none',
    meaning:
      'Buckets to serve. Each is a folder of the drive, created if missing. `BUCKET@NAME` is on the drive in DRIVE_NAME, `BUCKET@NAME:FOLDER` in that folder of it. A list.',
    parse: listOf(bucketPlace),
  },
  publicReadBuckets: {
    name: 'PUBLIC_READ_BUCKETS',
    default: '',
    meaning:
      'Buckets that anyone may read and list without a signature (PUBLIC_LIST). They must be in ALLOWED_BUCKETS. A list.',
    parse: listOf(bucketName),
  },
  publicList: {
    name: 'PUBLIC_LIST',
    default: 'true',
    meaning:
      'Whether anyone may also list public buckets without a signature. With `false`, anyone may still read each object whose key they know.',
    parse: booleanOf,
  },
  bucketCreation: {
    name: 'BUCKET_CREATION',
    default: 'off',
    defaultInAws: 'on',
    meaning:
      'What S3 clients may do with buckets: `off` (nothing), `existing` (create those that exist already) or `on` (create, remove, set CORS and lifecycle rules; docs/buckets.md).',
    parse: oneOf<'off' | 'existing' | 'on'>(['off', 'existing', 'on']),
  },
  acls: {
    name: 'ACLS',
    default: 'refuse',
    defaultInAws: 'ignore',
    meaning:
      'What ACLs of S3 clients do: `refuse` (501 unless they grant nothing), `ignore` (accepted without effect) or `bucket` (as `ignore`, but PutBucketAcl opens and closes a bucket for reading; needs BUCKET_CREATION=on).',
    parse: oneOf<AclMode>(['refuse', 'ignore', 'bucket']),
  },
  serverSideEncryption: {
    name: 'SERVER_SIDE_ENCRYPTION',
    default: 'refuse',
    meaning:
      'What a client gets that asks for server-side encryption with AES256: `refuse` (an error), or `claim` (it is accepted, and replies say that objects are encrypted; choose it if the disk is). Bucketry itself encrypts nothing.',
    parse: oneOf<EncryptionMode>(['refuse', 'claim']),
  },
  readOnly: {
    name: 'READ_ONLY',
    default: '',
    meaning:
      'Buckets that nobody may write to, and drives that Bucketry writes nothing to: `photos`, or `@NAME` for a drive. A list.',
    parse: listOf(bucketOrDrive),
  },
  dataDir: {
    name: 'DATA_DIR',
    default: './data',
    meaning:
      'Folder of the generated settings. The default locations of DRIVE, DRIVE_SPOOL and DATABASE_URL are in it, too.',
    parse: localPath,
  },
  ...driveTable,
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
    meaning: 'Most connections of each process to PostgreSQL.',
    parse: integerIn({ min: 2, max: 1_000 }),
  },
  host: {
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'Address to listen on. Use `0.0.0.0` or `::` for all interfaces.',
    parse: hostName,
  },
  port: {
    name: 'PORT',
    default: '9000',
    meaning: 'Port to listen on. With 0, the system picks a free port.',
    parse: integerIn({ min: 0, max: 65_535 }),
  },
  tlsCert: {
    name: 'TLS_CERT',
    whenUnset: 'plain HTTP',
    meaning:
      'Certificate chain: PEM text or the path of a PEM file. Set it together with TLS_KEY to serve HTTPS.',
    parse: pemText,
  },
  tlsKey: {
    name: 'TLS_KEY',
    whenUnset: 'plain HTTP',
    meaning: 'Private key of the certificate: PEM text or the path of a PEM file.',
    isSecret: true,
    parse: pemText,
  },
  publicUrl: {
    name: 'PUBLIC_URL',
    whenUnset: 'from the request',
    meaning:
      'Address that clients use when the gateway is behind a proxy. Signatures are also checked against its host.',
    parse: publicOrigin,
  },
  virtualHostDomains: {
    name: 'VIRTUAL_HOST_DOMAINS',
    default: '',
    meaning:
      'Domains below which the host name has the bucket: with `s3.example.net`, `photos.s3.example.net/key` is `/photos/key` (docs/s3-compatibility.md). A list.',
    parse: listOf(domainName),
  },
  corsAllowedOrigins: {
    name: 'CORS_ALLOWED_ORIGINS',
    default: '',
    meaning:
      'Origins of web pages that may use S3, or `*`. If unset, no CORS headers are sent. A list.',
    parse: listOf(originOrAny),
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    default: '',
    meaning: 'Addresses or ranges of proxies whose X-Forwarded-For is trusted. A list.',
    parse: listOf(addressRange),
  },
  uploadExpiryHours: {
    name: 'UPLOAD_EXPIRY_HOURS',
    default: '24',
    meaning: 'Hours without a new part before an incomplete upload is deleted.',
    parse: integerIn({ min: 1, max: 8_760 }),
  },
  partWaitSeconds: {
    name: 'PART_WAIT_SECONDS',
    default: '20',
    meaning:
      'Most seconds to hold a part that arrives before its turn, at most 64 parts ahead, while another part of the upload is being received. While none is, 2 seconds. Clients time out after 60.',
    parse: integerIn({ min: 0, max: 3_600 }),
  },
  minPartMib: {
    name: 'MIN_PART_MIB',
    default: '0',
    defaultInAws: '5',
    meaning:
      'Least size in MiB of each part but the last of a multipart upload. CompleteMultipartUpload refuses smaller ones with EntityTooSmall.',
    parse: integerIn({ min: 0, max: 5_120 }),
  },
  workers: {
    name: 'WORKERS',
    default: String(defaultWorkers(availableParallelism())),
    whenUnset: 'number of cores; 1 on two cores and for Google Drive',
    meaning: 'Number of processes that serve requests. Must be 1 for `memory:`.',
    parse: integerIn({ min: 1, max: 256 }),
  },
  shutdownDelaySeconds: {
    name: 'SHUTDOWN_DELAY_SECONDS',
    default: '0',
    meaning:
      'Seconds between SIGTERM and the end of serving, in which `/-/readyz` answers 503, so that a load balancer sends no more requests.',
    parse: integerIn({ min: 0, max: 3_600 }),
  },
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    parse: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
  },
  metricsPort: {
    name: 'METRICS_PORT',
    whenUnset: 'none',
    meaning:
      'Another port on HOST, for `/-/metrics` only (docs/metrics.md). With 0, the system picks a free port.',
    parse: integerIn({ min: 0, max: 65_535 }),
  },
  metricsToken: {
    name: 'METRICS_TOKEN',
    whenUnset: 'PORT does not serve metrics',
    meaning: 'Bearer token that `/-/metrics` requires. If set, PORT serves it too.',
    isSecret: true,
    parse: visibleAscii,
  },
  accessLogFormat: {
    name: 'ACCESS_LOG_FORMAT',
    default: 'json',
    meaning:
      'Format of the lines of requests: `json`, or `s3` for the format of S3 server access logs.',
    parse: oneOf<'json' | 's3'>(['json', 's3']),
  },
  accessLogFile: {
    name: 'ACCESS_LOG_FILE',
    whenUnset: 'standard output',
    meaning: 'File for the lines of requests. SIGHUP opens it again.',
    parse: localPath,
  },
  ...telemetrySettings,
  ...notifySettings,
  ...dashboardSettings,
  ...modelSettings,
} as const satisfies Record<string, Setting<unknown>>

type Table = typeof settingsTable

/** Values of all settings, by their names in the program. Frozen, and plain enough to be sent. */
export type SettingValues = {
  readonly [Name in keyof Table]:
    | ReturnType<Table[Name]['parse']>
    | (Table[Name] extends { readonly default: string } ? never : undefined)
}
