import { z } from 'zod'

/** Requests and replies about shares. Times are ISO 8601 in UTC. */

const time = z.iso.datetime()
const most = Number.MAX_SAFE_INTEGER
const limit = z.int().min(1).max(most).nullable()
const maxNoteLength = 200
/** Guesses are limited to five in a quarter of an hour for each address, not for all of them together. */
const minPasswordLength = 8
const maxPasswordLength = 200

const common = {
  kind: z.enum(['file', 'folder', 'drop']).meta({
    description: 'A link to a file, to a folder, or to a folder that visitors upload to.',
  }),
  bucket: z.string(),
  path: z.string().max(1_024).meta({
    description:
      'The key of the file, or the prefix of the folder: empty, or with a slash at its end.',
  }),
  note: z
    .string()
    .max(maxNoteLength)
    .regex(/^[^\p{Cc}]*$/u, 'expected text without control characters')
    .refine((text) => text.isWellFormed(), 'expected valid Unicode')
    .meta({ description: 'For you. Visitors do not see it.' }),
  accessKeyId: z.string().nullable().meta({
    description:
      'The share does what this access key may do at that time, and ends with it. null: what the owner may do.',
  }),
  expiresAt: time.nullable().meta({ description: 'null: never.' }),
  maxBytes: limit.meta({ description: 'Bytes of all uploaded files. null: any number.' }),
  maxFileBytes: limit.meta({ description: 'Bytes of each uploaded file. null: any number.' }),
  types: z
    .array(z.string().regex(/^[a-z0-9]{1,10}$/))
    .max(50)
    .meta({ description: 'Endings of names that uploaded files may have: `pdf`. Empty: any.' }),
  maxUses: limit.meta({
    description: 'Downloads, or files that can be uploaded. null: any number.',
  }),
}

export const shareBody = z.strictObject({
  ...common,
  note: common.note.default(''),
  accessKeyId: common.accessKeyId.default(null),
  expiresAt: common.expiresAt.default(null),
  maxUses: common.maxUses.default(null),
  maxBytes: common.maxBytes.default(null),
  maxFileBytes: common.maxFileBytes.default(null),
  types: common.types.default([]),
  password: z.string().min(minPasswordLength).max(maxPasswordLength).nullable().default(null).meta({
    description: 'Visitors are asked for it. Only its scrypt hash is stored.',
  }),
})
export type ShareBody = z.input<typeof shareBody>

export const shareReply = z.object({
  shareId: z.string(),
  ...common,
  url: z.string().nullable().meta({
    description: 'null: it cannot be shown, because SECRET_KEY was another one. The link works.',
  }),
  hasPassword: z.boolean(),
  createdAt: time,
  uses: z.int().meta({ description: 'Downloads that have begun, or files that were uploaded.' }),
  bytes: z.int().meta({ description: 'Of uploaded files.' }),
  lastUsedAt: time.nullable(),
  end: z.enum(['revoked', 'expired', 'used', 'denied']).nullable().meta({
    description:
      'Why it does not work; `denied`: its access key was revoked, or may not do this any more. null: it works.',
  }),
})
export type ShareReply = z.infer<typeof shareReply>

export const sharesReply = z.object({ shares: z.array(shareReply) })
export type SharesReply = z.infer<typeof sharesReply>
