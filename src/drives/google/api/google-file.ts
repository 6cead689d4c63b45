import { z } from 'zod'

/** Prefix of the MIME types without bytes, such as folders and shortcuts. */
export const googleTypePrefix = 'application/vnd.google-apps.'
export const folderType = 'application/vnd.google-apps.folder'

/** A file or a folder as Drive knows it, as far as we ask. */
export interface GoogleFile {
  readonly id: string
  readonly name: string
  readonly mimeType: string
  /** At most one; none where the parent is not shared with us. */
  readonly parents: readonly string[]
  /** Bytes. Absent for folders, shortcuts and Google's own documents. */
  readonly size?: number
  /** Lower-case hex. Absent where `size` is. */
  readonly md5Checksum?: string
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number
  /** Itself or a folder above it is in the trash. */
  readonly trashed: boolean
  /** Values that this OAuth client keeps with the file. */
  readonly appProperties: Readonly<Record<string, string>>
  /** Names the bytes: another one after each upload. Absent where `size` is. */
  readonly headRevisionId?: string
  /** Grows with every change of any field of the file. */
  readonly version: number
  /** The shared drive that the file is in. */
  readonly driveId?: string
}

/** What can be set. Values of null in appProperties are removed, others not named stay. */
export interface FileMetadata {
  /** A new file's id, from `generateIds`. */
  readonly id?: string
  readonly name?: string
  readonly mimeType?: string
  /** The one folder that a new file goes to. */
  readonly parents?: readonly [string]
  readonly appProperties?: Readonly<Record<string, string | null>>
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs?: number
  /** Out of the trash. */
  readonly trashed?: false
}

export interface FilePage {
  readonly files: readonly GoogleFile[]
  /** Absent on the last page. A page before it may be short, even empty. */
  readonly nextPageToken?: string
  /** Drive could not search everywhere: what is missing may exist. */
  readonly isIncomplete: boolean
}

export interface Change {
  readonly fileId: string
  /** Absent when it was deleted, or is no longer visible to us. */
  readonly file?: GoogleFile
}

export interface ChangePage {
  readonly changes: readonly Change[]
  /** Absent on the last page. */
  readonly nextPageToken?: string
  /** Only on the last page: where to continue next time. */
  readonly newStartPageToken?: string
}

export interface Account {
  /** Of the account that we act as. */
  readonly emailAddress?: string
  /** Bytes. Absent: unlimited. */
  readonly limitBytes?: number
  /** Bytes, of all of Google's products together. */
  readonly usageBytes: number
}

/** `fields` of every call that answers with a file: Drive's default has neither size nor parents. */
export const fileFields =
  'id,name,mimeType,parents,size,md5Checksum,createdTime,modifiedTime,trashed,appProperties,headRevisionId,version,driveId'

/** Drive writes 64-bit numbers as strings. */
const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
/** Pooled storage may have more bytes than a number can count exactly. */
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
      ...withoutUndefined(rest),
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
      ...withoutUndefined(tokens),
    }),
  )

/** Changes of whole shared drives have no fileId; they say nothing of files. */
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
      ...withoutUndefined(tokens),
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
      ...withoutUndefined({ limitBytes: limit, emailAddress: user.emailAddress }),
    }),
  )

/** JSON of what can be set, as Drive wants it. */
export function metadataJson({ modifiedAtMs, ...metadata }: FileMetadata): Record<string, unknown> {
  return modifiedAtMs === undefined
    ? metadata
    : { ...metadata, modifiedTime: new Date(modifiedAtMs).toISOString() }
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

/** Zod leaves absent fields as undefined; absent is absent (exactOptionalPropertyTypes). */
function withoutUndefined<T extends object>(value: T): Defined<T> {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(entries) as Defined<T>
}
