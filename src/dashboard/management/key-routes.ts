import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Route, route } from '../../platform/json-api/route.ts'
import type { AccessKey } from '../../storage/access/access-key.ts'
import { unknownBuckets } from '../../storage/access/authorize.ts'
import {
  KeyAdminError,
  type KeyWithSecret,
  maxKeepOldSeconds,
} from '../../storage/access/key-admin.ts'
import { KeyInputError } from '../../storage/access/key-input.ts'
import { grantSchema, limitsSchema, nameSchema } from '../../storage/access/key-schemas.ts'
import type { Buckets } from '../../storage/buckets/buckets.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { timeOf, timeOrNull } from './route-checks.ts'

/** Requests and replies about access keys. Times are ISO 8601 in UTC. */

const time = z.iso.datetime()

const note = z.string()
const expiresAt = time.nullable().meta({ description: 'null: never.' })

const keyReply = z.object({
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
    description: 'Until then, the previous secret is also valid.',
  }),
  problem: z.string().nullable().meta({ description: 'Why the key cannot be used.' }),
  unknownBuckets: z.array(z.string()).meta({
    description: 'Buckets in its grants that do not exist: these grants have no effect yet.',
  }),
})
export type KeyReply = z.infer<typeof keyReply>

const keysReply = z.object({ keys: z.array(keyReply) })
export type KeysReply = z.infer<typeof keysReply>

const keyWithSecretReply = z.object({
  key: keyReply,
  secretKey: z.string().meta({ description: 'Not shown again.' }),
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

const rotateBody = z.strictObject({
  keepOldSeconds: z.int().min(0).max(maxKeepOldSeconds).meta({
    description: 'How long the old secret stays valid. 0: it is refused at once.',
  }),
})

const params = z.object({ accessKeyId: z.string() })

const statusOf = { 'unknown-key': 404, 'from-file': 409, conflict: 409 } as const satisfies Record<
  KeyAdminError['kind'],
  number
>

export function keyRoutes(parts: ManagementApiParts): readonly Route[] {
  return [...readAndCreate(parts), ...change(parts)]
}

function readAndCreate({ keys, buckets }: ManagementApiParts): readonly Route[] {
  const getKeys = route({
    method: 'GET',
    path: '/keys',
    operationId: 'getKeys',
    summary: 'Lists the access keys',
    description: 'Does not include ACCESS_KEY, which is a setting, or any secrets.',
    reply: keysReply,
    answer: async () => ({
      keys: (await keys.list()).map(({ key, problem }) => replyOf(key, buckets, problem)),
    }),
  })

  const createKey = route({
    method: 'POST',
    path: '/keys',
    operationId: 'createKey',
    summary: 'Creates an access key',
    description: 'The reply contains its secret, which is not shown again.',
    body: keyBody,
    status: 201,
    reply: keyWithSecretReply,
    async answer({ body: { expiresAt, limits, ...input } }) {
      const expiresAtMs = momentOf(expiresAt)
      const given = { ...input, expiresAtMs, ...(limits && { limits }) }
      return withSecret(await translated(keys.create(given)), buckets)
    },
  })
  return [getKeys, createKey]
}

function change({ keys, buckets }: ManagementApiParts): readonly Route[] {
  const changeKey = route({
    method: 'PATCH',
    path: '/keys/{accessKeyId}',
    operationId: 'changeKey',
    summary: 'Changes, disables or enables an access key',
    description: 'Absent fields do not change. Takes effect everywhere within a second.',
    params,
    body: keyChangeBody,
    reply: keyReply,
    async answer({ params: { accessKeyId }, body }) {
      const { expiresAt, name, note, grants, limits, isDisabled } = body
      const key = await translated(
        keys.change(accessKeyId, {
          ...(name !== undefined && { name }),
          ...(note !== undefined && { note }),
          ...(grants !== undefined && { grants }),
          ...(limits !== undefined && { limits }),
          ...(isDisabled !== undefined && { isDisabled }),
          ...(expiresAt !== undefined && { expiresAtMs: momentOf(expiresAt) }),
        }),
      )
      return replyOf(key, buckets)
    },
  })

  const rotateKey = route({
    method: 'POST',
    path: '/keys/{accessKeyId}/rotate',
    operationId: 'rotateKey',
    summary: 'Replaces the secret of an access key',
    params,
    body: rotateBody,
    reply: keyWithSecretReply,
    answer: async ({ params: { accessKeyId }, body: { keepOldSeconds } }) =>
      withSecret(await translated(keys.rotate(accessKeyId, keepOldSeconds)), buckets),
  })

  const revokeKey = route({
    method: 'DELETE',
    path: '/keys/{accessKeyId}',
    operationId: 'revokeKey',
    summary: 'Revokes an access key',
    description:
      'The key is refused everywhere within a second, including in presigned URLs. It cannot be restored.',
    params,
    status: 204,
    replyDescription: 'Revoked.',
    async answer({ params: { accessKeyId } }) {
      await translated(keys.revoke(accessKeyId))
    },
  })
  return [changeKey, rotateKey, revokeKey]
}

async function translated<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (error) {
    if (error instanceof KeyInputError) {
      throw new ApiError(400, error.message, { field: error.field })
    }
    if (error instanceof KeyAdminError) throw new ApiError(statusOf[error.kind], error.message)
    throw error
  }
}

function withSecret({ key, secretKey }: KeyWithSecret, buckets: Buckets): KeyWithSecretReply {
  return { key: replyOf(key, buckets), secretKey }
}

function replyOf(key: AccessKey, buckets: Buckets, problem?: string): KeyReply {
  const { accessKeyId, name, note, source, isDisabled, limits } = key
  return {
    ...{ accessKeyId, name, note, source, isDisabled },
    grants: key.grants.map((grant) => ({ ...grant, actions: [...grant.actions] })),
    createdAt: timeOf(key.createdAtMs),
    expiresAt: timeOrNull(key.expiresAtMs),
    lastUsedAt: timeOrNull(key.lastUsedAtMs),
    limits: {
      requestsPerSecond: limits.requestsPerSecond ?? null,
      bytes: limits.bytes ?? null,
    },
    oldSecretUntil: timeOrNull(key.oldSecretUntilMs),
    problem: problem ?? null,
    unknownBuckets: unknownBuckets(key.grants, (bucket) => buckets.find(bucket) !== undefined),
  }
}

function momentOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time)
}
