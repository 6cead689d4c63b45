import { z } from 'zod'

/** Prefix of the MIME types of files without bytes, such as folders and shortcuts. */
export const googleTypePrefix = 'application/vnd.google-apps.'
export const folderType = 'application/vnd.google-apps.folder'

/** A file or a folder on Drive, with the fields that are used. */
export interface GoogleFile {
  readonly id: string
  readonly name: string
  readonly mimeType: string
  /** At most one. Empty if the parent is not shared with the account. */
  readonly parents: readonly string[]
  /** Bytes. Absent for folders, shortcuts and Google's own documents. */
  readonly size?: number | undefined
  /** Lower-case hex. Absent where `size` is. */
  readonly md5Checksum?: string | undefined
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number
  /** Whether the file or a folder above it is in the trash. */
  readonly trashed: boolean
  /** Properties that this OAuth client stores with the file. */
  readonly appProperties: Readonly<Record<string, string>>
  /** Identifies the bytes and changes with each upload. Absent where `size` is. */
  readonly headRevisionId?: string | undefined
  /** Increases with every change of any field. */
  readonly version: number
  /** The shared drive that the file is in. */
  readonly driveId?: string | undefined
}

/** Fields that can be set. In appProperties, null removes a property; omitted ones stay. */
export interface FileMetadata {
  /** A new file's id, from `generateIds`. */
  readonly id?: string
  readonly name?: string
  readonly mimeType?: string
  /** The folder of a new file. */
  readonly parents?: readonly [string]
  readonly appProperties?: Readonly<Record<string, string | null>>
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs?: number
  /** Restores the file from the trash. */
  readonly trashed?: false
}

export interface FilePage {
  readonly files: readonly GoogleFile[]
  /** Absent on the last page. A page before it may be short, even empty. */
  readonly nextPageToken?: string | undefined
  /** Whether Drive could not search everywhere, so that missing files may exist. */
  readonly isIncomplete: boolean
}

export interface Change {
  readonly fileId: string
  /** Absent if the file was deleted or is no longer visible to the account. */
  readonly file?: GoogleFile
}

export interface ChangePage {
  readonly changes: readonly Change[]
  /** Absent on the last page. */
  readonly nextPageToken?: string | undefined
  /** On the last page only: where the feed continues next time. */
  readonly newStartPageToken?: string | undefined
}

export interface Account {
  /** The address of the account in use. */
  readonly emailAddress?: string | undefined
  /** Bytes. Absent: unlimited. */
  readonly limitBytes?: number | undefined
  /** Bytes, including Google's other products. */
  readonly usageBytes: number
}

/** `fields` of every call that returns a file, because Drive's default has no size and no parents. */
export const fileFields =
  'id,name,mimeType,parents,size,md5Checksum,createdTime,modifiedTime,trashed,appProperties,headRevisionId,version,driveId'

/** Drive writes 64-bit numbers as strings. */
const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
/** Pooled storage may exceed the largest safe integer. */
const quotaBytes = z
  .string()
  .regex(/^\d{1,20}$/)
  .transform((text) => Math.min(Number(text), Number.MAX_SAFE_INTEGER))
const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

export const googleFileSchema = z
  .object({
    id: z.string().min(1),
    name: z.string(),
    mimeType: z.string(),
    parents: z.array(z.string()).default([]),
    size: wholeNumber.optional(),
    // An invalid MD5 must not become an ETag.
    md5Checksum: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .optional()
      .catch(undefined),
    createdTime: instant,
    modifiedTime: instant,
    trashed: z.boolean().default(false),
    appProperties: z.record(z.string(), z.string()).default({}),
    headRevisionId: z.string().optional(),
    version: wholeNumber.default(0),
    driveId: z.string().optional(),
  })
  .transform(
    ({ createdTime, modifiedTime, ...rest }): GoogleFile => ({
      ...rest,
      createdAtMs: createdTime,
      modifiedAtMs: modifiedTime,
    }),
  )

const pageToken = z.string().min(1).optional()

export const filePageSchema = z
  .object({
    files: z.array(googleFileSchema),
    nextPageToken: pageToken,
    incompleteSearch: z.boolean().default(false),
  })
  .transform(
    ({ files, incompleteSearch, ...tokens }): FilePage => ({
      files,
      isIncomplete: incompleteSearch,
      ...tokens,
    }),
  )

/** Changes of whole shared drives have no fileId and do not concern files. */
const changeSchema = z
  .object({
    fileId: z.string().optional(),
    removed: z.boolean().default(false),
    file: googleFileSchema.optional(),
  })
  .transform(({ fileId, removed, file }): Change | undefined =>
    fileId === undefined
      ? undefined
      : {
          fileId,
          ...(removed || file === undefined ? {} : { file }),
        },
  )

export const changePageSchema = z
  .object({
    changes: z.array(changeSchema),
    nextPageToken: pageToken,
    newStartPageToken: pageToken,
  })
  .transform(
    ({ changes, ...tokens }): ChangePage => ({
      changes: changes.filter((change) => change !== undefined),
      ...tokens,
    }),
  )

export const accountSchema = z
  .object({
    user: z.object({ emailAddress: z.string().optional() }).default({}),
    storageQuota: z.object({ limit: quotaBytes.optional(), usage: quotaBytes.default(0) }),
  })
  .transform(
    ({ user, storageQuota: { limit, usage } }): Account => ({
      usageBytes: usage,
      ...user,
      ...(limit !== undefined && { limitBytes: limit }),
    }),
  )

/** The metadata as Drive's JSON. */
export function metadataJson({ modifiedAtMs, ...metadata }: FileMetadata): Record<string, unknown> {
  return modifiedAtMs === undefined
    ? metadata
    : { ...metadata, modifiedTime: new Date(modifiedAtMs).toISOString() }
}
