import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import { type Access, type Route, route, routesBelow } from '../../platform/json-api/route.ts'
import type { ModelKeyRow, ModelKeyTable } from './model-key-table.ts'
import { hashOf, type ModelKey, maxModelKeys, modelKeyOf, newModelKey } from './model-keys.ts'

interface ModelKeyRoutesParts {
  readonly table: Pick<ModelKeyTable, 'all' | 'add' | 'change' | 'remove'>
  /** Applies a change in this process. */
  readonly refresh: () => Promise<void>
  /** Admits requests with a valid session. */
  readonly session: Access
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const maxNameLength = 100
const maxModels = 100
const maxPatternLength = 500
const maxLimit = 1_000_000_000_000
const maxDollars = 1_000_000_000

const limit = z.int().min(1).max(maxLimit).nullable()
const limits = z.strictObject({
  requestsPerMinute: limit.default(null).meta({
    description: 'In each process separately: a gateway with N workers allows N times the limit.',
  }),
  tokensPerMinute: limit.default(null).meta({
    description:
      'In each process separately. Counted when an answer ends, so the last call may exceed it.',
  }),
  tokensPerMonth: limit.default(null).meta({
    description: 'For all processes together, within half a minute. Months begin at midnight UTC.',
  }),
  dollarsPerMonth: z.number().positive().max(maxDollars).nullable().default(null).meta({
    description:
      'In US dollars, as tokensPerMonth. The key can then call only models with a known price.',
  }),
})
const noLimits = limits.parse({})

const name = z
  .string()
  .max(maxNameLength)
  .regex(/^[^\p{Cc}]*$/u, 'expected text without control characters')
  .refine((text) => text.trim() !== '' && text.isWellFormed(), 'expected non-blank text')

const models = z
  .array(z.string().min(1).max(maxPatternLength))
  .min(1)
  .max(maxModels)
  .meta({ description: 'IDs of models that the key may call; `*` stands for any text.' })

const expiresAt = z.iso.datetime().nullable().meta({ description: 'null: never.' })

const keyReply = z.object({
  keyId: z.string(),
  ...{ name, models, limits: z.object(limits.shape), expiresAt },
  createdAt: z.iso.datetime(),
})
/** A model key, without its secret. */
export type ModelKeyReply = z.infer<typeof keyReply>

const keysReply = z.object({ keys: z.array(keyReply) })
/** The reply of `GET /-/api/model-keys`. */
export type ModelKeysReply = z.infer<typeof keysReply>

const newKeyReply = z.object({
  key: keyReply,
  secret: z.string().meta({ description: 'The text that clients send. It is not shown again.' }),
})
/** The reply of `POST /-/api/model-keys`. */
export type NewModelKeyReply = z.infer<typeof newKeyReply>

const keyBody = z.strictObject({
  name,
  models: models.default(['*']),
  limits: limits.prefault({}),
  expiresAt: expiresAt.default(null),
})

/** The body of `POST /-/api/model-keys`. */
export type ModelKeyBody = z.input<typeof keyBody>

const changeBody = z.strictObject({ name, models, limits, expiresAt }).partial()

const params = z.object({ keyId: z.string() })

/** The management API for model keys. */
export function modelKeyRoutes(parts: ModelKeyRoutesParts): readonly Route[] {
  const common = { tag: 'calls', access: parts.session }
  return routesBelow('/-/api/model-keys', common, [
    listRoute(parts),
    createRoute(parts),
    changeRoute(parts),
    removeRoute(parts),
  ])
}

function listRoute({ table }: ModelKeyRoutesParts): Route {
  return route({
    method: 'GET',
    path: '',
    operationId: 'getModelKeys',
    summary: 'Lists the model keys',
    description: 'Without secrets, and without MODELS_API_KEY, which is a setting.',
    reply: keysReply,
    answer: async () => ({ keys: (await table.all()).map((row) => replyOf(modelKeyOf(row))) }),
  })
}

function createRoute({ table, refresh, now }: ModelKeyRoutesParts): Route {
  return route({
    method: 'POST',
    path: '',
    operationId: 'createModelKey',
    summary: 'Creates a key for clients that call models',
    description:
      'The reply contains the secret, which is not shown again. Only its hash is stored.',
    body: keyBody,
    status: 201,
    reply: newKeyReply,
    async answer({ body }) {
      const { keyId, secret, text } = newModelKey()
      const row: ModelKeyRow = {
        ...{ keyId, secretHash: hashOf(secret), json: jsonOf(body), createdAtMs: now() },
        expiresAtMs: momentOf(body.expiresAt),
      }
      if (!(await table.add(row, maxModelKeys))) {
        throw new ApiError(409, `There are ${maxModelKeys} model keys already. Delete one first.`)
      }
      await refresh()
      return { key: replyOf(modelKeyOf(row)), secret: text }
    },
  })
}

function changeRoute({ table, refresh }: ModelKeyRoutesParts): Route {
  return route({
    method: 'PATCH',
    path: '/{keyId}',
    operationId: 'changeModelKey',
    summary: 'Changes a model key',
    description:
      'Absent fields stay unchanged. The change takes effect in all processes within a second.',
    params,
    body: changeBody,
    reply: keyReply,
    async answer({ params: { keyId }, body }) {
      const seen = (await table.all()).find((row) => row.keyId === keyId)
      if (seen === undefined) throw noKey()
      const before = replyOf(modelKeyOf(seen))
      const { name = before.name, models = before.models, limits = before.limits } = body
      const { expiresAt = before.expiresAt } = body
      const changed = { json: jsonOf({ name, models, limits }), expiresAtMs: momentOf(expiresAt) }
      if (!(await table.change(seen, changed))) {
        throw new ApiError(409, 'The key has changed in the meantime. Try again.')
      }
      await refresh()
      return replyOf(modelKeyOf({ ...seen, ...changed }))
    },
  })
}

function removeRoute({ table, refresh }: ModelKeyRoutesParts): Route {
  return route({
    method: 'DELETE',
    path: '/{keyId}',
    operationId: 'deleteModelKey',
    summary: 'Deletes a model key',
    description: 'All processes refuse the key within a second.',
    params,
    status: 204,
    async answer({ params: { keyId } }) {
      if (!(await table.remove(keyId))) throw noKey()
      await refresh()
    },
  })
}

function jsonOf(body: Pick<z.output<typeof keyBody>, 'name' | 'models' | 'limits'>): string {
  const { name, models } = body
  const limits = Object.entries(body.limits).filter(([, value]) => value !== null)
  return JSON.stringify({ name, models, limits: Object.fromEntries(limits) })
}

function replyOf(key: ModelKey): ModelKeyReply {
  const { keyId, name, models, limits, createdAtMs, expiresAtMs } = key
  return {
    ...{ keyId, name, models: [...models], limits: { ...noLimits, ...limits } },
    createdAt: new Date(createdAtMs).toISOString(),
    expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString(),
  }
}

/** 0: never. The epoch and earlier times become 1, which has passed. */
function momentOf(time: string | null): number {
  return time === null ? 0 : Math.max(1, Date.parse(time))
}

function noKey(): ApiError {
  return new ApiError(404, 'The model key does not exist.')
}
