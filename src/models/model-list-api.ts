import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../json-api/api-error.ts'
import { enteredRequest } from '../json-api/entry.ts'
import type { JsonApp } from '../json-api/json-app.ts'
import { entrySchema, listRefusals, listSchema } from './list-schemas.ts'
import { defaultKinds, type Kinds, kindsOfPath } from './listed-kinds.ts'
import type { ModelLists } from './model-lists.ts'
import { createKeyCheck } from './models-key.ts'

export interface ModelListOptions {
  readonly lists: Pick<ModelLists, 'list' | 'find'>
  /** MODELS_API_KEY; undefined: the list is open. */
  readonly apiKey: string | undefined
}

/**
 * The headers of a preflight response besides the origin, which every reply has
 * (docs/contract/model-list.md, "Cross-origin requests").
 */
const preflightHeaders = {
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': '*',
} as const

/** The maximum length of an unknown id in a message, characters. */
const maxQuotedId = 200

/** Metadata for the OpenAPI document; a key is required only with MODELS_API_KEY. */
const described = { tags: ['models'], security: [{}, { modelsKey: [] }, { modelsKeyHeader: [] }] }

const preflightSchema = { operationId: 'preflight', hide: true }

/**
 * GET and OPTIONS of /v1/models and the paths below it. GET includes HEAD. Most requests for a list
 * do not get here (model-list-handler.ts).
 */
export async function modelListApi(app: JsonApp, options: ModelListOptions): Promise<void> {
  const { lists, apiKey } = options
  app.addHook('onRequest', keyGuard(apiKey))
  // Many clients add a trailing slash, which is not worth a redirect.
  for (const url of ['/v1/models', '/v1/models/']) {
    const schema = {
      ...described,
      operationId: 'listModels',
      summary: 'Lists the chat models of all connected providers, in the format of OpenAI',
      hide: url !== '/v1/models',
      response: { 200: listSchema, ...listRefusals },
    }
    app.get(url, { schema }, async (_request, reply) => sendList(lists, defaultKinds, reply))
    app.options(url, { schema: preflightSchema }, preflight)
  }
  const schema = {
    ...described,
    operationId: 'retrieveModel',
    summary: 'Lists the models of one kind, or returns one model',
    params: z.object({ '*': z.string().describe('A kind, or a model id with or without %2F') }),
    response: { 200: z.union([listSchema, entrySchema]), ...listRefusals },
  }
  app.get('/v1/models/*', { schema }, async (request, reply) => {
    const { '*': name } = request.params
    // A kind path takes precedence over a model id.
    const kinds = kindsOfPath.get(name)
    if (kinds !== undefined) return sendList(lists, kinds, reply)
    const entry = await lists.find(name)
    if (entry === undefined) throw noSuchModel(name)
    return entry
  })
  app.options('/v1/models/*', { schema: preflightSchema }, preflight)
}

/** Sends a list without a copy of it. For a request that a test injects: with one. */
export async function sendList(
  lists: Pick<ModelLists, 'list'>,
  kinds: Kinds,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const list = await lists.list(kinds)
  const entered = enteredRequest()
  // The bridge has left a request whose client is gone, and no longer closes its body.
  if (entered === undefined || entered.request.signal.aborted) await list.close()
  else entered.body = list
  const body = entered === undefined ? list.bytes : Buffer.alloc(0)
  return reply.type('application/json; charset=utf-8').send(body)
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
  return new ApiError(404, `The model ${quoted} does not exist. Kinds: ${kinds}.`, {
    code: 'model_not_found',
  })
}
