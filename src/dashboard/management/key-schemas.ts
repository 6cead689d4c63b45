import { z } from 'zod'
import { maxKeepOldSeconds } from '../../storage/access/key-admin.ts'
import { grantSchema, limitsSchema, nameSchema } from '../../storage/access/key-input.ts'

/** Requests and replies about access keys. Times are ISO 8601 in UTC. */

const time = z.iso.datetime()

const note = z.string()
const expiresAt = time.nullable().meta({ description: 'null: never.' })

export const keyReply = z.object({
  accessKeyId: z.string(),
  name: nameSchema,
  note,
  grants: z.array(grantSchema),
  source: z.enum(['created', 'file']).meta({
    description: 'file: it comes from ACCESS_KEYS_FILE and can only be changed there.',
  }),
  isDisabled: z.boolean(),
  createdAt: time,
  expiresAt,
  lastUsedAt: time.nullable().meta({ description: 'Updated about once a minute. null: never.' }),
  limits: limitsSchema,
  oldSecretUntil: time.nullable().meta({
    description: 'Until then the secret before the last rotation is valid, too.',
  }),
  problem: z.string().nullable().meta({ description: 'Why the key cannot be used.' }),
  unknownBuckets: z.array(z.string()).meta({
    description: 'Buckets of its grants that do not exist: these grants have no effect yet.',
  }),
})
export type KeyReply = z.infer<typeof keyReply>

export const keysReply = z.object({ keys: z.array(keyReply) })
export type KeysReply = z.infer<typeof keysReply>

export const keyWithSecretReply = z.object({
  key: keyReply,
  secretKey: z.string().meta({ description: 'It is not shown again.' }),
})
export type KeyWithSecretReply = z.infer<typeof keyWithSecretReply>

export const keyBody = z.strictObject({
  name: nameSchema,
  note: note.default(''),
  grants: z.array(grantSchema),
  expiresAt: expiresAt.default(null),
  limits: limitsSchema.optional(),
})
export type KeyBody = z.input<typeof keyBody>

export const keyChangeBody = z.strictObject({
  name: nameSchema.optional(),
  note: note.optional(),
  grants: z.array(grantSchema).optional(),
  expiresAt: expiresAt.optional(),
  limits: limitsSchema.optional(),
  isDisabled: z.boolean().optional(),
})

export const rotateBody = z.strictObject({
  keepOldSeconds: z.int().min(0).max(maxKeepOldSeconds).meta({
    description: 'How long the old secret stays valid. 0: it is refused at once.',
  }),
})
