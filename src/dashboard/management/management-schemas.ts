import { z } from 'zod'
import {
  corsRule,
  corsRules,
  expiryRule,
  expiryRules,
  newWebsite,
  notificationRule,
  notificationRules,
  origin,
  tags,
  website,
} from './bucket-option-schemas.ts'

/**
 * Requests and responses of the management API under `/-/api`. The web app imports these types, so
 * that both stay in sync. Times are ISO 8601 in UTC, sizes are bytes.
 */

const time = z.iso.datetime()
const count = z.int().min(0)

const driveStatus = z.object({
  kind: z.string().meta({ description: 'file, gdrive, webdav, s3 or memory.' }),
  deletes: z.enum(['permanent', 'trash', 'server']).meta({
    description: 'Where deleted objects go; server: to the trash, if the server has one.',
  }),
  problem: z
    .string()
    .nullable()
    .meta({ description: 'Why the drive is not available; null: it is available.' }),
  freeBytes: count.nullable().meta({ description: 'null: not available for this drive.' }),
  totalBytes: count.nullable(),
})
export type DriveStatusReply = z.infer<typeof driveStatus>

export const statusReply = z.object({
  version: z.string(),
  uptimeSeconds: count,
  drive: driveStatus.meta({ description: 'The default drive.' }),
  drives: z
    .array(
      driveStatus.extend({
        name: z.string().meta({ description: 'The NAME of DRIVE_NAME, or default.' }),
        isReadOnly: z.boolean().meta({ description: 'Whether READ_ONLY includes it.' }),
      }),
    )
    .meta({ description: 'All drives, the default drive first.' }),
  endpoint: z.object({
    url: z.string().meta({ description: 'PUBLIC_URL, otherwise the address of this request.' }),
    isPublicUrl: z.boolean().meta({ description: 'Whether it is PUBLIC_URL.' }),
    accessKey: z.string().meta({ description: 'ACCESS_KEY, which is part of every request.' }),
    region: z.string(),
  }),
  settings: z.array(
    z.object({
      name: z.string(),
      value: z.string().nullable().meta({ description: 'null: not set, or a secret.' }),
      isSecret: z.boolean(),
      isSet: z.boolean().meta({ description: 'false: the default applies.' }),
      source: z.enum(['default', 'environment', 'file']).meta({
        description:
          'environment: a variable, a file that NAME_FILE names, or the command line; file: bucketry.env in DATA_DIR.',
      }),
    }),
  ),
})
export type StatusReply = z.infer<typeof statusReply>

const formerVersions = z
  .object({ count, bytes: count })
  .meta({ description: 'Former versions of objects, whose bytes count towards the quota.' })

export const bucketChange = z
  .strictObject({
    isPublic: z.boolean().optional().meta({
      description:
        'Whether anyone may read it without a signature, and list it unless PUBLIC_LIST is false.',
    }),
    allowedOrigins: z.array(origin).min(1).max(100).nullable().optional().meta({
      description: 'Pages of these origins may use the bucket; null: CORS_ALLOWED_ORIGINS applies.',
    }),
    cors: corsRules.nullable().optional().meta({
      description:
        'Replaces all CORS rules; null: CORS_ALLOWED_ORIGINS applies. An alternative to `allowedOrigins`.',
    }),
    tags: tags.optional().meta({ description: 'Replaces all tags. Only with COMPATIBILITY=aws.' }),
    notifications: notificationRules.optional().meta({
      description: 'Replaces all rules of event notifications. Only with COMPATIBILITY=aws.',
    }),
    website: newWebsite.nullable().optional().meta({
      description: 'Replaces the website; null: there is none. Only with WEBSITE_DOMAINS.',
    }),
    expiry: expiryRules.optional().meta({ description: 'Replaces all rules.' }),
    versioning: z.enum(['enabled', 'suspended']).optional().meta({
      description:
        'Whether objects that are replaced or deleted stay as former versions. Suspended: versions that exist stay.',
    }),
    quotaBytes: count
      .nullable()
      .optional()
      .meta({
        description:
          'The maximum size of the bucket, including uploads in progress; null: no limit. It is compared with the ' +
          'last count plus everything written since. Before the first count, only new writes count.',
      }),
  })
  .refine(({ cors, allowedOrigins }) => cors === undefined || allowedOrigins === undefined, {
    ...{ path: ['allowedOrigins'], message: 'Expected either cors or allowedOrigins.' },
  })
