import { z } from 'zod'
import { ApiError } from '../../platform/json-api/api-error.ts'
import {
  type Access,
  JsonBytes,
  type Route,
  route,
  routesBelow,
} from '../../platform/json-api/route.ts'
import { entrySchema, listError, listSchema } from './list-schemas.ts'
import { defaultKinds, kindsOfPath } from './listed-kinds.ts'
import type { ModelLists } from './model-lists.ts'
import { preflight } from './preflight.ts'

interface ModelListOptions {
  readonly lists: Pick<ModelLists, 'list' | 'find'>
  /** Lets a request pass. @throws ApiError 401 */
  readonly admit: Access['admit']
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
export function modelListApi({ lists, admit }: ModelListOptions): readonly Route[] {
  const access: Access = {
    // A key is required only with MODELS_API_KEY.
    security: [{}, { modelsKey: [] }, { modelsKeyHeader: [] }],
    admit,
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

function noSuchModel(id: string): ApiError {
  const kinds = [...kindsOfPath.keys()].join(', ')
  const quoted = id.slice(0, maxQuotedId)
  return new ApiError(404, `The model ${quoted} does not exist. Kinds: ${kinds}.`, {
    code: 'model_not_found',
  })
}
