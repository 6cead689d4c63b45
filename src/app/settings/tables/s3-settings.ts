import type { CompatibilityMode } from '../../../storage/s3/compatibility.ts'
import type { AclMode } from '../../../storage/s3/configuration/acls.ts'
import type { EncryptionMode } from '../../../storage/s3/headers/encryption.ts'
import {
  accessKey,
  bucketName,
  bucketOrDrive,
  bucketPlace,
  defaultBucket,
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
      'Further access keys as a JSON list, usually in ACCESS_KEYS_FILE. Their secrets are in files or environment variables (docs/access-keys.md).',
    isSecret: true,
    // readAccessKeys (access-key-list.ts) parses it.
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
      'Further regions that clients may sign requests for and create buckets in, or `*` for all regions. A list.',
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
      'Buckets to serve. Each is a folder of the drive, created if missing. `BUCKET@NAME` is on the drive in DRIVE_NAME; `BUCKET@NAME:FOLDER` is FOLDER on that drive. A list.',
    parse: listOf(bucketPlace),
  },
  publicReadBuckets: {
    name: 'PUBLIC_READ_BUCKETS',
    default: '',
    meaning:
      'Buckets that anonymous clients may read and list (see PUBLIC_LIST). They must be in ALLOWED_BUCKETS. A list.',
    parse: listOf(bucketName),
  },
  publicList: {
    name: 'PUBLIC_LIST',
    default: 'true',
    meaning:
      'Whether anonymous clients may also list public buckets. With `false`, they can still read every object whose key they know.',
    parse: booleanOf,
  },
  bucketCreation: {
    name: 'BUCKET_CREATION',
    default: 'off',
    defaultInAws: 'on',
    meaning:
      'What S3 clients may do with buckets: `off` (nothing), `existing` (CreateBucket succeeds for buckets that exist already) or `on` (create, remove, set CORS and lifecycle rules; docs/buckets.md).',
    parse: oneOf<'off' | 'existing' | 'on'>(['off', 'existing', 'on']),
  },
  defaultBuckets: {
    name: 'DEFAULT_BUCKETS',
    default: '',
    meaning:
      'Buckets to create at the start unless they exist. `BUCKET:download` is for everyone to read and list, `BUCKET:upload` to write, `BUCKET:public` for all of these; an existing bucket keeps the access that it has. Requires BUCKET_CREATION=on. A list.',
    parse: listOf(defaultBucket),
  },
  acls: {
    name: 'ACLS',
    default: 'refuse',
    defaultInAws: 'object',
    meaning:
      'How ACLs of S3 clients are handled: `refuse` (501 unless they grant nothing), `ignore` (accepted without effect), `object` (like `ignore`, but an object with the ACL `private` is not public in a public bucket) or `bucket` (like `object`, and PutBucketAcl makes a bucket public or private for reading; requires BUCKET_CREATION=on).',
    parse: oneOf<AclMode>(['refuse', 'ignore', 'object', 'bucket']),
  },
  serverSideEncryption: {
    name: 'SERVER_SIDE_ENCRYPTION',
    default: 'refuse',
    meaning:
      'How requests for server-side encryption with AES256 are answered: `refuse` (an error), or `claim` (accepted, and replies say that objects are encrypted; choose it if the disk is encrypted). Bucketry itself encrypts nothing.',
    parse: oneOf<EncryptionMode>(['refuse', 'claim']),
  },
  veeamSosapi: {
    name: 'VEEAM_SOSAPI',
    default: 'false',
    defaultInAws: 'true',
    meaning:
      'Whether every bucket has the two read-only objects that tell Veeam how much space the drive has (docs/s3-compatibility.md). Access keys with the right to read see them; listings do not.',
    parse: booleanOf,
  },
  readOnly: {
    name: 'READ_ONLY',
    default: '',
    meaning:
      'Read-only buckets, such as `photos`, and read-only drives, as `@NAME`. Bucketry writes nothing to a read-only drive. A list.',
    parse: listOf(bucketOrDrive),
  },
} as const satisfies Record<string, Setting<unknown>>