export type BucketChange = z.input<typeof bucketChange>

export const expiryDryRunBody = z.strictObject({
  expiry: expiryRules.meta({ description: 'The rules, as for `changeBucket`.' }),
  after: z.string().default('').meta({ description: '`next` of the previous reply, to continue.' }),
})
export type ExpiryDryRunBody = z.input<typeof expiryDryRunBody>

export const expiryDryRunReply = z.object({
  objects: count.meta({ description: 'How many objects the rules would remove.' }),
  bytes: count,
  oldest: time.nullable().meta({
    description: 'The last change of the oldest of these objects; null: there is none.',
  }),
  formerVersions: formerVersions.meta({
    description:
      'How many former versions and delete markers the rules would remove. Objects of a bucket with versions ' +
      'become former versions first.',
  }),
  next: z
    .string()
    .nullable()
    .meta({
      description:
        'null: every object was checked. Otherwise these figures cover a part of the bucket: pass `next` as `after` ' +
        'to get those of the next part.',
    }),
})
export type ExpiryDryRunReply = z.infer<typeof expiryDryRunReply>

const expiryRun = z.object({
  beganAt: time,
  isDone: z.boolean(),
  objects: count.meta({ description: 'Removed so far.' }),
  uploads: count.meta({ description: 'Aborted so far.' }),
  versions: count.meta({ description: 'Former versions and delete markers removed so far.' }),
  locked: count.meta({ description: 'Versions that Object Lock keeps.' }),
  failures: count.meta({
    description: 'Objects and uploads that could not be removed; the next run retries them.',
  }),
  problem: z.string().nullable().meta({ description: 'Why the run stopped; it will be retried.' }),
})
export type ExpiryRunStatus = z.infer<typeof expiryRun>

export const bucketStatus = z.object({
  name: z.string(),
  source: z.enum(['environment', 'created']).meta({
    description: 'environment: it is in ALLOWED_BUCKETS; created: it was created at run time.',
  }),
  isPublic: z.boolean().meta({
    description:
      'Whether anyone can read it without a signature, and list it unless PUBLIC_LIST is false.',
  }),
  openByPolicy: z.array(z.string()).meta({
    description:
      'What a bucket policy lets everyone do: `list`, and `read KEYS` with wildcards. `isPublic: false` removes the policy.',
  }),
  drive: z.string().meta({ description: 'The NAME of DRIVE_NAME, or default.' }),
  isReadOnly: z
    .boolean()
    .meta({ description: 'Whether READ_ONLY includes the bucket or its drive.' }),
  isPublicFromEnvironment: z.boolean().meta({
    description: 'Whether it is public because PUBLIC_READ_BUCKETS says so.',
  }),
  createdAt: time.nullable().meta({ description: 'null: not available for this drive.' }),
  objects: count.nullable().meta({ description: 'null: not counted yet.' }),
  bytes: count.nullable(),
  formerVersions: formerVersions
    .nullable()
    .meta({ description: 'null: not counted yet, or the bucket never had versions.' }),
  lastModified: time.nullable().meta({ description: 'null: empty, or not counted yet.' }),
  countedAt: time.nullable().meta({ description: 'When the figures were counted.' }),
  isCounting: z.boolean(),
  problem: z
    .string()
    .nullable()
    .meta({ description: 'Why the last count failed, human-readable.' }),
  allowedOrigins: z
    .array(z.string())
    .nullable()
    .meta({ description: 'From its own CORS rules; null: CORS_ALLOWED_ORIGINS applies.' }),
  cors: z
    .array(corsRule)
    .nullable()
    .meta({ description: 'Its own CORS rules; null: it has none.' }),
  tags: tags.nullable().meta({ description: 'null: without COMPATIBILITY=aws.' }),
  notifications: z.array(notificationRule).nullable().meta({
    description: 'Its rules of event notifications; null: without COMPATIBILITY=aws.',
  }),
  website: website.nullable().meta({ description: 'Its website; null: it has none.' }),
  websiteHost: z.string().nullable().meta({
    description: 'The host name at which a website of it answers; null: without WEBSITE_DOMAINS.',
  }),
  expiry: z.array(expiryRule).meta({ description: 'Its expiry rules.' }),
  quotaBytes: count.nullable().meta({ description: 'null: no limit.' }),
  versioning: z.enum(['off', 'enabled', 'suspended']).meta({
    description: 'Whether it keeps former versions of objects; off: it never did.',
  }),
  versionsRefusal: z
    .string()
    .nullable()
    .meta({ description: 'Why its drive cannot keep former versions; null: it can.' }),
  hasObjectLock: z.boolean().meta({ description: 'Whether Object Lock is on.' }),
  lastExpiry: expiryRun
    .nullable()
    .meta({ description: 'The last removal by these rules; null: there was none.' }),
})
export type BucketStatus = z.infer<typeof bucketStatus>

