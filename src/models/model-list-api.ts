import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../json-api/api-error.ts'
import type { JsonApp } from '../json-api/json-app.ts'
import { sendBytes } from '../json-api/send-bytes.ts'
import { type ModelListParts, ModelLists } from './model-lists.ts'
import { createKeyCheck } from './models-key.ts'
import type { ServiceKind } from './routing-inputs.ts'

export interface ModelListOptions extends ModelListParts {
  /** MODELS_API_KEY; undefined: the list is open. */
  readonly apiKey: string | undefined
}

type Kinds = ReadonlySet<ServiceKind>

const defaultKinds: Kinds = new Set(['llm'])

/** Decision: which kinds a path below /v1/models lists. */
const kindsOfPath: ReadonlyMap<string, Kinds> = new Map<string, Kinds>([
  ['image', new Set(['image'])],
  ['tts', new Set(['tts'])],
  ['stt', new Set(['stt'])],
  ['embedding', new Set(['embedding'])],
  ['image-to-text', new Set(['imageToText'])],
  ['web', new Set(['webSearch', 'webFetch'])],
])

/** model-list.md, Endpoints: what a preflight is answered with, beside the origin on every reply. */
const preflightHeaders = {
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': '*',
} as const

/** Of an id that a client made up, characters. */
const maxQuotedId = 200

const preflightSchema = { operationId: 'preflight', hide: true }

const entrySchema = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int().describe('Unix time in seconds when the list was built'),
  owned_by: z.string(),
  kind: z.enum(['webSearch', 'webFetch']).optional(),
})
const listSchema = z.object({ object: z.literal('list'), data: z.array(entrySchema).readonly() })

/** GET and OPTIONS of /v1/models and of what is below it. HEAD comes with GET. */
export async function modelListApi(app: JsonApp, options: ModelListOptions): Promise<void> {
  app.addHook('onRequest', keyGuard(options.apiKey))
  const lists = new ModelLists(options)
  const list = async (filter: Kinds, reply: FastifyReply) => {
    reply.type('application/json; charset=utf-8')
    return sendBytes(reply, await lists.list(filter))
  }
  // A slash at the end is a slip of many clients, and not worth a redirect.
  for (const url of ['/v1/models', '/v1/models/']) {
    const schema = {
      operationId: 'listModels',
      hide: url !== '/v1/models',
      response: { 200: listSchema },
    }
    app.get(url, { schema }, (_request, reply) => list(defaultKinds, reply))
    app.options(url, { schema: preflightSchema }, preflight)
  }
  const schema = {
    operationId: 'retrieveModel',
    params: z.object({ '*': z.string().describe('A kind, or a model id with or without %2F') }),
    response: { 200: z.union([listSchema, entrySchema]) },
  }
  app.get('/v1/models/*', { schema }, async (request, reply) => {
    const { '*': name } = request.params
    // A kind path wins; else the entry of that exact id among all kinds.
    const kinds = kindsOfPath.get(name)
    if (kinds !== undefined) return list(kinds, reply)
    const entry = await lists.find(name)
    if (entry === undefined) throw noSuchModel(name)
    return entry
  })
  app.options('/v1/models/*', { schema: preflightSchema }, preflight)
}

/** A preflight carries no credentials (Fetch standard, "CORS-preflight fetch"). */
function keyGuard(apiKey: string | undefined) {
  const verdictOn = createKeyCheck(apiKey)
  return async ({ method, headers }: FastifyRequest) => {
    const verdict = method === 'OPTIONS' ? 'right' : verdictOn(headers)
    if (verdict === 'right') return
    throw new ApiError(401, verdict === 'missing' ? 'Missing API key.' : 'Invalid API key.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}

async function preflight(_request: FastifyRequest, reply: FastifyReply) {
  return reply.headers(preflightHeaders).send()
}

function noSuchModel(id: string): ApiError {
  const kinds = [...kindsOfPath.keys()].join(', ')
  const quoted = id.slice(0, maxQuotedId)
  return new ApiError(404, `There is no model with the id ${quoted}. The kinds are: ${kinds}.`, {
    code: 'model_not_found',
  })
}
