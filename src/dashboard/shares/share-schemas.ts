import { z } from 'zod'

/** Requests and replies about shares. Times are ISO 8601 in UTC. */

const time = z.iso.datetime()
const limit = z.int().min(1).max(Number.MAX_SAFE_INTEGER).nullable()
const maxTextLength = 200
/** Each page of a link to chosen files looks up its files one by one. */
const maxItems = 500
/** Guesses are limited to five per address in a quarter of an hour, but not in total. */
const minPasswordLength = 8
const maxPasswordLength = 200

const text = z
  .string()
  .max(maxTextLength)
  .regex(/^[^\p{Cc}]*$/u, 'expected text without control characters')
  .refine((text) => text.isWellFormed(), 'expected valid Unicode')

const common = {
  kind: z.enum(['file', 'folder', 'drop']).meta({
    description: 'A link to a file, to a folder, or to a folder that visitors upload to.',
  }),
  bucket: z.string(),
  path: z.string().max(1_024).meta({
    description: 'The key of the file, or the prefix of the folder: empty, or ending in a slash.',
  }),
  items: z
    .array(z.string().min(1).max(1_024))
    .max(maxItems)
    .meta({
      description:
        'Only for `folder`: the files and folders that are shared, as keys relative to `path`; those of folders end ' +
        'in a slash. Empty: the whole folder.',
    }),
  title: text.meta({ description: 'For visitors, in place of the name. Empty: the name.' }),
  note: text.meta({ description: 'For you. Visitors do not see it.' }),
  accessKeyId: z.string().nullable().meta({
    description:
      'The share has the current rights of this access key, and ends with the key. null: the rights of the owner.',
  }),
  expiresAt: time.nullable().meta({ description: 'null: never.' }),
  maxBytes: limit.meta({ description: 'Maximum total bytes of uploaded files. null: no limit.' }),
  maxFileBytes: limit.meta({ description: 'Maximum bytes of each uploaded file. null: no limit.' }),
  types: z
    .array(z.string().regex(/^[a-z0-9]{1,10}$/))
    .max(50)
    .meta({ description: 'Extensions that uploaded files may have, such as `pdf`. Empty: any.' }),
  maxUses: limit.meta({
    description: 'Maximum number of downloads, or of uploaded files. null: no limit.',
  }),
}

const password = z.string().min(minPasswordLength).max(maxPasswordLength).nullable()

export const shareBody = z.strictObject({
  ...common,
  items: common.items.default([]),
  title: common.title.default(''),
  note: common.note.default(''),
  accessKeyId: common.accessKeyId.default(null),
  expiresAt: common.expiresAt.default(null),
  maxUses: common.maxUses.default(null),
  maxBytes: common.maxBytes.default(null),
  maxFileBytes: common.maxFileBytes.default(null),
  types: common.types.default([]),
  password: password.default(null).meta({
    description: 'Visitors must enter it. Only its scrypt hash is stored.',
  }),
})
export type ShareBody = z.input<typeof shareBody>

const { title, note, expiresAt, maxUses, maxBytes, maxFileBytes, types } = common
export const shareChange = z
  .strictObject({ title, note, expiresAt, maxUses, maxBytes, maxFileBytes, types, password })
  .partial()
export type ShareChange = z.input<typeof shareChange>

export const shareReply = z.object({
  shareId: z.string(),
  ...common,
  url: z.string().nullable().meta({
    description: 'null: it cannot be shown, because SECRET_KEY has changed. The link still works.',
  }),
  hasPassword: z.boolean(),
  createdAt: time,
  uses: z.int().meta({ description: 'Downloads that were started, or files that were uploaded.' }),
  bytes: z.int().meta({ description: 'Total bytes of uploaded files.' }),
  views: z.int().meta({ description: 'How often its page was opened.' }),
  lastUsedAt: time.nullable(),
  end: z
    .enum(['revoked', 'expired', 'used', 'denied'])
    .nullable()
    .meta({
      description:
        'Why the share does not work; `denied`: its access key was revoked or no longer has the permission. null: ' +
        'the share works.',
    }),
})
export type ShareReply = z.infer<typeof shareReply>

export const sharesReply = z.object({ shares: z.array(shareReply) })
export type SharesReply = z.infer<typeof sharesReply>