export const bucketsReply = z.object({
  creation: z.enum(['off', 'existing', 'on']).meta({
    description: 'BUCKET_CREATION: what S3 clients may do. This API can always create buckets.',
  }),
  buckets: z.array(bucketStatus),
})
export type BucketsReply = z.infer<typeof bucketsReply>

export const folderRevisionReply = z.object({
  revision: z.string(),
  ageMs: count.meta({
    description:
      'How long before the request the underlying listing began; 0: it began after the request.',
  }),
})
export type FolderRevisionReply = z.infer<typeof folderRevisionReply>

export const presignBody = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'PUT', 'POST', 'DELETE']),
  bucket: z.string(),
  key: z.string().optional().meta({ description: 'Omit for the bucket itself.' }),
  query: z.record(z.string(), z.string()).optional(),
  expiresSeconds: z.int().min(1).max(604_800).default(300),
})
export type PresignBody = z.input<typeof presignBody>

export const presignReply = z.object({ url: z.string(), expiresAt: time })
export type PresignReply = z.infer<typeof presignReply>

/** For more entries, clients download the whole folder. */
const maxNames = 10_000

export const archiveBody = z.strictObject({
  bucket: z.string(),
  prefix: z.string().max(1_024).default('').meta({ description: 'Empty, or ends in a slash.' }),
  names: z
    .array(z.string().min(1).max(1_024))
    .min(1)
    .max(maxNames, 'Select at most 10,000 entries, or download their folder.')
    .optional()
    .meta({
      description:
        'Names of entries in the folder; those of folders end in a slash. Absent: all entries.',
    }),
})
export type ArchiveBody = z.input<typeof archiveBody>

export const archiveReply = z.object({ url: z.string(), expiresAt: time })
export type ArchiveReply = z.infer<typeof archiveReply>

const uploadStatus = z.object({
  uploadId: z.string(),
  bucket: z.string(),
  key: z.string(),
  initiatedAt: time,
  lastPartAt: time,
  expiresAt: time,
  parts: count,
  bytes: count,
})
export type UploadStatus = z.infer<typeof uploadStatus>

export const uploadsReply = z.object({
  uploads: z.array(uploadStatus),
  next: z.string().nullable().meta({ description: 'Pass as `after` to get the next page.' }),
})
export type UploadsReply = z.infer<typeof uploadsReply>

export const failureStatus = z.object({
  at: time,
  requestId: z.string(),
  method: z.string(),
  bucket: z.string().nullable(),
  key: z.string().nullable(),
  operation: z.string().nullable(),
  status: z.int(),
  code: z.string().nullable(),
  reason: z.string().nullable().meta({ description: 'What went wrong and what to do.' }),
  remoteAddress: z.string(),
})

export const failuresReply = z.object({ failures: z.array(failureStatus) })
