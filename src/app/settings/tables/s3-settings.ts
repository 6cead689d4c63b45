import type { CompatibilityMode } from '../../../storage/s3/compatibility.ts'
import type { AclMode } from '../../../storage/s3/configuration/acls.ts'
import type { EncryptionMode } from '../../../storage/s3/headers/encryption.ts'
import {
  accessKey,
  bucketName,
  bucketOrDrive,
  bucketPlace,
  regionName,
  regionOrAny,
} from '../parse-names.ts'
import { booleanOf, listOf, oneOf, solidText } from '../parse-values.ts'
import type { Setting } from '../setting.ts'

/** What S3 clients may do: access keys, regions, buckets. */
export const s3Settings = {
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
} as const satisfies Record<string, Setting<unknown>>
