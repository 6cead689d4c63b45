import { z } from 'zod'
import type { HttpRequest } from '../../platform/http/message.ts'
import { ApiError } from '../../platform/json-api/api-error.ts'
import {
  type Access,
  JsonBytes,
  type Route,
  route,
  routesBelow,
} from '../../platform/json-api/route.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { connectionListing, entrySchema, listError, listSchema } from './list-schemas.ts'
import type { ModelLists } from './model-lists.ts'
import { defaultKinds, kindsOfPath } from './routing-inputs.ts'

interface ModelListOptions {
  readonly lists: Pick<ModelLists, 'list' | 'find'>
  /** Admits a request. @throws ApiError 401 */
  readonly admit: Access['admit']
  /** The ids that the key of an admitted request allows. Default: all. */
  readonly patternsOf?: (request: HttpRequest) => readonly string[] | undefined
}

/**
 * The headers of a preflight response, besides the origin, which every reply has
 * (docs/contract/model-list.md, "Cross-origin requests").
 */
export const listPreflightHeaders = {
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': '*',
}

/** The maximum length of an unknown id in a message, characters. */
const maxQuotedId = 200

/** GET and OPTIONS of /v1/models and the paths below it. */
export function modelListApi({
  lists,
  admit,
  patternsOf = () => undefined,
}: ModelListOptions): readonly Route[] {
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
    answer: async ({ request }) =>
      new JsonBytes(await lists.list(defaultKinds, patternsOf(request))),
  })
  const retrieve = route({
    method: 'GET',
    path: '/v1/models/{id+}',
    operationId: 'retrieveModel',
    summary: 'Lists the models of one kind, or returns one model',
    params: z.object({ id: z.string().describe('A kind, or a model id with or without %2F') }),
    reply: z.union([listSchema, entrySchema]),
    async answer({ request, params: { id } }) {
      const patterns = patternsOf(request)
      // A kind path takes precedence over a model id.
      const kinds = kindsOfPath.get(id)
      if (kinds !== undefined) return new JsonBytes(await lists.list(kinds, patterns))
      const entry = await lists.find(id, patterns)
      if (entry === undefined) throw noSuchModel(id)
      return entry
    },
  })
  // Many clients add a trailing slash, which is not worth a redirect.
  const reads = [list, { ...list, path: '/v1/models/', isHidden: true }, retrieve]
  return [
    ...routesBelow('', { tag: 'models', access, errorSchema: listError }, reads),
    ...reads.map(({ path }) => preflight(path, listPreflightHeaders)),
  ]
}

function noSuchModel(id: string): ApiError {
  const kinds = [...kindsOfPath.keys()].join(', ')
  const quoted = id.slice(0, maxQuotedId)
  return new ApiError(404, `The model ${quoted} does not exist. Kinds: ${kinds}.`, {
    code: 'model_not_found',
  })
}

interface ListedModelsParts {
  readonly lists: Pick<ModelLists, 'list' | 'connectionListings'>
  readonly catalogue: Catalogue
  /** Admits requests with a valid session. */
  readonly session: Access
}

/** `chat` is `/v1/models` itself, the others are the paths below it. */
const listNames = ['chat', ...kindsOfPath.keys()] as const

const providersSchema = z.object({
  providers: z.array(z.object({ id: z.string(), alias: z.string(), models: z.int() })),
})
const listingsSchema = z.object({ connections: z.array(connectionListing).readonly() })
export type ListingsAnswer = z.output<typeof listingsSchema>

export type ProvidersAnswer = z.infer<typeof providersSchema>

/**
 * The model list API of the dashboard. Returns the same lists as `/v1/models`, but requires a session
 * instead of MODELS_API_KEY, which the browser does not have.
 */
export function listedModelsApi({
  lists,
  catalogue,
  session,
}: ListedModelsParts): readonly Route[] {
  const providers = catalogue.providers.map(({ id, alias, models }) => {
    return { id, alias, models: models.size }
  })
  const listed = route({
    method: 'GET',
    path: '/models/{list}',
    operationId: 'getListedModels',
    summary: 'Returns the lists of /v1/models and the paths below it',
    params: z.object({ list: z.enum(listNames) }),
    reply: listSchema,
    answer: async ({ params: { list } }) =>
      new JsonBytes(await lists.list(kindsOfPath.get(list) ?? defaultKinds)),
  })
  const listings = route({
    method: 'GET',
    path: '/listings',
    operationId: 'getConnectionListings',
    summary: 'Counts the listed models of each connection and explains what is missing',
    reply: listingsSchema,
    answer: async () => ({ connections: await lists.connectionListings() }),
  })
  const known = route({
    method: 'GET',
    path: '/providers',
    operationId: 'getProviders',
    summary: 'Lists the providers of the catalogue',
    reply: providersSchema,
    answer: async () => ({ providers }),
  })
  return routesBelow('/-/api/routing', { tag: 'routing', access: session }, [
    listed,
    listings,
    known,
  ])
}

/**
 * Answers the preflights of a path for pages of any origin. A preflight has no credentials (Fetch standard,
 * "CORS-preflight fetch").
 *
 * @param headers besides the origin, which every reply has
 */
export function preflight(path: string, headers: Readonly<Record<string, string>>): Route {
  return route({
    method: 'OPTIONS',
    path,
    operationId: 'preflight',
    summary: 'Tells browsers that pages of any origin may send requests',
    isHidden: true,
    async answer({ replyHeaders }) {
      for (const [name, value] of Object.entries(headers)) replyHeaders.set(name, value)
    },
  })
}
