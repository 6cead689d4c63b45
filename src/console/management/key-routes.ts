import { z } from 'zod'
import type { AccessKey } from '../../access/access-key.ts'
import { unknownBuckets } from '../../access/grants.ts'
import { KeyAdminError, type KeyWithSecret } from '../../access/key-admin.ts'
import { KeyInputError } from '../../access/key-input.ts'
import type { Buckets } from '../../buckets/buckets.ts'
import { ApiError } from '../../json-api/api-error.ts'
import type { JsonApp } from '../../json-api/json-app.ts'
import { refusals } from '../../json-api/refusals.ts'
import {
  type KeyReply,
  type KeyWithSecretReply,
  keyBody,
  keyChangeBody,
  keyReply,
  keysReply,
  keyWithSecretReply,
  rotateBody,
} from './key-schemas.ts'
import type { ManagementApiParts } from './management-parts.ts'
import { timeOf } from './route-checks.ts'

const params = z.object({ accessKeyId: z.string() })

const statusOf = { 'unknown-key': 404, 'from-file': 409, conflict: 409 } as const satisfies Record<
  KeyAdminError['kind'],
  number
>

export function keyRoutes(app: JsonApp, parts: ManagementApiParts): void {
  readAndCreate(app, parts)
  change(app, parts)
}

function readAndCreate(app: JsonApp, { keys, buckets }: ManagementApiParts): void {
  app.get(
    '/keys',
    {
      schema: {
        operationId: 'getKeys',
        summary: 'Lists the access keys',
        description: 'Without ACCESS_KEY, which is in the settings, and without secrets.',
        response: { 200: keysReply, ...refusals },
      },
    },
    async () => ({
      keys: (await keys.list()).map(({ key, problem }) => replyOf(key, buckets, problem)),
    }),
  )

  app.post(
    '/keys',
    {
      schema: {
        operationId: 'createKey',
        summary: 'Creates an access key',
        description: 'The reply has its secret, which is not shown again.',
        body: keyBody,
        response: { 201: keyWithSecretReply, ...refusals },
      },
    },
    async ({ body: { expiresAt, limits, ...input } }, reply) => {
      const expiresAtMs = momentOf(expiresAt)
      const given = { ...input, expiresAtMs, ...(limits && { limits }) }
      return reply.code(201).send(withSecret(await translated(keys.create(given)), buckets))
    },
  )
}

function change(app: JsonApp, { keys, buckets }: ManagementApiParts): void {
  app.patch(
    '/keys/:accessKeyId',
    {
      schema: {
        operationId: 'changeKey',
        summary: 'Changes, disables or enables an access key',
        description: 'Fields that are absent stay. In force everywhere within a second.',
        params,
        body: keyChangeBody,
        response: { 200: keyReply, ...refusals },
      },
    },
    async ({ params: { accessKeyId }, body }) => {
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
  )

  app.post(
    '/keys/:accessKeyId/rotate',
    {
      schema: {
        operationId: 'rotateKey',
        summary: 'Replaces the secret of an access key',
        params,
        body: rotateBody,
        response: { 200: keyWithSecretReply, ...refusals },
      },
    },
    async ({ params: { accessKeyId }, body: { keepOldSeconds } }) =>
      withSecret(await translated(keys.rotate(accessKeyId, keepOldSeconds)), buckets),
  )

  app.delete(
    '/keys/:accessKeyId',
    {
      schema: {
        operationId: 'revokeKey',
        summary: 'Revokes an access key',
        description:
          'It is refused everywhere within a second, also in presigned URLs. It cannot be restored.',
        params,
        response: { 204: z.undefined().meta({ description: 'Revoked.' }), ...refusals },
      },
    },
    async ({ params: { accessKeyId } }, reply) => {
      await translated(keys.revoke(accessKeyId))
      return reply.code(204).send()
    },
  )
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

function timeOrNull(atMs: number | undefined): string | null {
  return atMs === undefined ? null : timeOf(atMs)
}

function momentOf(time: string | null): number | null {
  return time === null ? null : Date.parse(time)
}
