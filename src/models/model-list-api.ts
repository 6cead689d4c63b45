import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { HttpRequest } from '../http/message.ts'
import { ApiError } from '../json-api/api-error.ts'
import { type Access, JsonBytes, type Route, route, routesBelow } from '../json-api/route.ts'
import { entrySchema, listError, listSchema } from './list-schemas.ts'
import { defaultKinds, kindsOfPath } from './listed-kinds.ts'
import type { ModelLists } from './model-lists.ts'
import { preflight } from './preflight.ts'
import { keyComparison, sentKeys } from './sent-keys.ts'

interface ModelListOptions {
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
}

/** The maximum length of an unknown id in a message, characters. */
const maxQuotedId = 200

/** GET and OPTIONS of /v1/models and the paths below it. */
export function modelListApi({ lists, apiKey }: ModelListOptions): readonly Route[] {
  const access: Access = {
    // A key is required only with MODELS_API_KEY.
    security: [{}, { modelsKey: [] }, { modelsKeyHeader: [] }],
    admit: keyGuard(apiKey),
  }
  const list = route({
    method: 'GET',
    path: '/v1/models',
    operationId: 'listModels',
    summary: 'Lists the chat models of all connected providers, in the format of OpenAI',
    reply: listSchema,
    answer: async () => new JsonBytes(await lists.list(defaultKinds)),
  })
  const retrieve = route({
    method: 'GET',
    path: '/v1/models/{id+}',
    operationId: 'retrieveModel',
    summary: 'Lists the models of one kind, or returns one model',
    params: z.object({ id: z.string().describe('A kind, or a model id with or without %2F') }),
    reply: z.union([listSchema, entrySchema]),
    async answer({ params: { id } }) {
      // A kind path takes precedence over a model id.
      const kinds = kindsOfPath.get(id)
      if (kinds !== undefined) return new JsonBytes(await lists.list(kinds))
      const entry = await lists.find(id)
      if (entry === undefined) throw noSuchModel(id)
      return entry
    },
  })
  // Many clients add a trailing slash, which is not worth a redirect.
  const reads = [list, { ...list, path: '/v1/models/', isHidden: true }, retrieve]
  return [
    ...routesBelow('', { tag: 'models', access, errorSchema: listError }, reads),
    ...reads.map(({ path }) => preflight(path, preflightHeaders)),
  ]
}

function keyGuard(apiKey: string | undefined): Access['admit'] {
  const verdictOn = createKeyCheck(apiKey)
  return ({ headers }: HttpRequest) => {
    const verdict = verdictOn(headers)
    if (verdict === 'right') return
    throw new ApiError(401, verdict === 'missing' ? 'Missing API key.' : 'Invalid API key.', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}

function noSuchModel(id: string): ApiError {
  const kinds = [...kindsOfPath.keys()].join(', ')
  const quoted = id.slice(0, maxQuotedId)
  return new ApiError(404, `The model ${quoted} does not exist. Kinds: ${kinds}.`, {
    code: 'model_not_found',
  })
}

/** How the credentials of a request compare to the required key. */
type KeyVerdict = 'right' | 'wrong' | 'missing'

/**
 * Checks the key of MODELS_API_KEY, sent as a bearer token or as x-api-key; one correct key is
 * enough. Without MODELS_API_KEY the list is open and any credentials are accepted.
 */
function createKeyCheck(
  expected: string | undefined,
): (headers: IncomingHttpHeaders) => KeyVerdict {
  if (expected === undefined) return () => 'right'
  const isRight = keyComparison(expected)
  return (headers) => {
    const sent = sentKeys(headers)
    if (sent.length === 0) return 'missing'
    return sent.some(isRight) ? 'right' : 'wrong'
  }
}
