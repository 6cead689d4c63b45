import { z } from 'zod'
import { actions } from '../../access/grants.ts'
import { maxKeepOldSeconds } from '../../access/key-admin.ts'

/** Requests and replies about access keys. Times are ISO 8601 in UTC. */

const time = z.iso.datetime()

const grant = z.strictObject({
  bucket: z.string().meta({ description: 'The name of a bucket, or `*` for all buckets.' }),
  prefix: z.string().default('').meta({ description: 'Only keys that begin with this.' }),
  actions: z.array(z.enum(actions)),
})

const limit = z.int().min(1).nullable()
const limits = z.strictObject({
  requestsPerSecond: limit.default(null).meta({
    description: 'Of each process: a gateway with several workers allows that many times as much.',
  }),
  bytes: limit.default(null).meta({
    description:
      'Bytes in the buckets of its grants together, with uploads in progress, as of the last ' +
      'counts. Of a bucket that was not counted yet, only what is written counts.',
  }),
})

const name = z.string().meta({ description: 'For people; shown in the log.' })
const note = z.string()
const expiresAt = time.nullable().meta({ description: 'null: never.' })

export const keyReply = z.object({
  accessKeyId: z.string(),
  name,
  note,
  grants: z.array(grant),
  source: z.enum(['created', 'file']).meta({
    description: 'file: it comes from ACCESS_KEYS_FILE and can only be changed there.',
  }),
  isDisabled: z.boolean(),
  createdAt: time,
  expiresAt,
  lastUsedAt: time.nullable().meta({ description: 'Updated about once a minute. null: never.' }),
  limits,
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
  name,
  note: note.default(''),
  grants: z.array(grant),
  expiresAt: expiresAt.default(null),
  limits: limits.optional(),
})
export type KeyBody = z.input<typeof keyBody>

export const keyChangeBody = z.strictObject({
  name: name.optional(),
  note: note.optional(),
  grants: z.array(grant).optional(),
  expiresAt: expiresAt.optional(),
  limits: limits.optional(),
  isDisabled: z.boolean().optional(),
})
export type KeyChangeBody = z.input<typeof keyChangeBody>

export const rotateBody = z.strictObject({
  keepOldSeconds: z.int().min(0).max(maxKeepOldSeconds).meta({
    description: 'How long the old secret stays valid. 0: it is refused at once.',
  }),
})
export type RotateBody = z.infer<typeof rotateBody>
